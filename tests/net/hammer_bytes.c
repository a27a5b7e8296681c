/* SPDX-License-Identifier: Apache-2.0 */
/* Chance by a seed, and the bytes of a stream. */
#include "hammer.h"

#include "check.h"

#include <string.h>

static uint64_t bytes_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
    return word ^ (word >> 31);
}

hammer_dice hammer_dice_of(uint64_t seed, uint64_t first, uint64_t second)
{
    return (hammer_dice){bytes_mix(bytes_mix(bytes_mix(seed) + first) + second)};
}

uint64_t hammer_roll(hammer_dice *dice)
{
    dice->state += 0x9e3779b97f4a7c15ull;
    return bytes_mix(dice->state);
}

size_t hammer_below(hammer_dice *dice, size_t limit)
{
    return (size_t)(hammer_roll(dice) % limit);
}

size_t hammer_size(hammer_dice *dice, size_t limit)
{
    unsigned orders = 0;
    while (orders < 63 && (size_t)1 << orders < limit)
        orders++;
    size_t top = (size_t)1 << hammer_below(dice, orders + 1);
    return 1 + hammer_below(dice, top < limit ? top : limit);
}

/* The eight bytes of a stream that begin at 8 * word. */
static uint64_t bytes_word(uint64_t salt, uint64_t word)
{
    return bytes_mix(salt + word * 0x9e3779b97f4a7c15ull);
}

void hammer_fill(uint64_t salt, uint64_t at, unsigned char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        uint64_t word = bytes_word(salt, (at + done) / 8);
        size_t skip = (at + done) % 8, part = 8 - skip < length - done ? 8 - skip : length - done;
        memcpy(bytes + done, (unsigned char *)&word + skip, part);
        done += part;
    }
}

void hammer_compare(uint64_t salt, uint64_t at, const unsigned char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        uint64_t word = bytes_word(salt, (at + done) / 8);
        size_t skip = (at + done) % 8, part = 8 - skip < length - done ? 8 - skip : length - done;
        const unsigned char *expected = (unsigned char *)&word + skip;
        if (memcmp(bytes + done, expected, part) != 0)
            CHECK_FAIL("wrong bytes at %llu of the stream: %02x, expected %02x", (unsigned long long)(at + done),
                       bytes[done], expected[0]);
        done += part;
    }
}
