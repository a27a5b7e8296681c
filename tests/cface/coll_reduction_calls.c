/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: with a predefined operator, and with one of the program's that keeps the order. */
#include "coll_calls.h"

typedef struct reduction {
    coll_try *t;
    MPI_Op op;
    int is_last; /* the operator takes the later of two values; else it adds */
} reduction;

static void take_later(void *in, void *inout, int *length, MPI_Datatype *type)
{
    CHECK(*length >= 0 && *type == MPI_INT);
    (void)in;
    (void)inout;
}

/* What the i-th numbers of ranks 0 .. count - 1 make. */
static int combined(const reduction *r, int side, int count, int i)
{
    int sum = 0;
    if (r->is_last)
        return coll_value(side, count - 1, 0, i);
    for (int rank = 0; rank < count; rank++)
        sum += coll_value(side, rank, 0, i);
    return sum;
}

static int has_combined(const reduction *r, int side, int ranks, int first, int count)
{
    for (int i = 0; i < count; i++)
        if (r->t->recv[i] != combined(r, side, ranks, first + i))
            return 0;
    return 1;
}

static void fill(coll_try *t, int is_in_place, int count)
{
    coll_clear(t);
    coll_put(t, is_in_place ? t->recv : t->send, 0, t->side, t->rank, 0, count);
}

/* ---- to one, to all --------------------------------------------------------------------------------------------- */

static void try_reduce(const reduction *r, int root)
{
    coll_try *t = r->t;
    int is_root = coll_is_root(t, root), argument = coll_root_argument(t, root);
    int is_in_place = is_root && t->is_in_place, is_idle = t->is_inter && t->side == 0 && !is_root;
    const void *send = is_in_place ? MPI_IN_PLACE : coll_is_partner(t) ? t->send : NULL;
    void *recv = is_root ? t->recv : NULL;
    MPI_Op op = is_idle ? MPI_OP_NULL : r->op;
    COLL_TRY(t, fill(t, is_in_place, COLL_COUNT), Reduce, Ireduce,
             (send, recv, COLL_COUNT, MPI_INT, op, argument, t->comm),
             (send, recv, COLL_COUNT, MPI_INT, op, argument, t->comm),
             CHECK(is_root ? has_combined(r, coll_other(t), t->remote, 0, COLL_COUNT)
                           : coll_is_clear(t, t->recv, 0, COLL_COUNT)));
}

static void try_allreduce(const reduction *r)
{
    coll_try *t = r->t;
    const void *send = t->is_in_place ? MPI_IN_PLACE : t->send;
    COLL_TRY(t, fill(t, t->is_in_place, COLL_COUNT), Allreduce, Iallreduce,
             (send, t->recv, COLL_COUNT, MPI_INT, r->op, t->comm),
             (send, t->recv, COLL_COUNT, MPI_INT, r->op, t->comm),
             CHECK(has_combined(r, coll_other(t), t->remote, 0, COLL_COUNT)));
}

/* ---- in blocks -------------------------------------------------------------------------------------------------- */

static void try_reduce_scatter_block(const reduction *r)
{
    coll_try *t = r->t;
    const void *send = t->is_in_place ? MPI_IN_PLACE : t->send;
    /* Both sides of an intercommunicator have as many numbers. */
    int count = t->is_inter ? COLL_COUNT * t->remote : COLL_COUNT;
    COLL_TRY(t, fill(t, t->is_in_place, count * t->size), Reduce_scatter_block, Ireduce_scatter_block,
             (send, t->recv, count, MPI_INT, r->op, t->comm), (send, t->recv, count, MPI_INT, r->op, t->comm),
             CHECK(has_combined(r, coll_other(t), t->remote, t->rank * count, count)));
}

static void try_reduce_scatter(const reduction *r)
{
    coll_try *t = r->t;
    const void *send = t->is_in_place ? MPI_IN_PLACE : t->send;
    int counts[COLL_RANKS], all = COLL_COUNT * t->size * t->remote, first = 0;
    MPI_Count large_counts[COLL_RANKS];
    /* Most for the first, one for those between, nothing for the last. */
    for (int i = 0; i < t->size; i++)
        large_counts[i] = counts[i] = i == 0 ? all - (t->size > 2 ? t->size - 2 : 0) : i < t->size - 1;
    for (int i = 0; i < t->rank; i++)
        first += counts[i];
    COLL_TRY(t, fill(t, t->is_in_place, all), Reduce_scatter, Ireduce_scatter,
             (send, t->recv, counts, MPI_INT, r->op, t->comm), (send, t->recv, large_counts, MPI_INT, r->op, t->comm),
             CHECK(has_combined(r, coll_other(t), t->remote, first, counts[t->rank])));
}

/* ---- scans ------------------------------------------------------------------------------------------------------ */

static void try_scans(const reduction *r)
{
    coll_try *t = r->t;
    const void *send = t->is_in_place ? MPI_IN_PLACE : t->send;
    void *recv = t->rank == 0 && !t->is_in_place ? NULL : t->recv;
    COLL_TRY(t, fill(t, t->is_in_place, COLL_COUNT), Scan, Iscan, (send, t->recv, COLL_COUNT, MPI_INT, r->op, t->comm),
             (send, t->recv, COLL_COUNT, MPI_INT, r->op, t->comm),
             CHECK(has_combined(r, 0, t->rank + 1, 0, COLL_COUNT)));
    COLL_TRY(t, fill(t, t->is_in_place, COLL_COUNT), Exscan, Iexscan,
             (send, recv, COLL_COUNT, MPI_INT, r->op, t->comm), (send, recv, COLL_COUNT, MPI_INT, r->op, t->comm),
             CHECK(t->rank > 0 ? has_combined(r, 0, t->rank, 0, COLL_COUNT)
                   : recv      ? coll_has(t, t->recv, 0, 0, 0, 0, COLL_COUNT)
                               : coll_is_clear(t, t->recv, 0, COLL_COUNT)));
}

static void try_operator(const reduction *r)
{
    for (int root = 0; root < coll_root_count(r->t); root++)
        try_reduce(r, root);
    try_allreduce(r);
    try_reduce_scatter_block(r);
    try_reduce_scatter(r);
    if (!r->t->is_inter)
        try_scans(r);
}

void coll_try_reductions(coll_try *t)
{
    MPI_Op later = MPI_OP_NULL;
    CHECK_OK(MPI_Op_create(take_later, 0, &later));
    try_operator(&(reduction){t, MPI_SUM, 0});
    try_operator(&(reduction){t, later, 1});
    CHECK_OK(MPI_Op_free(&later));
}
