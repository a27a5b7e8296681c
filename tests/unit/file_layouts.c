/* SPDX-License-Identifier: Apache-2.0 */
#include "file_layouts.h"

#include "check.h"
#include "unit_random.h"

enum { BYTE = 0x247, BLOCKS_MAX = 4096, DIMENSIONS = 4 };

static const char *const names[] = {"own ranges", "vector", "indexed", "runs", "subarray", "darray"};

const char *layout_name(layout_kind kind)
{
    return names[kind];
}

layout_shape layout_draw(uint64_t *random, int members)
{
    static const size_t elements[] = {1, 2, 4, 8, 3, 12};
    layout_shape shape = {.kind = (layout_kind)(unit_random(random) % LAYOUT_KINDS), .members = members};
    shape.element = elements[unit_random(random) % (sizeof elements / sizeof *elements)];
    if (shape.kind == LAYOUT_RUNS)
        shape.element = 1;
    shape.displacement = unit_random(random) % 3 == 0 ? (int64_t)(unit_random(random) % 5000) : 0;
    shape.seed = unit_random(random);
    return shape;
}

static void layout_add(layout *l, int64_t at, size_t bytes)
{
    CHECK(l->count < BLOCKS_MAX);
    l->blocks[l->count++] = (layout_block){at, bytes};
    l->bytes += bytes;
}

/* The type is `inner`, whose reference is taken over, with the extent of the tile. */
static void layout_finish(layout *l, const cor_dtype *inner)
{
    CHECK_OK(cor_dtype_resized(inner, 0, l->extent, &l->type));
    cor_dtype_unref(inner);
}

static void layout_own(layout *l, uint64_t *random, size_t element, int member)
{
    size_t range = (1 + unit_random(random) % 40) * 128 * element;
    const cor_dtype *inner;
    layout_add(l, 0, range);
    l->extent = (int64_t)range;
    l->displacement += (int64_t)range * member;
    CHECK_OK(cor_dtype_contiguous(range / element, l->etype, &inner));
    layout_finish(l, inner);
}

static void layout_vector(layout *l, uint64_t *random, const layout_shape *shape, int member)
{
    size_t block = 1 + unit_random(random) % 9, gap = unit_random(random) % 2 * (unit_random(random) % 7);
    size_t count = 1 + unit_random(random) % 50, stride = block * (size_t)shape->members + gap;
    const cor_dtype *inner;
    for (size_t i = 0; i < count; i++)
        layout_add(l, (int64_t)(i * stride * shape->element), block * shape->element);
    l->extent = (int64_t)(count * stride * shape->element);
    l->displacement += (int64_t)(block * shape->element) * member;
    CHECK_OK(cor_dtype_vector(count, block, (ptrdiff_t)stride, l->etype, &inner));
    layout_finish(l, inner);
}

static void layout_owners(layout *l, uint64_t *random, const layout_shape *shape, int member)
{
    size_t total = 0, lengths[512];
    ptrdiff_t displacements[512];
    size_t most = shape->kind == LAYOUT_RUNS ? 1 + unit_random(random) % 60 : 1;
    const cor_dtype *inner;
    for (size_t i = 1 + unit_random(random) % 500; i > 0; i--) {
        size_t length = 1 + unit_random(random) % most;
        if (unit_random(random) % ((uint64_t)shape->members + 1) == (uint64_t)member) {
            lengths[l->count] = length;
            displacements[l->count] = (ptrdiff_t)(total * shape->element);
            layout_add(l, (int64_t)(total * shape->element), length * shape->element);
        }
        total += length;
    }
    l->extent = (int64_t)(total * shape->element);
    CHECK_OK(cor_dtype_hindexed(l->count, lengths, displacements, l->etype, &inner));
    layout_finish(l, inner);
}

