/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as hexadecimal digits and back, for texts with secrets and addresses. */
#ifndef COR_BASE_HEX_H
#define COR_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/* 2 * count digits and a NUL. */
static inline void cor_hex_print(const uint8_t *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

static inline int cor_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The first 2 * count characters, or up to the end of the text; 0: they are not all digits as above. */
static inline int cor_hex_parse(const char *text, size_t count, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        int high = cor_hex_digit(text[2 * i]), low = high < 0 ? -1 : cor_hex_digit(text[2 * i + 1]);
        if (low < 0)
            return 0;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return 1;
}

#endif
