/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Would a receive write a byte twice?
 *
 * First the spans are compared, which is enough for ordinary types: loops whose strides are longer than their bodies,
 * steps of a list that follow each other. Interleaved types are expanded into blocks and sorted, up to a limit; beyond
 * it a type is taken as free of overlaps.
 */
#include "dtype/program.h"

#include <stdlib.h>

enum {
    OVERLAP_BLOCKS_MAX = 1 << 16, /* blocks that are written out and sorted */
    OVERLAP_PAIRS_MAX = 512,      /* blocks of which every two are compared */
    OVERLAP_ROWS_MAX = 1 << 20,   /* iterations of a plain vector that are looked at */
};

typedef struct overlap_span {
    ptrdiff_t low, high;
} overlap_span;

static int overlap_compare(const void *a, const void *b)
{
    const overlap_span *first = a, *second = b;
    return first->low < second->low ? -1 : first->low > second->low;
}

/* Are these disjoint? Sorts them. */
static int overlap_is_disjoint(overlap_span *spans, size_t count)
{
    qsort(spans, count, sizeof *spans, overlap_compare);
    for (size_t i = 1; i < count; i++)
        if (spans[i].low < spans[i - 1].high)
            return 0;
    return 1;
}

/* ---- spans only ------------------------------------------------------------------------------------------------- */

static overlap_span overlap_body_span(const cor_body *body);

static overlap_span overlap_nest_span(const cor_nest *nest)
{
    overlap_span span = nest->body ? overlap_body_span(nest->body) : (overlap_span){0, (ptrdiff_t)nest->body_bytes};
    for (uint32_t i = 0; i < nest->depth; i++) {
        ptrdiff_t reach = (ptrdiff_t)(nest->loops[i].count - 1) * nest->loops[i].stride;
        span.low += reach < 0 ? reach : 0;
        span.high += reach > 0 ? reach : 0;
    }
    return span;
}

static overlap_span overlap_step_span(const cor_step *step)
{
    overlap_span span =
        step->nest ? overlap_nest_span(step->nest) : (overlap_span){0, (ptrdiff_t)(step[1].begin - step->begin)};
    return (overlap_span){span.low + step->offset, span.high + step->offset};
}

static overlap_span overlap_body_span(const cor_body *body)
{
    overlap_span all = overlap_step_span(body->steps);
    for (size_t i = 1; i < body->count; i++) {
        overlap_span span = overlap_step_span(&body->steps[i]);
        all.low = span.low < all.low ? span.low : all.low;
        all.high = span.high > all.high ? span.high : all.high;
    }
    return all;
}

static int overlap_is_nest_plain(const cor_nest *nest);

/* Do the steps follow each other, each without overlap? */
static int overlap_is_body_plain(const cor_body *body)
{
    overlap_span *spans = malloc(body->count * sizeof *spans);
    if (!spans)
        return 0;
    int is_plain = 1;
    for (size_t i = 0; i < body->count && is_plain; i++) {
        spans[i] = overlap_step_span(&body->steps[i]);
        is_plain = !body->steps[i].nest || overlap_is_nest_plain(body->steps[i].nest);
    }
    is_plain = is_plain && overlap_is_disjoint(spans, body->count);
    free(spans);
    return is_plain;
}

/* Is every stride longer than the span of the shorter ones? */
static int overlap_is_nest_plain(const cor_nest *nest)
{
    overlap_span body = nest->body ? overlap_body_span(nest->body) : (overlap_span){0, (ptrdiff_t)nest->body_bytes};
    if (nest->body && !overlap_is_body_plain(nest->body))
        return 0;
    ptrdiff_t covered = body.high - body.low, last = 0;
    for (uint32_t done = 0; done < nest->depth; done++) {
        /* The loop with the next longer stride; equal ones overlap anyway. */
        const cor_loop *next = NULL;
        for (uint32_t i = 0; i < nest->depth; i++) {
            const cor_loop *loop = &nest->loops[i];
            if (llabs(loop->stride) > last && (!next || llabs(loop->stride) < llabs(next->stride)))
                next = loop;
        }
        if (!next || llabs(next->stride) < covered)
            return 0;
        last = (ptrdiff_t)llabs(next->stride);
        covered += (ptrdiff_t)(next->count - 1) * last;
    }
    return 1;
}

/* ---- every block ------------------------------------------------------------------------------------------------ */

static size_t overlap_blocks(const cor_nest *nest)
{
    /* Every block has a byte, so that this is at most the size of the type. */
    size_t blocks = 1;
    if (nest->body) {
        blocks = 0;
        for (size_t i = 0; i < nest->body->count; i++)
            blocks += nest->body->steps[i].nest ? overlap_blocks(nest->body->steps[i].nest) : 1;
    }
    for (uint32_t i = 0; i < nest->depth; i++)
        blocks *= nest->loops[i].count;
    return blocks;
}

