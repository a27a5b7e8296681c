/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian numbers, at any address. */
#ifndef COR_BASE_LITTLE_H
#define COR_BASE_LITTLE_H

#include <stdint.h>
#include <string.h>

static inline void cor_put32(uint8_t *at, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    memcpy(at, &value, sizeof value);
}

static inline uint32_t cor_get32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline void cor_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline uint16_t cor_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline void cor_put64(uint8_t *at, uint64_t value)
{
    cor_put32(at, (uint32_t)value);
    cor_put32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t cor_get64(const uint8_t *at)
{
    return cor_get32(at) | (uint64_t)cor_get32(at + 4) << 32;
}

#endif
