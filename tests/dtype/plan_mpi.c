/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_mpi.h"

#include "check.h"

/* ---- the constructors of MPI-1 to MPI-3 ------------------------------------------------------------------------- */

static void to_ints(const size_t *values, size_t count, int *ints)
{
    for (size_t i = 0; i < count; i++)
        ints[i] = (int)values[i];
}

static int share_number(plan_share share)
{
    return share == PLAN_SHARE_NONE    ? MPI_DISTRIBUTE_NONE
           : share == PLAN_SHARE_BLOCK ? MPI_DISTRIBUTE_BLOCK
                                       : MPI_DISTRIBUTE_CYCLIC;
}

/* The ints of a distributed array that both forms have. */
typedef struct deal {
    int distribs[PLAN_DIMENSIONS_MAX], dargs[PLAN_DIMENSIONS_MAX], psizes[PLAN_DIMENSIONS_MAX], processes;
} deal;

static deal deal_of(const plan *p)
{
    deal d = {.processes = 1};
    for (size_t i = 0; i < p->count; i++) {
        d.distribs[i] = share_number(p->shares[i]);
        d.dargs[i] = p->dealt[i] ? (int)p->dealt[i] : MPI_DISTRIBUTE_DFLT_DARG;
        d.psizes[i] = (int)p->grid[i];
        d.processes *= d.psizes[i];
    }
    return d;
}

static int array_type(const plan *p, MPI_Datatype base, MPI_Datatype *type)
{
    int sizes[PLAN_DIMENSIONS_MAX], subsizes[PLAN_DIMENSIONS_MAX], starts[PLAN_DIMENSIONS_MAX];
    int order = p->is_fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    to_ints(p->sizes, p->count, sizes);
    to_ints(p->subsizes, p->count, subsizes);
    to_ints(p->starts, p->count, starts);
    if (p->kind == PLAN_SUBARRAY)
        return MPI_Type_create_subarray((int)p->count, sizes, subsizes, starts, order, base, type);
    deal d = deal_of(p);
    return MPI_Type_create_darray(d.processes, (int)p->place, (int)p->count, sizes, d.distribs, d.dargs, d.psizes,
                                  order, base, type);
}

static int derived_type(const plan *p, const MPI_Datatype *bases, MPI_Datatype *type)
{
    int lengths[PLAN_BLOCKS_MAX], displacements[PLAN_BLOCKS_MAX], count = (int)p->count, length = (int)p->length;
    MPI_Aint addresses[PLAN_BLOCKS_MAX];
    for (size_t i = 0; i < PLAN_BLOCKS_MAX; i++) {
        lengths[i] = (int)p->lengths[i];
        displacements[i] = (int)p->displacements[i];
        addresses[i] = p->displacements[i];
    }
    switch (p->kind) {
    case PLAN_CONTIGUOUS:
        return MPI_Type_contiguous(count, *bases, type);
    case PLAN_VECTOR:
        return MPI_Type_vector(count, length, (int)p->stride, *bases, type);
    case PLAN_HVECTOR:
        return MPI_Type_create_hvector(count, length, p->stride, *bases, type);
    case PLAN_INDEXED:
        return MPI_Type_indexed(count, lengths, displacements, *bases, type);
    case PLAN_HINDEXED:
        return MPI_Type_create_hindexed(count, lengths, addresses, *bases, type);
    case PLAN_INDEXED_BLOCK:
        return MPI_Type_create_indexed_block(count, length, displacements, *bases, type);
    case PLAN_HINDEXED_BLOCK:
        return MPI_Type_create_hindexed_block(count, length, addresses, *bases, type);
    case PLAN_STRUCT:
        return MPI_Type_create_struct(count, lengths, addresses, bases, type);
    case PLAN_RESIZED:
        return MPI_Type_create_resized(*bases, p->lb, p->extent, type);
    case PLAN_DUP:
        return MPI_Type_dup(*bases, type);
    default:
        return array_type(p, *bases, type);
    }
}

/* ---- the same with large counts --------------------------------------------------------------------------------- */

static int array_type_large(const plan *p, MPI_Datatype base, MPI_Datatype *type)
{
    MPI_Count sizes[PLAN_DIMENSIONS_MAX], subsizes[PLAN_DIMENSIONS_MAX], starts[PLAN_DIMENSIONS_MAX];
    int order = p->is_fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    for (size_t i = 0; i < p->count; i++) {
        sizes[i] = (MPI_Count)p->sizes[i];
        subsizes[i] = (MPI_Count)p->subsizes[i];
        starts[i] = (MPI_Count)p->starts[i];
    }
    if (p->kind == PLAN_SUBARRAY)
        return MPI_Type_create_subarray_c((int)p->count, sizes, subsizes, starts, order, base, type);
    deal d = deal_of(p);
    return MPI_Type_create_darray_c(d.processes, (int)p->place, (int)p->count, sizes, d.distribs, d.dargs, d.psizes,
                                    order, base, type);
}