static overlap_span *overlap_write_nest(const cor_nest *nest, uint32_t level, ptrdiff_t offset, overlap_span *out)
{
    if (level < nest->depth && level < COR_NEST_DEPTH) {
        for (size_t i = 0; i < nest->loops[level].count; i++)
            out = overlap_write_nest(nest, level + 1, offset + (ptrdiff_t)i * nest->loops[level].stride, out);
        return out;
    }
    if (!nest->body) {
        *out++ = (overlap_span){offset, offset + (ptrdiff_t)nest->body_bytes};
        return out;
    }
    for (const cor_step *step = nest->body->steps; step < nest->body->steps + nest->body->count; step++) {
        if (step->nest)
            out = overlap_write_nest(step->nest, 0, offset + step->offset, out);
        else
            *out++ = (overlap_span){offset + step->offset,
                                    offset + step->offset + (ptrdiff_t)(step[1].begin - step->begin)};
    }
    return out;
}

/* ---- elements after each other ---------------------------------------------------------------------------------- */

/* The least k >= 1 for which b and a, moved by k * extent, meet; SIZE_MAX if there is none. extent > 0. */
static size_t overlap_meet(overlap_span a, overlap_span b, ptrdiff_t extent)
{
    ptrdiff_t must_exceed = b.low - a.high; /* a.high + k * extent > b.low */
    ptrdiff_t k = must_exceed < 0 ? 1 : must_exceed / extent + 1;
    ptrdiff_t moved;
    if (__builtin_mul_overflow(k, extent, &moved) || moved >= b.high - a.low)
        return SIZE_MAX;
    return (size_t)k;
}

/* How many elements fit before one overlaps another that is `k` later. */
static size_t overlap_elements_max(const cor_dtype *type)
{
    const cor_nest *nest = type->nest;
    ptrdiff_t extent = (ptrdiff_t)llabs(type->extent);
    if (extent >= type->true_ub - type->true_lb)
        return SIZE_MAX;
    if (extent == 0)
        return 1;
    size_t max = SIZE_MAX, blocks = overlap_blocks(nest);
    if (nest->depth == 1 && !nest->body && nest->loops[0].count <= OVERLAP_ROWS_MAX) {
        /* All rows are alike: the first against each. */
        overlap_span first = {0, (ptrdiff_t)nest->body_bytes};
        for (size_t i = 0; i < nest->loops[0].count; i++) {
            ptrdiff_t offset = (ptrdiff_t)i * (ptrdiff_t)llabs(nest->loops[0].stride);
            size_t k = overlap_meet(first, (overlap_span){offset, offset + first.high}, extent);
            max = k < max ? k : max;
        }
        return max;
    }
    if (blocks > OVERLAP_PAIRS_MAX)
        return SIZE_MAX;
    overlap_span spans[OVERLAP_PAIRS_MAX];
    overlap_write_nest(nest, 0, 0, spans);
    for (size_t i = 0; i < blocks; i++)
        for (size_t j = 0; j < blocks; j++) {
            size_t k = overlap_meet(spans[i], spans[j], extent);
            max = k < max ? k : max;
        }
    return max;
}

static size_t overlap_receive_max(const cor_dtype *type)
{
    const cor_nest *nest = type->nest;
    if (!nest)
        return SIZE_MAX;
    /* More data than extent: it must overlap. */
    if (type->size > (size_t)(type->true_ub - type->true_lb))
        return 0;
    if (!overlap_is_nest_plain(nest)) {
        size_t blocks = overlap_blocks(nest);
        overlap_span *spans = blocks <= OVERLAP_BLOCKS_MAX ? malloc(blocks * sizeof *spans) : NULL;
        if (spans) {
            overlap_write_nest(nest, 0, 0, spans);
            int is_disjoint = overlap_is_disjoint(spans, blocks);
            free(spans);
            if (!is_disjoint)
                return 0;
        }
    }
    return overlap_elements_max(type);
}

size_t cor_dtype_receive_max(const cor_dtype *type)
{
    _Atomic size_t *kept = (_Atomic size_t *)(uintptr_t)&type->receive_max;
    /* relaxed: a thread that finds nothing computes the same answer. */
    size_t known = atomic_load_explicit(kept, memory_order_relaxed);
    if (known > 0)
        return known == SIZE_MAX ? SIZE_MAX : known - 1;
    size_t max = overlap_receive_max(type);
    atomic_store_explicit(kept, max == SIZE_MAX ? SIZE_MAX : max + 1, memory_order_relaxed);
    return max;
}
