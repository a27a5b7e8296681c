/* SPDX-License-Identifier: Apache-2.0 */
/* Allgather and alltoall, with their v and w forms. */
#include "coll_calls.h"

/* ---- allgather -------------------------------------------------------------------------------------------------- */

static int own_count(int rank)
{
    return (rank + 2) % (COLL_COUNT + 1);
}

static int own_place(int ranks, int rank)
{
    return (ranks - 1 - rank) * (COLL_COUNT + 2);
}

static void fill_allgather(coll_try *t, int is_v)
{
    int count = is_v ? own_count(t->rank) : COLL_COUNT;
    coll_clear(t);
    if (t->is_in_place)
        coll_put(t, t->recv, is_v ? own_place(t->size, t->rank) : t->rank * count, t->side, t->rank, 0, count);
    else
        coll_put(t, t->send, 0, t->side, t->rank, 0, count);
}

static void check_allgather(coll_try *t, int is_v)
{
    for (int i = 0; i < t->remote; i++) {
        int count = is_v ? own_count(i) : COLL_COUNT, first = is_v ? own_place(t->remote, i) : i * count;
        CHECK(coll_has(t, t->recv, first, coll_other(t), i, 0, count));
        if (is_v)
            CHECK(coll_is_clear(t, t->recv, first + count, COLL_COUNT + 2 - count));
    }
}

static void try_allgather(coll_try *t)
{
    const void *send = t->is_in_place ? MPI_IN_PLACE : t->send;
    MPI_Datatype sent = t->is_in_place ? MPI_DATATYPE_NULL : t->type;
    int counts[COLL_RANKS], places[COLL_RANKS];
    MPI_Count large_counts[COLL_RANKS];
    MPI_Aint large_places[COLL_RANKS];
    COLL_TRY(t, fill_allgather(t, 0), Allgather, Iallgather,
             (send, COLL_COUNT, sent, t->recv, COLL_COUNT, t->type, t->comm),
             (send, COLL_COUNT, sent, t->recv, COLL_COUNT, t->type, t->comm), check_allgather(t, 0));
    for (int i = 0; i < t->remote; i++) {
        large_counts[i] = counts[i] = own_count(i);
        large_places[i] = places[i] = own_place(t->remote, i);
    }
    COLL_TRY(t, fill_allgather(t, 1), Allgatherv, Iallgatherv,
             (send, own_count(t->rank), sent, t->recv, counts, places, t->type, t->comm),
             (send, own_count(t->rank), sent, t->recv, large_counts, large_places, t->type, t->comm),
             check_allgather(t, 1));
}

/* ---- alltoall --------------------------------------------------------------------------------------------------- */

typedef enum block_shape { EVEN, BLOCKS, TYPED } block_shape;

/* In place both directions have the same length. */
static int pair_count(const coll_try *t, int from, int to)
{
    return t->is_in_place ? (from + to) % (COLL_COUNT + 1) : (from + 2 * to) % (COLL_COUNT + 1);
}

static int pair_place(int i, block_shape shape)
{
    return i * (shape == EVEN ? COLL_COUNT : COLL_COUNT + 1);
}

static void fill_alltoall(coll_try *t, block_shape shape)
{
    int *buffer = t->is_in_place ? t->recv : t->send;
    coll_clear(t);
    for (int i = 0; i < t->remote; i++)
        coll_put(t, buffer, pair_place(i, shape), t->side, t->rank, i,
                 shape == EVEN ? COLL_COUNT : pair_count(t, t->rank, i));
}

static void check_alltoall(coll_try *t, block_shape shape)
{
    for (int i = 0; i < t->remote; i++) {
        int count = shape == EVEN ? COLL_COUNT : pair_count(t, i, t->rank), first = pair_place(i, shape);
        CHECK(coll_has(t, t->recv, first, coll_other(t), i, t->rank, count));
        if (shape != EVEN && !t->is_in_place)
            CHECK(coll_is_clear(t, t->recv, first + count, COLL_COUNT + 1 - count));
    }
}

/* What v and w forms pass; places count elements, or bytes. */
typedef struct pairs {
    int out[COLL_RANKS], in[COLL_RANKS], places[COLL_RANKS], offsets[COLL_RANKS];
    MPI_Count large_out[COLL_RANKS], large_in[COLL_RANKS];
    MPI_Aint large_places[COLL_RANKS], large_offsets[COLL_RANKS];
    MPI_Datatype types[COLL_RANKS];
} pairs;

static void pairs_describe(const coll_try *t, pairs *p)
{
    for (int i = 0; i < t->remote; i++) {
        p->large_out[i] = p->out[i] = pair_count(t, t->rank, i);
        p->large_in[i] = p->in[i] = pair_count(t, i, t->rank);
        p->large_places[i] = p->places[i] = pair_place(i, BLOCKS);
        p->large_offsets[i] = p->offsets[i] = p->places[i] * t->stride * (int)sizeof(int);
        /* The datatype of an empty buffer is not checked. */
        p->types[i] = p->out[i] || p->in[i] ? t->type : MPI_DATATYPE_NULL;
    }
}

static void try_alltoall(coll_try *t)
{
    const void *send = t->is_in_place ? MPI_IN_PLACE : t->send;
    MPI_Datatype sent = t->is_in_place ? MPI_DATATYPE_NULL : t->type;
    pairs p;
    pairs_describe(t, &p);
    const int *out = t->is_in_place ? NULL : p.out;
    const MPI_Count *large_out = t->is_in_place ? NULL : p.large_out;
    COLL_TRY(t, fill_alltoall(t, EVEN), Alltoall, Ialltoall,
             (send, COLL_COUNT, sent, t->recv, COLL_COUNT, t->type, t->comm),
             (send, COLL_COUNT, sent, t->recv, COLL_COUNT, t->type, t->comm), check_alltoall(t, EVEN));
    COLL_TRY(t, fill_alltoall(t, BLOCKS), Alltoallv, Ialltoallv,
             (send, out, p.places, sent, t->recv, p.in, p.places, t->type, t->comm),
             (send, large_out, p.large_places, sent, t->recv, p.large_in, p.large_places, t->type, t->comm),
             check_alltoall(t, BLOCKS));
    COLL_TRY(t, fill_alltoall(t, TYPED), Alltoallw, Ialltoallw,
             (send, out, p.offsets, p.types, t->recv, p.in, p.offsets, p.types, t->comm),
             (send, large_out, p.large_offsets, p.types, t->recv, p.large_in, p.large_offsets, p.types, t->comm),
             check_alltoall(t, TYPED));
}

void coll_try_all(coll_try *t)
{
    try_allgather(t);
    try_alltoall(t);
}
