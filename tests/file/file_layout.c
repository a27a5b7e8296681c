/* SPDX-License-Identifier: Apache-2.0 */
#include "file_layout.h"

#include "file_suite.h"

#include <stdlib.h>
#include <string.h>

const char *const shape_names[] = {
#define X(name) #name,
    SHAPES
#undef X
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

cell cell_make(int number)
{
    cell of = {MPI_BYTE, 1, "MPI_BYTE"};
    switch (number % CELL_KINDS) {
    case 1:
        return (cell){MPI_INT, sizeof(int), "MPI_INT"};
    case 2:
        return (cell){MPI_DOUBLE, sizeof(double), "MPI_DOUBLE"};
    case 3:
        return (cell){MPI_SHORT, sizeof(short), "MPI_SHORT"};
    case 4:
        of = (cell){MPI_DATATYPE_NULL, 3, "3 MPI_BYTE"};
        CHECK_OK(MPI_Type_contiguous(3, MPI_BYTE, &of.type));
        break;
    case 5:
        of = (cell){MPI_DATATYPE_NULL, 3 * sizeof(int), "3 MPI_INT"};
        CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &of.type));
        break;
    case 6: {
        MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR};
        of = (cell){MPI_DATATYPE_NULL, 16, "{MPI_DOUBLE; 8 MPI_CHAR}"};
        CHECK_OK(MPI_Type_create_struct(2, (int[]){1, 8}, (MPI_Aint[]){0, 8}, types, &of.type));
        break;
    }
    case 7:
        of = (cell){MPI_DATATYPE_NULL, 24, "3 MPI_INT64_T"};
        CHECK_OK(MPI_Type_vector(3, 1, 1, MPI_INT64_T, &of.type));
        break;
    default:
        return of;
    }
    CHECK_OK(MPI_Type_commit(&of.type));
    return of;
}

void cell_free(cell *of)
{
    int integers, addresses, types, combiner;
    CHECK_OK(MPI_Type_get_envelope(of->type, &integers, &addresses, &types, &combiner));
    if (combiner != MPI_COMBINER_NAMED)
        CHECK_OK(MPI_Type_free(&of->type));
}

/* ---- shapes of blocks -------------------------------------------------------------------------------------------- */

static void shape_add(shape *s, MPI_Aint at)
{
    CHECK(s->cells < SHAPE_CELLS_MAX);
    s->at[s->cells++] = at;
}

static void shape_add_block(shape *s, cell of, MPI_Aint at, int length)
{
    for (int i = 0; i < length; i++)
        shape_add(s, at + i * (MPI_Aint)of.bytes);
}

static void shape_vector(shape *s, cell of, uint64_t *random)
{
    int count = 1 + test_below(random, 6), length = 1 + test_below(random, 4), stride = length + test_below(random, 5);
    MPI_Aint step = stride * (MPI_Aint)of.bytes;
    if (s->kind == SHAPE_HVECTOR) {
        step += test_below(random, 13);
        CHECK_OK(MPI_Type_create_hvector(count, length, step, of.type, &s->type));
    } else {
        CHECK_OK(MPI_Type_vector(count, length, stride, of.type, &s->type));
    }
    for (int i = 0; i < count; i++)
        shape_add_block(s, of, i * step, length);
}

static void shape_blocks(shape *s, cell of, uint64_t *random)
{
    enum { MOST = 6 };
    int count = 1 + test_below(random, MOST), lengths[MOST], places[MOST], length = 1 + test_below(random, 4);
    int is_bytes = s->kind == SHAPE_HINDEXED || s->kind == SHAPE_HINDEXED_BLOCK || s->kind == SHAPE_STRUCT;
    int is_even = s->kind == SHAPE_INDEXED_BLOCK || s->kind == SHAPE_HINDEXED_BLOCK;
    int unit = is_bytes ? (int)of.bytes : 1, at = test_below(random, 4);
    MPI_Aint addresses[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < count; i++) {
        lengths[i] = is_even ? length : 1 + test_below(random, 4);
        places[i] = at;
        at += lengths[i] * unit + test_below(random, 6);
    }
    if (s->kind == SHAPE_BACKWARDS)
        for (int i = 0; i < count / 2; i++) {
            int place = places[i], size = lengths[i];
            places[i] = places[count - 1 - i], lengths[i] = lengths[count - 1 - i];
            places[count - 1 - i] = place, lengths[count - 1 - i] = size;
        }
    for (int i = 0; i < count; i++) {
        addresses[i] = places[i];
        types[i] = of.type;
        shape_add_block(s, of, is_bytes ? places[i] : places[i] * (MPI_Aint)of.bytes, lengths[i]);
    }
    if (s->kind == SHAPE_HINDEXED)
        CHECK_OK(MPI_Type_create_hindexed(count, lengths, addresses, of.type, &s->type));
    else if (s->kind == SHAPE_INDEXED_BLOCK)
        CHECK_OK(MPI_Type_create_indexed_block(count, length, places, of.type, &s->type));
    else if (s->kind == SHAPE_HINDEXED_BLOCK)
        CHECK_OK(MPI_Type_create_hindexed_block(count, length, addresses, of.type, &s->type));
    else if (s->kind == SHAPE_STRUCT)
        CHECK_OK(MPI_Type_create_struct(count, lengths, addresses, types, &s->type));
    else
        CHECK_OK(MPI_Type_indexed(count, lengths, places, of.type, &s->type));
}

