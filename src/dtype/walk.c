/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running programs. A part of the packed stream is, at every level of a nest, the end of one iteration, some whole ones
 * and the beginning of another; only the two at the edges are divided further.
 *
 * A level of a nest counts its loops from the outermost; at level `depth` is the body. A unit of a level is what one
 * iteration of the loop around that level does.
 */
#include "dtype/kernel.h"

static inline size_t walk_unit_bytes(const cor_nest *nest, uint32_t level)
{
    return level < nest->depth ? nest->loops[level].bytes : nest->body_bytes;
}

static void walk_units(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, char *packed, char *memory,
                       size_t count, ptrdiff_t stride);

/* ---- whole units ------------------------------------------------------------------------------------------------ */

static void walk_step(const cor_kernel_way *way, const cor_step *step, char *packed, char *memory)
{
    if (step->nest)
        walk_units(way, step->nest, 0, packed, memory + step->offset, 1, 0);
    else
        way->block(packed, memory + step->offset, step[1].begin - step->begin);
}

static void walk_bodies(const cor_kernel_way *way, const cor_body *body, char *packed, char *memory, size_t count,
                        ptrdiff_t stride)
{
    if (body->is_flat) {
        way->list(packed, memory, body, count, stride);
        return;
    }
    for (; count > 0; count--, packed += body->bytes, memory += stride)
        for (const cor_step *step = body->steps; step < body->steps + body->count; step++)
            walk_step(way, step, packed + step->begin, memory);
}

/* `count` units of a level, `stride` apart: at once where two loops or a list are left, else loop by loop. */
static void walk_loops(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, char *packed, char *memory,
                       size_t count, ptrdiff_t stride)
{
    const cor_loop *loop = &nest->loops[level];
    for (; count > 0; count--, packed += loop->bytes, memory += stride)
        walk_units(way, nest, level + 1, packed, memory, loop->count, loop->stride);
}

static inline void walk_units_inline(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, char *packed,
                                     char *memory, size_t count, ptrdiff_t stride)
{
    const cor_loop *loop = &nest->loops[level];
    if (level == nest->depth) {
        if (nest->body)
            walk_bodies(way, nest->body, packed, memory, count, stride);
        else
            way->loops[nest->kernel](packed, memory, 1, 0, count, stride, nest->body_bytes);
    } else if (level + 1 == nest->depth && !nest->body) {
        way->loops[nest->kernel](packed, memory, count, stride, loop->count, loop->stride, nest->body_bytes);
    } else {
        walk_loops(way, nest, level, packed, memory, count, stride);
    }
}

static void walk_units(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, char *packed, char *memory,
                       size_t count, ptrdiff_t stride)
{
    walk_units_inline(way, nest, level, packed, memory, count, stride);
}

/* ---- parts of units --------------------------------------------------------------------------------------------- */

static void walk_range(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, ptrdiff_t stride, char *packed,
                       char *memory, size_t offset, size_t length);

/* A part of one body. */
static void walk_body_part(const cor_kernel_way *way, const cor_body *body, char *packed, char *memory, size_t offset,
                           size_t length)
{
    for (const cor_step *step = cor_body_find(body, offset); length > 0; step++) {
        size_t within = offset - step->begin, rest = step[1].begin - offset;
        size_t piece = length < rest ? length : rest;
        if (!step->nest)
            way->block(packed, memory + step->offset + within, piece);
        else
            walk_range(way, step->nest, 0, 0, packed, memory + step->offset, within, piece);
        packed += piece;
        offset += piece;
        length -= piece;
    }
}

/* A part of one unit. */
static void walk_unit_part(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, char *packed, char *memory,
                           size_t offset, size_t length)
{
    if (level < nest->depth)
        walk_range(way, nest, level + 1, nest->loops[level].stride, packed, memory, offset, length);
    else if (nest->body)
        walk_body_part(way, nest->body, packed, memory, offset, length);
    else
        way->block(packed, memory + offset, length);
}

/* A part of a sequence of units, `stride` apart. */
static void walk_range(const cor_kernel_way *way, const cor_nest *nest, uint32_t level, ptrdiff_t stride, char *packed,
                       char *memory, size_t offset, size_t length)
{
    size_t unit = walk_unit_bytes(nest, level);
    if (offset >= unit) {
        memory += (ptrdiff_t)(offset / unit) * stride;
        offset %= unit;
    }
    if (offset > 0) {
        size_t piece = length < unit - offset ? length : unit - offset;
        walk_unit_part(way, nest, level, packed, memory, offset, piece);
        packed += piece;
        length -= piece;
        memory += stride;
    }
    if (length >= unit) {
        size_t whole = length < 2 * unit ? 1 : length / unit; /* a division costs as much as a small message */
        walk_units(way, nest, level, packed, memory, whole, stride);
        packed += whole * unit;
        length -= whole * unit;
        memory += (ptrdiff_t)whole * stride;
    }
    if (length > 0)
        walk_unit_part(way, nest, level, packed, memory, 0, length);
}

/* Budget: 5 ns beside the copies for whole elements from the beginning, which most messages are. */
static inline __attribute__((always_inline)) void walk_elements(const cor_kernel_way *way, const cor_dtype *type,
                                                                char *packed, char *memory, size_t offset,
                                                                size_t length)
{
    const cor_nest *nest = type->nest;
    size_t unit = walk_unit_bytes(nest, type->level);
    size_t whole = length == type->size ? type->whole : length / unit;
    if (COR_LIKELY(offset == 0 && whole * unit == length))
        walk_units_inline(way, nest, type->level, packed, memory, whole, type->step);
    else
        walk_range(way, nest, type->level, type->step, packed, memory, offset, length);
}

void cor_program_pack(const cor_dtype *type, const char *memory, size_t offset, char *packed, size_t length)
{
    if (length > 0)
        walk_elements(&cor_kernel_pack, type, packed, (char *)(uintptr_t)memory, offset, length);
}

void cor_program_unpack(const cor_dtype *type, char *memory, size_t offset, const char *packed, size_t length)
{
    if (length > 0)
        walk_elements(&cor_kernel_unpack, type, (char *)(uintptr_t)packed, memory, offset, length);
}
