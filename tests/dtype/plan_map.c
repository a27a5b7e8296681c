/* SPDX-License-Identifier: Apache-2.0 */
/* From a plan to a list of bytes, and what follows from such a list. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- building --------------------------------------------------------------------------------------------------- */

static void map_add_value(plan_map *map, ptrdiff_t offset, size_t bytes)
{
    if (map->count == map->room) {
        map->room = map->room ? 2 * map->room : 16;
        map->values = realloc(map->values, map->room * sizeof *map->values);
    }
    map->values[map->count++] = (plan_value){offset, bytes};
    ptrdiff_t end = offset + (ptrdiff_t)bytes;
    map->true_lb = map->size == 0 || offset < map->true_lb ? offset : map->true_lb;
    map->true_ub = map->size == 0 || end > map->true_ub ? end : map->true_ub;
    map->end = map->size == 0 || end > map->end ? end : map->end;
    map->size += bytes;
}

/* One element of `inner` at `offset`. */
static void map_add(plan_map *map, ptrdiff_t offset, const plan_map *inner)
{
    for (size_t i = 0; i < inner->count; i++)
        map_add_value(map, offset + inner->values[i].offset, inner->values[i].bytes);
    if (inner->count > 0 && offset + inner->ub > map->end)
        map->end = offset + inner->ub;
    if (inner->has_marks) {
        ptrdiff_t lb = offset + inner->lb, ub = offset + inner->ub;
        map->lb = !map->has_marks || lb < map->lb ? lb : map->lb;
        map->ub = !map->has_marks || ub > map->ub ? ub : map->ub;
        map->has_marks = 1;
    }
    map->alignment = inner->alignment > map->alignment ? inner->alignment : map->alignment;
}

/* A resized type's bounds repeated with a negative extent: each element has its own two marks. */
static void map_add_block(plan_map *map, ptrdiff_t offset, size_t length, const plan_map *inner)
{
    for (size_t i = 0; i < length; i++)
        map_add(map, offset + (ptrdiff_t)i * (inner->ub - inner->lb), inner);
}

static void map_finish(plan_map *map)
{
    if (map->has_marks)
        return;
    size_t bytes = (size_t)(map->end - map->true_lb);
    map->lb = map->true_lb;
    map->ub = map->true_lb + (ptrdiff_t)((bytes + map->alignment - 1) / map->alignment * map->alignment);
}

/* ---- arrays ----------------------------------------------------------------------------------------------------- */

void plan_coordinates(const plan *p, size_t *coordinates)
{
    size_t rest = p->place;
    for (size_t i = p->count; i-- > 0; rest /= p->grid[i])
        coordinates[i] = rest % p->grid[i];
}

size_t plan_dealt(const plan *p, size_t dimension)
{
    if (p->shares[dimension] == PLAN_SHARE_NONE)
        return p->sizes[dimension];
    if (p->dealt[dimension])
        return p->dealt[dimension];
    return p->shares[dimension] == PLAN_SHARE_CYCLIC
               ? 1
               : (p->sizes[dimension] + p->grid[dimension] - 1) / p->grid[dimension];
}

/* Is this index of a dimension ours? */
static int map_is_ours(const plan *p, size_t dimension, size_t index, const size_t *coordinates)
{
    if (p->kind == PLAN_SUBARRAY)
        return index >= p->starts[dimension] && index < p->starts[dimension] + p->subsizes[dimension];
    return p->shares[dimension] == PLAN_SHARE_NONE ||
           index / plan_dealt(p, dimension) % p->grid[dimension] == coordinates[dimension];
}

/* Every element of the whole array in memory order, ours added. */
static void map_add_array(plan_map *map, const plan *p, const plan_map *inner)
{
    size_t all = 1, coordinates[PLAN_DIMENSIONS_MAX];
    ptrdiff_t extent = inner->ub - inner->lb;
    for (size_t i = 0; i < p->count; i++)
        all *= p->sizes[i];
    if (p->kind == PLAN_DARRAY)
        plan_coordinates(p, coordinates);
    for (size_t element = 0; element < all; element++) {
        size_t rest = element;
        int is_ours = 1;
        for (size_t i = 0; i < p->count; i++) {
            size_t dimension = p->is_fortran ? i : p->count - 1 - i;
            is_ours = is_ours && map_is_ours(p, dimension, rest % p->sizes[dimension], coordinates);
            rest /= p->sizes[dimension];
        }
        if (is_ours)
            map_add(map, (ptrdiff_t)element * extent, inner);
    }
    map->has_marks = 1;
    map->lb = 0;
    map->ub = (ptrdiff_t)all * extent;
}

/* ---- all kinds -------------------------------------------------------------------------------------------------- */

