/* SPDX-License-Identifier: Apache-2.0 */
#include "coll_area.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, APART_BYTES = 16, POISON = 0xa7 };

size_t coll_block_bytes(const coll_area *area, size_t block)
{
    return area->blocks[block].count * area->blocks[block].type->size;
}

static size_t area_extent(const coll_block *block)
{
    /* Doubles want their alignment. */
    return ((size_t)block->type->extent * block->count + 7) & ~(size_t)7;
}

/* Where the blocks lie: in a row, or each somewhere. */
static size_t area_lay_out(coll_area *area, uint64_t key)
{
    size_t at = GUARD_BYTES, count = area->block_count;
    if (!area->has_parts) {
        for (size_t i = 0; i < count; i++) {
            area->blocks[i].offset = at;
            at += (size_t)area->blocks[i].type->extent * area->blocks[i].count;
        }
        return at;
    }
    int is_downwards = key & 1;
    size_t shift = count ? (size_t)(key >> 1) % count : 0;
    for (size_t i = 0; i < count; i++) {
        size_t turned = (i + shift) % count;
        coll_block *block = &area->blocks[is_downwards ? count - 1 - turned : turned];
        block->offset = at;
        at += area_extent(block) + APART_BYTES;
    }
    return at;
}

static void area_make_streams(coll_area *area)
{
    size_t longest = 0, start = 0, elements = 0;
    for (size_t i = 0; i < area->block_count; i++) {
        const coll_block *block = &area->blocks[i];
        area->parts[i] = cor_dtype_payload(block->type, area->memory + block->offset, block->count);
        area->starts[i] = start;
        start += coll_block_bytes(area, i);
        elements += block->count;
        longest = coll_block_bytes(area, i) > longest ? coll_block_bytes(area, i) : longest;
    }
    area->starts[area->block_count] = start;
    if (area->block_count > 0 && !area->has_parts)
        area->whole = cor_dtype_payload(area->blocks[0].type, area->memory + area->blocks[0].offset, elements);
    area->scratch = coll_alloc(longest);
}

void coll_area_init(coll_area *area, coll_rank *me, const coll_block *blocks, size_t block_count, int has_parts,
                    uint64_t key)
{
    *area = (coll_area){.me = me, .block_count = block_count, .has_parts = has_parts};
    area->blocks = coll_alloc(block_count * sizeof *blocks);
    area->parts = coll_alloc(block_count * sizeof *area->parts);
    area->starts = coll_alloc((block_count + 1) * sizeof *area->starts);
    if (block_count > 0)
        memcpy(area->blocks, blocks, block_count * sizeof *blocks);
    area->bytes = area_lay_out(area, key) + GUARD_BYTES;
    area->memory = coll_alloc(area->bytes);
    area->expected = coll_alloc(area->bytes);
    area_make_streams(area);
    coll_area_poison(area);
}

void coll_area_fini(coll_area *area)
{
    free(area->blocks);
    free(area->parts);
    free(area->starts);
    free(area->memory);
    free(area->expected);
    free(area->scratch);
}

void coll_area_poison(coll_area *area)
{
    memset(area->memory, POISON, area->bytes);
    memset(area->expected, POISON, area->bytes);
}

void coll_area_put(coll_area *area, size_t block, const void *packed, size_t bytes)
{
    const coll_block *b = &area->blocks[block];
    cor_dtype_unpack(b->type, area->memory + b->offset, b->count, 0, packed, bytes);
    coll_area_expect(area, block, packed, bytes);
}

void coll_area_expect(coll_area *area, size_t block, const void *packed, size_t bytes)
{
    const coll_block *b = &area->blocks[block];
    cor_dtype_unpack(b->type, area->expected + b->offset, b->count, 0, packed, bytes);
}

/* The block whose memory holds this byte, or the one before it. */
static size_t area_block_at(const coll_area *area, size_t offset)
{
    size_t found = 0;
    for (size_t i = 0; i < area->block_count; i++)
        if (area->blocks[i].offset <= offset &&
            (area->blocks[i].offset > area->blocks[found].offset || area->blocks[found].offset > offset))
            found = i;
    return found;
}

void coll_area_check(const coll_area *area, const char *name)
{
    if (memcmp(area->memory, area->expected, area->bytes) == 0)
        return;
    size_t at = 0, wrong = 0;
    while (area->memory[at] == area->expected[at])
        at++;
    for (size_t i = at; i < area->bytes; i++)
        wrong += area->memory[i] != area->expected[i];
    size_t block = area_block_at(area, at);
    const coll_block *b = area->block_count ? &area->blocks[block] : NULL;
    if (!b || at < GUARD_BYTES || at >= area->bytes - GUARD_BYTES)
        CHECK_FAIL("the %s buffer was written outside, at %zd of %zu bytes", name, (ptrdiff_t)at - GUARD_BYTES,
                   area->bytes - 2 * GUARD_BYTES);
    CHECK_FAIL("the %s buffer, %zu bytes of %zu wrong, first byte %zu from block %zu (of %zu, %zu elements of %zu "
               "bytes): expected %02x, got %02x",
               name, wrong, area->bytes - 2 * GUARD_BYTES, at - b->offset, block, area->block_count, b->count,
               b->type->size, (unsigned char)area->expected[at], (unsigned char)area->memory[at]);
}

cor_stream coll_area_stream(const coll_area *area, size_t block_bytes)
{
    if (area->block_count == 0)
        return (cor_stream){.bytes = 0};
    if (area->has_parts)
        return (cor_stream){.parts = area->parts, .starts = area->starts};
    return (cor_stream){.payload = area->whole, .bytes = block_bytes};
}

void coll_area_forget(coll_area *area)
{
    memset(area->parts, POISON, area->block_count * sizeof *area->parts);
    memset(area->starts, POISON, (area->block_count + 1) * sizeof *area->starts);
    memset(&area->whole, POISON, sizeof area->whole);
}