/* How the members are divided over the dimensions. */
static void layout_grid(uint64_t *random, size_t dimensions, int members, size_t *grid)
{
    for (size_t d = 0; d < dimensions; d++)
        grid[d] = 1;
    for (size_t factor = 2, left = (size_t)members; left > 1;)
        if (left % factor == 0) {
            grid[unit_random(random) % dimensions] *= factor;
            left /= factor;
        } else {
            factor++;
        }
}

/* Whether a coordinate of an array is in a member's share of this dimension. */
static int layout_has(const cor_share *share, size_t at)
{
    if (share->is_cyclic)
        return at / share->block % share->processes == share->place;
    return at / share->block == share->place;
}

static void layout_array(layout *l, uint64_t *random, const layout_shape *shape, int member)
{
    size_t dimensions = 1 + unit_random(random) % DIMENSIONS, grid[DIMENSIONS], total = 1;
    size_t sizes[DIMENSIONS], starts[DIMENSIONS], subsizes[DIMENSIONS], rest = (size_t)member;
    cor_share shares[DIMENSIONS];
    const cor_dtype *inner;
    layout_grid(random, dimensions, shape->members, grid);
    for (size_t d = 0; d < dimensions; d++) {
        size_t place = rest % grid[d], block = 1 + unit_random(random) % (dimensions > 2 ? 3 : 9);
        rest /= grid[d];
        sizes[d] = grid[d] * block;
        starts[d] = place * block;
        subsizes[d] = block;
        shares[d] = (cor_share){sizes[d], block, grid[d], place, 0};
        if (shape->kind == LAYOUT_DARRAY && unit_random(random) % 2) {
            shares[d].is_cyclic = 1;
            shares[d].block = 1 + unit_random(random) % 2;
            sizes[d] = shares[d].size = grid[d] * block + unit_random(random) % 3;
        }
        total *= sizes[d];
    }
    for (size_t i = 0; i < total; i++) {
        size_t left = i, is_mine = 1;
        for (size_t d = dimensions; d-- > 0; left /= sizes[d])
            is_mine &= (size_t)layout_has(&shares[d], left % sizes[d]);
        if (is_mine)
            layout_add(l, (int64_t)(i * shape->element), shape->element);
    }
    l->extent = (int64_t)(total * shape->element);
    if (shape->kind == LAYOUT_SUBARRAY)
        CHECK_OK(cor_dtype_subarray(dimensions, sizes, subsizes, starts, 0, l->etype, &inner));
    else
        CHECK_OK(cor_dtype_darray(dimensions, shares, 0, l->etype, &inner));
    layout_finish(l, inner);
}

void layout_init(layout *l, const layout_shape *shape, int member)
{
    uint64_t random = shape->seed;
    *l = (layout){.blocks = calloc(BLOCKS_MAX, sizeof *l->blocks), .displacement = shape->displacement};
    CHECK(l->blocks != NULL);
    CHECK_OK(cor_dtype_contiguous(shape->element, cor_dtype_predefined(BYTE), &l->etype));
    switch (shape->kind) {
    case LAYOUT_OWN:
        layout_own(l, &random, shape->element, member);
        return;
    case LAYOUT_VECTOR:
        layout_vector(l, &random, shape, member);
        return;
    case LAYOUT_INDEXED:
    case LAYOUT_RUNS:
        layout_owners(l, &random, shape, member);
        return;
    default:
        layout_array(l, &random, shape, member);
    }
}

void layout_fini(layout *l)
{
    free(l->blocks);
    cor_dtype_unref(l->type);
    cor_dtype_unref(l->etype);
}

int64_t layout_at(const layout *l, uint64_t position)
{
    int64_t base = l->displacement + (int64_t)(position / l->bytes) * l->extent;
    size_t rest = (size_t)(position % l->bytes), i = 0;
    for (; rest >= l->blocks[i].bytes; i++)
        rest -= l->blocks[i].bytes;
    return base + l->blocks[i].at + (int64_t)rest;
}