/* ---- shapes of arrays -------------------------------------------------------------------------------------------- */

enum { DIMENSIONS = 4 };

/* An array of up to four dimensions, of which some places belong to the shape. */
typedef struct array {
    int dimensions, is_fortran;
    int sizes[DIMENSIONS], subsizes[DIMENSIONS], starts[DIMENSIONS];
    /* Of darrays: the share of dimension i has blocks of dealt[i], and this process the place coordinates[i]. */
    int dealt[DIMENSIONS], grid[DIMENSIONS], coordinates[DIMENSIONS];
} array;

static int array_has(const array *a, const int *index)
{
    for (int i = 0; i < a->dimensions; i++)
        if (a->grid[i] ? index[i] / a->dealt[i] % a->grid[i] != a->coordinates[i]
                       : index[i] < a->starts[i] || index[i] >= a->starts[i] + a->subsizes[i])
            return 0;
    return 1;
}

/* All places of the array in the order of memory, and those that belong to the shape. */
static void array_cells(const array *a, shape *s, cell of)
{
    int all = 1, index[DIMENSIONS];
    for (int i = 0; i < a->dimensions; i++)
        all *= a->sizes[i];
    for (int place = 0; place < all; place++) {
        int rest = place;
        for (int i = 0; i < a->dimensions; i++) {
            int d = a->is_fortran ? i : a->dimensions - 1 - i;
            index[d] = rest % a->sizes[d];
            rest /= a->sizes[d];
        }
        if (array_has(a, index))
            shape_add(s, place * (MPI_Aint)of.bytes);
    }
    s->extent = all * (MPI_Aint)of.bytes;
}

static void shape_subarray(shape *s, cell of, uint64_t *random)
{
    array a = {.dimensions = 1 + (int)s->kind - SHAPE_LINE, .is_fortran = test_below(random, 2)};
    for (int i = 0; i < a.dimensions; i++) {
        a.sizes[i] = 1 + test_below(random, a.dimensions > 2 ? 4 : 8);
        a.subsizes[i] = 1 + test_below(random, a.sizes[i] < 3 ? a.sizes[i] : 3);
        a.starts[i] = test_below(random, a.sizes[i] - a.subsizes[i] + 1);
    }
    CHECK_OK(MPI_Type_create_subarray(a.dimensions, a.sizes, a.subsizes, a.starts,
                                      a.is_fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, of.type, &s->type));
    array_cells(&a, s, of);
}

static void shape_darray(shape *s, cell of, uint64_t *random)
{
    array a = {.dimensions = 1 + test_below(random, 2), .is_fortran = test_below(random, 2)};
    int shares[DIMENSIONS], dealt[DIMENSIONS], processes = 1, rank = 0;
    for (int i = 0; i < a.dimensions; i++) {
        int is_block = s->kind == SHAPE_DARRAY_BLOCK, is_default = test_below(random, 2);
        a.grid[i] = 1 + test_below(random, 3);
        a.coordinates[i] = test_below(random, a.grid[i]);
        a.dealt[i] = 1 + test_below(random, 2);
        /* Nobody is left without a place; the last block may be short. */
        a.sizes[i] = a.dealt[i] * (a.grid[i] - 1) + 1 + test_below(random, is_block ? a.dealt[i] : 5);
        if (is_default)
            a.dealt[i] = is_block ? (a.sizes[i] + a.grid[i] - 1) / a.grid[i] : 1;
        if (a.coordinates[i] * a.dealt[i] >= a.sizes[i])
            a.coordinates[i] = 0;
        shares[i] = is_block ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
        dealt[i] = is_default ? MPI_DISTRIBUTE_DFLT_DARG : a.dealt[i];
        rank = rank * a.grid[i] + a.coordinates[i];
        processes *= a.grid[i];
    }
    CHECK_OK(MPI_Type_create_darray(processes, rank, a.dimensions, a.sizes, shares, dealt, a.grid,
                                    a.is_fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, of.type, &s->type));
    array_cells(&a, s, of);
}

/* ---- shapes of shapes -------------------------------------------------------------------------------------------- */

/* Holes before and behind, by marks. */
static void shape_holes(shape *s, cell of, uint64_t *random)
{
    MPI_Datatype inner;
    MPI_Aint before = test_below(random, 20);
    int length = 1 + test_below(random, 5);
    CHECK_OK(MPI_Type_create_hindexed(1, &length, &before, of.type, &inner));
    s->extent = before + length * (MPI_Aint)of.bytes + test_below(random, 20);
    CHECK_OK(MPI_Type_create_resized(inner, 0, s->extent, &s->type));
    CHECK_OK(MPI_Type_free(&inner));
    shape_add_block(s, of, before, length);
}