static int derived_type_large(const plan *p, const MPI_Datatype *bases, MPI_Datatype *type)
{
    MPI_Count lengths[PLAN_BLOCKS_MAX], displacements[PLAN_BLOCKS_MAX];
    MPI_Count count = (MPI_Count)p->count, length = (MPI_Count)p->length;
    for (size_t i = 0; i < PLAN_BLOCKS_MAX; i++) {
        lengths[i] = (MPI_Count)p->lengths[i];
        displacements[i] = p->displacements[i];
    }
    switch (p->kind) {
    case PLAN_CONTIGUOUS:
        return MPI_Type_contiguous_c(count, *bases, type);
    case PLAN_VECTOR:
        return MPI_Type_vector_c(count, length, p->stride, *bases, type);
    case PLAN_HVECTOR:
        return MPI_Type_create_hvector_c(count, length, p->stride, *bases, type);
    case PLAN_INDEXED:
        return MPI_Type_indexed_c(count, lengths, displacements, *bases, type);
    case PLAN_HINDEXED:
        return MPI_Type_create_hindexed_c(count, lengths, displacements, *bases, type);
    case PLAN_INDEXED_BLOCK:
        return MPI_Type_create_indexed_block_c(count, length, displacements, *bases, type);
    case PLAN_HINDEXED_BLOCK:
        return MPI_Type_create_hindexed_block_c(count, length, displacements, *bases, type);
    case PLAN_STRUCT:
        return MPI_Type_create_struct_c(count, lengths, displacements, bases, type);
    case PLAN_RESIZED:
        return MPI_Type_create_resized_c(*bases, p->lb, p->extent, type);
    case PLAN_DUP:
        return MPI_Type_dup(*bases, type);
    default:
        return array_type_large(p, *bases, type);
    }
}

MPI_Datatype plan_type(const plan *p, int is_large)
{
    MPI_Datatype bases[PLAN_BLOCKS_MAX] = {0}, type = MPI_DATATYPE_NULL;
    if (p->kind == PLAN_PREDEFINED)
        return MPI_Type_fromint((int)p->basic->number);
    size_t count = p->kind == PLAN_STRUCT ? p->count : 1;
    for (size_t i = 0; i < count; i++)
        bases[i] = plan_type(p->bases[i], is_large);
    CHECK((is_large ? derived_type_large : derived_type)(p, bases, &type) == MPI_SUCCESS);
    /* The new type lives on without these handles. */
    for (size_t i = 0; i < count; i++)
        plan_type_free(&bases[i]);
    return type;
}

void plan_type_free(MPI_Datatype *type)
{
    if (MPI_Type_toint(*type) < 0x200 || MPI_Type_toint(*type) > 0x2ff)
        CHECK_OK(MPI_Type_free(type));
}

/* ---- from the contents ------------------------------------------------------------------------------------------ */

enum { CONTENTS_MAX = 64 };

typedef struct contents {
    MPI_Count integer_count, address_count, large_count, type_count;
    int combiner;
    int integers[CONTENTS_MAX];
    MPI_Aint addresses[CONTENTS_MAX];
    MPI_Count larges[CONTENTS_MAX];
    MPI_Datatype types[CONTENTS_MAX];
} contents;

/* Arguments one after the other: `n` of a kind, from ints or large counts. */
typedef struct reader {
    const contents *c;
    int next_integer, next_large;
} reader;

static MPI_Count read_count(reader *r)
{
    return r->c->large_count > 0 ? r->c->larges[r->next_large++] : r->c->integers[r->next_integer++];
}

static void read_counts(reader *r, MPI_Count *counts, int n)
{
    for (int i = 0; i < n; i++)
        counts[i] = read_count(r);
}

static void read_ints(reader *r, int *ints, int n)
{
    for (int i = 0; i < n; i++)
        ints[i] = r->c->integers[r->next_integer++];
}

/* Byte displacements come from addresses, or go on among the large counts. */
static void read_addresses(reader *r, MPI_Count *counts, int n)
{
    for (int i = 0; i < n; i++)
        counts[i] = r->c->large_count > 0 ? r->c->larges[r->next_large++] : r->c->addresses[i];
}

