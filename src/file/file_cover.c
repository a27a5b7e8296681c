/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of a window members have sent: bits, since they cost the same in whatever order the blocks come, and
 * however these overlap.
 */
#include "file/file_runs.h"

#include <string.h>

enum { COVER_SHIFT_MAX = 12 };

size_t file_cover_words(size_t bytes)
{
    return bytes / 64 + 1;
}

static size_t cover_bits(const file_cover *cover)
{
    return (cover->bytes + ((size_t)1 << cover->shift) - 1) >> cover->shift;
}

static void cover_clear(file_cover *cover)
{
    memset(cover->words, 0, (cover_bits(cover) / 64 + 1) * sizeof *cover->words);
}

void file_cover_begin(file_cover *cover, uint64_t *words, size_t bytes)
{
    *cover = (file_cover){words, COVER_SHIFT_MAX, bytes};
    cover_clear(cover);
}

static void cover_set(uint64_t *words, size_t first, size_t end)
{
    size_t word = first / 64, last = (end - 1) / 64;
    uint64_t head = ~UINT64_C(0) << first % 64, tail = ~UINT64_C(0) >> (63 - (end - 1) % 64);
    if (word == last) {
        words[word] |= head & tail;
        return;
    }
    words[word++] |= head;
    while (word < last)
        words[word++] = ~UINT64_C(0);
    words[last] |= tail;
}

/* Smaller grains: every bit becomes several. From the end on, since bits move upwards. */
static void cover_refine(file_cover *cover, unsigned shift)
{
    unsigned by = cover->shift - shift;
    size_t old_bits = cover_bits(cover), old_words = old_bits / 64 + 1;
    cover->shift = shift;
    size_t bits = cover_bits(cover);
    memset(cover->words + old_words, 0, (bits / 64 + 1 - old_words) * sizeof *cover->words);
    for (size_t i = old_bits; i-- > 0;) {
        uint64_t bit = UINT64_C(1) << i % 64;
        if (!(cover->words[i / 64] & bit))
            continue;
        size_t first = i << by, end = (i + 1) << by;
        cover->words[i / 64] &= ~bit;
        cover_set(cover->words, first, end < bits ? end : bits);
    }
}

/* A block may end inside a grain where the window does. */
static unsigned cover_shift_for(const file_cover *cover, const file_list *list)
{
    uint64_t all = UINT64_C(1) << COVER_SHIFT_MAX;
    for (uint32_t i = 0; i < list->count; i++) {
        const file_run *run = &list->runs[i];
        all |= run->at;
        if (run->count > 1)
            all |= run->stride;
        if (run->count > 1 || run->at + run->bytes != cover->bytes)
            all |= run->bytes;
    }
    return (unsigned)__builtin_ctzll(all);
}

void file_cover_add(file_cover *cover, const file_list *list)
{
    unsigned shift = cover_shift_for(cover, list);
    if (shift < cover->shift)
        cover_refine(cover, shift);
    shift = cover->shift;
    size_t round = ((size_t)1 << shift) - 1;
    for (uint32_t i = 0; i < list->count; i++) {
        const file_run *run = &list->runs[i];
        size_t at = run->at;
        for (uint32_t k = 0; k < run->count; k++, at += run->stride)
            cover_set(cover->words, at >> shift, (at + run->bytes + round) >> shift);
    }
}

/* The first bit from `bit` on that is set (or is not): its number, or that of the end. */
static size_t cover_find(const file_cover *cover, size_t bit, int is_set)
{
    size_t bits = cover_bits(cover);
    while (bit < bits) {
        uint64_t word = cover->words[bit / 64];
        word = (is_set ? word : ~word) & ~UINT64_C(0) << bit % 64;
        if (word) {
            bit = bit / 64 * 64 + (size_t)__builtin_ctzll(word);
            return bit < bits ? bit : bits;
        }
        bit = (bit / 64 + 1) * 64;
    }
    return bits;
}

size_t file_cover_next(const file_cover *cover, size_t *at_p)
{
    size_t round = ((size_t)1 << cover->shift) - 1;
    size_t first = cover_find(cover, (*at_p + round) >> cover->shift, 1);
    size_t end = cover_find(cover, first, 0);
    size_t at = first << cover->shift, stop = end << cover->shift;
    if (first >= end)
        return 0;
    *at_p = at;
    return (stop < cover->bytes ? stop : cover->bytes) - at;
}
