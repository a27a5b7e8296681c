/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of PNG, zip and java.util.zip.CRC32, over bits: files are few. */
#ifndef APP_CRC_H
#define APP_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of the bytes that gave `crc`, 0 for none, and of these. */
static inline uint32_t app_crc(uint32_t crc, const unsigned char *bytes, size_t count)
{
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

#endif