/* A vector or list of any simple shape. */
static void shape_nested(shape *s, cell of, uint64_t *random)
{
    layout inner;
    int count = 1 + test_below(random, 3);
    do {
        layout_make(&inner, (shape_kind)test_below(random, SHAPE_NESTED), of, random);
        if (inner.shape.cells * count <= SHAPE_CELLS_MAX)
            break;
        layout_free(&inner);
    } while (1);
    MPI_Aint step =
        (inner.shape.extent > inner.shape.end ? inner.shape.extent : inner.shape.end) + test_below(random, 9);
    CHECK_OK(MPI_Type_create_hvector(count, 1, step, inner.shape.type, &s->type));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < inner.shape.cells; k++)
            shape_add(s, i * step + inner.shape.at[k]);
    s->extent = 0;
    layout_free(&inner);
}

/* The extent is MPI's to say where no marks or arrays have set it; that it is right is tested elsewhere. */
static void shape_finish(shape *s)
{
    MPI_Aint lb, extent;
    CHECK_OK(MPI_Type_get_extent(s->type, &lb, &extent));
    if (s->extent)
        CHECK_EQUAL(s->extent, extent);
    /* Elements do not begin before their place. */
    if (lb != 0 || !s->extent) {
        MPI_Datatype inner = s->type;
        s->extent = lb + extent;
        CHECK_OK(MPI_Type_create_resized(inner, 0, s->extent, &s->type));
        CHECK_OK(MPI_Type_free(&inner));
    }
}

void layout_make(layout *l, shape_kind kind, cell of, uint64_t *random)
{
    shape *s = &l->shape;
    *l = (layout){.of = of, .shape = {.kind = kind}};
    int length = kind == SHAPE_ONE ? 1 : 1 + test_below(random, 8);
    switch (kind) {
    case SHAPE_ONE:
    case SHAPE_CONTIGUOUS:
        CHECK_OK(MPI_Type_contiguous(length, of.type, &s->type));
        shape_add_block(s, of, 0, length);
        break;
    case SHAPE_VECTOR:
    case SHAPE_HVECTOR:
        shape_vector(s, of, random);
        break;
    case SHAPE_LINE:
    case SHAPE_AREA:
    case SHAPE_SPACE:
    case SHAPE_HYPERSPACE:
        shape_subarray(s, of, random);
        break;
    case SHAPE_DARRAY_BLOCK:
    case SHAPE_DARRAY_CYCLIC:
        shape_darray(s, of, random);
        break;
    case SHAPE_HOLES:
        shape_holes(s, of, random);
        break;
    case SHAPE_NESTED:
        shape_nested(s, of, random);
        break;
    default:
        shape_blocks(s, of, random);
    }
    shape_finish(s);
    for (int i = 0; i < s->cells; i++)
        if (s->at[i] + (MPI_Aint)of.bytes > s->end)
            s->end = s->at[i] + (MPI_Aint)of.bytes;
    CHECK_OK(MPI_Type_commit(&s->type));
}

void layout_spread(layout *l, MPI_Aint extent)
{
    MPI_Datatype inner = l->shape.type;
    CHECK(extent >= l->shape.end);
    CHECK_OK(MPI_Type_create_resized(inner, 0, extent, &l->shape.type));
    CHECK_OK(MPI_Type_free(&inner));
    CHECK_OK(MPI_Type_commit(&l->shape.type));
    l->shape.extent = extent;
}

void layout_free(layout *l)
{
    CHECK_OK(MPI_Type_free(&l->shape.type));
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

size_t layout_bytes(const layout *l)
{
    return (size_t)l->shape.cells * l->of.bytes;
}

MPI_Offset layout_at(const layout *l, uint64_t position)
{
    uint64_t element = position / layout_bytes(l), within = position % layout_bytes(l) / l->of.bytes;
    return l->displacement + (MPI_Offset)element * l->shape.extent + l->shape.at[within] +
           (MPI_Offset)(position % l->of.bytes);
}

size_t layout_reach(const layout *l, size_t count)
{
    return count ? (count - 1) * (size_t)l->shape.extent + (size_t)l->shape.end : 0;
}

void layout_pack(const layout *l, const unsigned char *memory, size_t bytes, unsigned char *stream)
{
    for (size_t i = 0; i < bytes; i += l->of.bytes)
        memcpy(stream + i, memory + layout_at(l, i), bytes - i < l->of.bytes ? bytes - i : l->of.bytes);
}

void layout_unpack(const layout *l, unsigned char *memory, size_t bytes, const unsigned char *stream)
{
    for (size_t i = 0; i < bytes; i += l->of.bytes)
        memcpy(memory + layout_at(l, i), stream + i, bytes - i < l->of.bytes ? bytes - i : l->of.bytes);
}