static int array_again(reader *r, MPI_Datatype base, MPI_Datatype *type)
{
    MPI_Count sizes[PLAN_DIMENSIONS_MAX], subsizes[PLAN_DIMENSIONS_MAX], starts[PLAN_DIMENSIONS_MAX];
    int first[3], deals[3 * PLAN_DIMENSIONS_MAX], dimensions, order;
    if (r->c->combiner == MPI_COMBINER_SUBARRAY) {
        read_ints(r, &dimensions, 1);
        read_counts(r, sizes, dimensions);
        read_counts(r, subsizes, dimensions);
        read_counts(r, starts, dimensions);
        read_ints(r, &order, 1);
        return MPI_Type_create_subarray_c(dimensions, sizes, subsizes, starts, order, base, type);
    }
    read_ints(r, first, 3);
    dimensions = first[2];
    read_counts(r, sizes, dimensions);
    read_ints(r, deals, 3 * dimensions);
    read_ints(r, &order, 1);
    return MPI_Type_create_darray_c(first[0], first[1], dimensions, sizes, deals, deals + dimensions,
                                    deals + 2 * dimensions, order, base, type);
}

static int indexed_again(reader *r, MPI_Datatype base, MPI_Datatype *type)
{
    int combiner = r->c->combiner;
    int is_bytes = combiner == MPI_COMBINER_HINDEXED || combiner == MPI_COMBINER_HINDEXED_BLOCK ||
                   combiner == MPI_COMBINER_STRUCT;
    int is_block = combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
    MPI_Count count = read_count(r), lengths[CONTENTS_MAX], displacements[CONTENTS_MAX];
    read_counts(r, lengths, is_block ? 1 : (int)count);
    (is_bytes ? read_addresses : read_counts)(r, displacements, (int)count);
    switch (combiner) {
    case MPI_COMBINER_INDEXED:
        return MPI_Type_indexed_c(count, lengths, displacements, base, type);
    case MPI_COMBINER_HINDEXED:
        return MPI_Type_create_hindexed_c(count, lengths, displacements, base, type);
    case MPI_COMBINER_INDEXED_BLOCK:
        return MPI_Type_create_indexed_block_c(count, lengths[0], displacements, base, type);
    case MPI_COMBINER_HINDEXED_BLOCK:
        return MPI_Type_create_hindexed_block_c(count, lengths[0], displacements, base, type);
    default:
        return MPI_Type_create_struct_c(count, lengths, displacements, r->c->types, type);
    }
}

static int contents_again(const contents *c, MPI_Datatype *type)
{
    reader r = {.c = c};
    MPI_Datatype base = c->types[0];
    MPI_Count counts[2], bytes[2];
    switch (c->combiner) {
    case MPI_COMBINER_DUP:
        return MPI_Type_dup(base, type);
    case MPI_COMBINER_CONTIGUOUS:
        return MPI_Type_contiguous_c(read_count(&r), base, type);
    case MPI_COMBINER_VECTOR:
        read_counts(&r, counts, 2);
        return MPI_Type_vector_c(counts[0], counts[1], read_count(&r), base, type);
    case MPI_COMBINER_HVECTOR:
        read_counts(&r, counts, 2);
        read_addresses(&r, bytes, 1);
        return MPI_Type_create_hvector_c(counts[0], counts[1], bytes[0], base, type);
    case MPI_COMBINER_RESIZED:
        read_addresses(&r, bytes, 2);
        return MPI_Type_create_resized_c(base, bytes[0], bytes[1], type);
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        return array_again(&r, base, type);
    default:
        return indexed_again(&r, base, type);
    }
}

MPI_Datatype plan_type_again(MPI_Datatype type)
{
    contents c = {0};
    MPI_Datatype again = MPI_DATATYPE_NULL;
    CHECK_OK(
        MPI_Type_get_envelope_c(type, &c.integer_count, &c.address_count, &c.large_count, &c.type_count, &c.combiner));
    if (c.combiner == MPI_COMBINER_NAMED)
        return type;
    CHECK_OK(MPI_Type_get_contents_c(type, c.integer_count, c.address_count, c.large_count, c.type_count, c.integers,
                                     c.addresses, c.larges, c.types));
    for (MPI_Count i = 0; i < c.type_count; i++) {
        MPI_Datatype inner = c.types[i];
        c.types[i] = plan_type_again(inner);
        if (c.types[i] != inner)
            plan_type_free(&inner);
    }
    CHECK_OK(contents_again(&c, &again));
    for (MPI_Count i = 0; i < c.type_count; i++)
        plan_type_free(&c.types[i]);
    return again;
}
