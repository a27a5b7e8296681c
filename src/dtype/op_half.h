/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of 16 bits (binary16), which not every compiler supports. Sums and products of two of them, computed as
 * float and rounded once more, are correctly rounded: a float has more than twice the digits.
 *
 * All cases are computed and one is selected, so that compilers can vectorise it.
 */
#ifndef COR_DTYPE_OP_HALF_H
#define COR_DTYPE_OP_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t half_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float half_value(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Not with ?:, which compilers turn into a branch for floating point. */
static inline uint32_t half_choose(int condition, uint32_t yes, uint32_t no)
{
    uint32_t mask = 0 - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

static inline float half_in(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    /* The digits in their place with an exponent that is 127 - 15 too small, also where there are leading zeros. */
    uint32_t finite = half_bits(half_value(rest << 13) * 0x1p112f);
    uint32_t infinite = 0x7f800000 | rest << 13;
    return half_value(half_choose(rest < 0x7c00, finite, infinite) | sign);
}

/* To the nearest, ties to even. */
static inline uint16_t half_out(float value)
{
    uint32_t bits = half_bits(value), sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    uint32_t normal = (bits + 0xfff + (bits >> 13 & 1) - ((127 - 15) << 23)) >> 13;
    /* The last digit of 0.5 is 2^-24, that of the smallest numbers here: adding it rounds to that. */
    uint32_t small = half_bits(half_value(bits) + 0.5f) - 0x3f000000;
    uint32_t nan = 0x7e00 | (bits >> 13 & 0x3ff);
    /* 2^-14 is the smallest without leading zeros; 65520 is half way beyond the largest. */
    uint32_t rest = half_choose(bits < 0x38800000, small, normal);
    rest = half_choose(bits < 0x477ff000, rest, 0x7c00);
    rest = half_choose(bits > 0x7f800000, nan, rest);
    return (uint16_t)(sign | rest);
}

#endif
