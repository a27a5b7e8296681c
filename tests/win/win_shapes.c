/* SPDX-License-Identifier: Apache-2.0 */
#include "win_shapes.h"

#include "../dtype/plan_mpi.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

const char *const shape_names[] = {"one",    "contiguous", "vector",   "hvector",   "indexed", "hindexed", "unaligned",
                                   "struct", "resized",    "subarray", "backwards", "many",    "random"};

/* ---- plans ------------------------------------------------------------------------------------------------------ */

static plan *plan_new(plan_kind kind, plan *base)
{
    plan *p = calloc(1, sizeof *p);
    CHECK(p);
    p->kind = kind;
    p->bases[0] = base;
    return p;
}

static plan *plan_leaf(const element *e)
{
    plan *p = plan_new(PLAN_PREDEFINED, NULL);
    p->basic = &e->basic;
    return p;
}

static plan *plan_vector(plan_kind kind, plan *base, size_t count, size_t length, ptrdiff_t stride)
{
    plan *p = plan_new(kind, base);
    p->count = count;
    p->length = length;
    p->stride = stride;
    return p;
}

/* Blocks of 1, 2, 3, 1... elements with growing gaps; displacements count `unit`. */
static plan *plan_blocks(plan_kind kind, plan *base, size_t count, ptrdiff_t unit, ptrdiff_t first)
{
    plan *p = plan_new(kind, base);
    ptrdiff_t place = 0;
    p->count = count;
    for (size_t i = 0; i < count; i++) {
        p->lengths[i] = 1 + i % 3;
        p->displacements[i] = place * unit + first;
        place += (ptrdiff_t)(p->lengths[i] + 1 + i % 2);
    }
    return p;
}

static plan *plan_struct(const element *e)
{
    plan *p = plan_blocks(PLAN_STRUCT, NULL, 3, (ptrdiff_t)e->basic.extent, 0);
    for (size_t i = 0; i < p->count; i++)
        p->bases[i] = plan_leaf(e);
    return p;
}

static plan *plan_subarray(const element *e)
{
    plan *p = plan_new(PLAN_SUBARRAY, plan_leaf(e));
    p->count = 2;
    p->sizes[0] = 4, p->subsizes[0] = 2, p->starts[0] = 1;
    p->sizes[1] = 5, p->subsizes[1] = 3, p->starts[1] = 2;
    return p;
}

static plan *plan_many(const element *e)
{
    ptrdiff_t extent = (ptrdiff_t)e->basic.extent;
    plan *inner = plan_blocks(PLAN_HINDEXED, plan_leaf(e), 7, extent, 0);
    plan *outer = plan_blocks(PLAN_HINDEXED, inner, 5, 40 * extent, 0);
    return plan_vector(PLAN_HVECTOR, outer, 2, 1, 800 * extent);
}

static void plan_use(plan *p, const element *e)
{
    if (p->kind == PLAN_PREDEFINED)
        p->basic = &e->basic;
    for (size_t i = 0; i < PLAN_BLOCKS_MAX; i++)
        if (p->bases[i])
            plan_use(p->bases[i], e);
}

static plan *plan_of(shape which, const element *e, unsigned *seed)
{
    ptrdiff_t extent = (ptrdiff_t)e->basic.extent;
    plan *p;
    switch (which) {
    case SHAPE_CONTIGUOUS:
        return plan_vector(PLAN_CONTIGUOUS, plan_leaf(e), 3, 0, 0);
    case SHAPE_VECTOR:
        return plan_vector(PLAN_VECTOR, plan_leaf(e), 3, 2, 4);
    case SHAPE_HVECTOR:
        return plan_vector(PLAN_HVECTOR, plan_leaf(e), 4, 1, 3 * extent);
    case SHAPE_INDEXED:
        return plan_blocks(PLAN_INDEXED, plan_leaf(e), 4, 1, 2);
    case SHAPE_HINDEXED:
        return plan_blocks(PLAN_HINDEXED, plan_leaf(e), 8, extent, -3 * extent);
    case SHAPE_UNALIGNED:
        return plan_blocks(PLAN_HINDEXED, plan_leaf(e), 5, extent + 1, 1);
    case SHAPE_STRUCT:
        return plan_struct(e);
    case SHAPE_RESIZED:
        p = plan_new(PLAN_RESIZED, plan_vector(PLAN_VECTOR, plan_leaf(e), 2, 1, 3));
        p->lb = -extent;
        p->extent = 7 * extent;
        return p;
    case SHAPE_SUBARRAY:
        return plan_subarray(e);
    case SHAPE_BACKWARDS:
        return plan_vector(PLAN_VECTOR, plan_leaf(e), 4, 1, -2);
    case SHAPE_MANY:
        return plan_many(e);
    case SHAPE_RANDOM:
        p = plan_random(seed, 3, 300);
        plan_use(p, e);
        return p;
    default:
        return plan_leaf(e);
    }
}

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

/* Not so far apart that windows had to be large. */
static int layout_is_fine(const layout *l)
{
    ptrdiff_t low, high;
    plan_reach(&l->map, 1, &low, &high);
    return l->map.size > 0 && l->map.size <= 20000 && high - low < 60000 && low > -60000 && high < 60000 &&
           plan_receive_max(&l->map, 1) == 1;
}

layout layout_make(shape which, const element *e, unsigned *seed)
{
    layout l = {0};
    for (;;) {
        l.plan = plan_of(which, e, seed);
        plan_map_make(l.plan, &l.map);
        if (layout_is_fine(&l))
            break;
        CHECK(which == SHAPE_RANDOM);
        plan_map_free(&l.map);
        plan_free(l.plan);
    }
    l.per = l.map.count / e->basic.values;
    l.type = plan_type(l.plan, 0);
    CHECK_OK(MPI_Type_commit(&l.type));
    return l;
}

void layout_free(layout *l)
{
    plan_type_free(&l->type);
    plan_map_free(&l->map);
    plan_free(l->plan);
}

size_t layout_repeats(const layout *l, size_t limit)
{
    return plan_receive_max(&l->map, limit);
}

ptrdiff_t layout_offset(const layout *l, const element *e, size_t i)
{
    return (ptrdiff_t)(i / l->per) * (l->map.ub - l->map.lb) + l->map.values[i % l->per * e->basic.values].offset;
}

void layout_scatter(const layout *l, const element *e, unsigned char *base, const unsigned char *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char *to = base + layout_offset(l, e, i);
        for (size_t v = 0; v < e->basic.values; v++)
            memcpy(to + e->basic.offsets[v], values + i * e->basic.extent + e->basic.offsets[v], e->basic.bytes[v]);
    }
}

void layout_gather(const layout *l, const element *e, const unsigned char *base, unsigned char *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *from = base + layout_offset(l, e, i);
        for (size_t v = 0; v < e->basic.values; v++)
            memcpy(values + i * e->basic.extent + e->basic.offsets[v], from + e->basic.offsets[v], e->basic.bytes[v]);
    }
}

void layout_mask(const layout *l, const element *e, unsigned char *base, size_t count)
{
    for (size_t i = 0; i < count; i++)
        element_mask(e, base + layout_offset(l, e, i));
}