static void map_add_blocks(plan_map *map, const plan *p, const plan_map *inner, ptrdiff_t unit, int has_lengths)
{
    for (size_t i = 0; i < p->count; i++)
        map_add_block(map, p->displacements[i] * unit, has_lengths ? p->lengths[i] : p->length, inner);
}

static void map_add_struct(plan_map *map, const plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        plan_map inner;
        plan_map_make(p->bases[i], &inner);
        map_add_block(map, p->displacements[i], p->lengths[i], &inner);
        plan_map_free(&inner);
    }
}

static void map_add_basic(plan_map *map, const plan_basic *basic)
{
    map->alignment = basic->alignment;
    for (size_t i = 0; i < basic->values; i++)
        map_add_value(map, (ptrdiff_t)basic->offsets[i], basic->bytes[i]);
}

static void map_add_derived(plan_map *map, const plan *p, const plan_map *inner)
{
    ptrdiff_t extent = inner->ub - inner->lb;
    switch (p->kind) {
    case PLAN_CONTIGUOUS:
        map_add_block(map, 0, p->count, inner);
        break;
    case PLAN_VECTOR:
    case PLAN_HVECTOR:
        for (size_t i = 0; i < p->count; i++)
            map_add_block(map, (ptrdiff_t)i * p->stride * (p->kind == PLAN_VECTOR ? extent : 1), p->length, inner);
        break;
    case PLAN_INDEXED:
        map_add_blocks(map, p, inner, extent, 1);
        break;
    case PLAN_HINDEXED:
        map_add_blocks(map, p, inner, 1, 1);
        break;
    case PLAN_INDEXED_BLOCK:
        map_add_blocks(map, p, inner, extent, 0);
        break;
    case PLAN_HINDEXED_BLOCK:
        map_add_blocks(map, p, inner, 1, 0);
        break;
    case PLAN_SUBARRAY:
    case PLAN_DARRAY:
        map_add_array(map, p, inner);
        break;
    case PLAN_RESIZED:
        map_add(map, 0, inner);
        map->has_marks = 1;
        map->lb = p->lb;
        map->ub = p->lb + p->extent;
        break;
    default:
        map_add(map, 0, inner);
    }
}

void plan_map_make(const plan *p, plan_map *map)
{
    *map = (plan_map){.alignment = 1};
    if (p->kind == PLAN_PREDEFINED) {
        map_add_basic(map, p->basic);
    } else if (p->kind == PLAN_STRUCT) {
        map_add_struct(map, p);
    } else {
        plan_map inner;
        plan_map_make(p->bases[0], &inner);
        map_add_derived(map, p, &inner);
        plan_map_free(&inner);
    }
    map_finish(map);
}

void plan_map_free(plan_map *map)
{
    free(map->values);
}

/* ---- what follows ----------------------------------------------------------------------------------------------- */

void plan_pack(const plan_map *map, const unsigned char *memory, size_t count, unsigned char *packed)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < map->count; packed += map->values[k++].bytes)
            memcpy(packed, memory + (ptrdiff_t)i * (map->ub - map->lb) + map->values[k].offset, map->values[k].bytes);
}

void plan_unpack(const plan_map *map, unsigned char *memory, size_t count, const unsigned char *packed)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < map->count; packed += map->values[k++].bytes)
            memcpy(memory + (ptrdiff_t)i * (map->ub - map->lb) + map->values[k].offset, packed, map->values[k].bytes);
}

void plan_reach(const plan_map *map, size_t count, ptrdiff_t *low_p, ptrdiff_t *high_p)
{
    ptrdiff_t last = (ptrdiff_t)(count ? count - 1 : 0) * (map->ub - map->lb);
    *low_p = map->true_lb + (last < 0 ? last : 0);
    *high_p = map->true_ub + (last > 0 ? last : 0);
}

size_t plan_receive_max(const plan_map *map, size_t limit)
{
    ptrdiff_t low, high;
    plan_reach(map, limit, &low, &high);
    char *seen = calloc((size_t)(high - low) + 1, 1);
    for (size_t count = 0; count < limit; count++)
        for (size_t k = 0; k < map->count; k++)
            for (size_t b = 0; b < map->values[k].bytes; b++) {
                ptrdiff_t at = (ptrdiff_t)count * (map->ub - map->lb) + map->values[k].offset + (ptrdiff_t)b - low;
                if (seen[at]++) {
                    free(seen);
                    return count;
                }
            }
    free(seen);
    return limit;
}

plan_field plan_field_make(const plan_map *map, size_t count)
{
    enum { MARGIN = 64 };
    ptrdiff_t low, high;
    plan_reach(map, count, &low, &high);
    plan_field field = {.bytes = (size_t)(high - low) + 2 * MARGIN};
    field.memory = malloc(field.bytes);
    field.element = field.memory + MARGIN - low;
    return field;
}
