/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier, and the operations with a root that carry data. */
#include "coll_calls.h"

static void try_barrier(coll_try *t)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (t->form == 0) {
        CHECK_OK(MPI_Barrier(t->comm));
    } else if (t->form == 2) {
        CHECK_OK(MPI_Ibarrier(t->comm, &request));
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
    } else if (t->form == 4) {
        CHECK_OK(MPI_Barrier_init(t->comm, MPI_INFO_NULL, &request));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(MPI_Start(&request));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK_OK(MPI_Request_free(&request));
    }
}

static void fill_bcast(coll_try *t, int root)
{
    coll_clear(t);
    if (coll_is_root(t, root))
        coll_put(t, t->recv, 0, 0, root, 0, COLL_COUNT);
}

static void try_bcast(coll_try *t, int root)
{
    int is_idle = t->is_inter && t->side == 0 && t->rank != root, argument = coll_root_argument(t, root);
    /* What is not significant may be anything. */
    void *buffer = is_idle ? NULL : t->recv;
    MPI_Datatype type = is_idle ? MPI_DATATYPE_NULL : t->type;
    int count = is_idle ? -7 : COLL_COUNT;
    COLL_TRY(
        t, fill_bcast(t, root), Bcast, Ibcast, (buffer, count, type, argument, t->comm),
        (buffer, count, type, argument, t->comm),
        CHECK(is_idle ? coll_is_clear(t, t->recv, 0, COLL_COUNT) : coll_has(t, t->recv, 0, 0, root, 0, COLL_COUNT)));
}

/* ---- gather ----------------------------------------------------------------------------------------------------- */

/* Where block i is, and how long, in v forms: in reverse order and with gaps. */
static int block_place(int blocks, int i)
{
    return (blocks - 1 - i) * (COLL_COUNT + 1);
}

static int block_count(int i)
{
    return (i + 1) % (COLL_COUNT + 1);
}

static void fill_gather(coll_try *t, int root, int is_v)
{
    int count = is_v ? block_count(t->rank) : COLL_COUNT;
    coll_clear(t);
    if (t->is_in_place && coll_is_root(t, root))
        coll_put(t, t->recv, is_v ? block_place(t->remote, root) : root * count, 0, root, root, count);
    else
        coll_put(t, t->send, 0, t->side, t->rank, root, count);
}

static void check_gather(coll_try *t, int root, int is_v)
{
    for (int i = 0; i < t->remote; i++) {
        int first = is_v ? block_place(t->remote, i) : i * COLL_COUNT, count = is_v ? block_count(i) : COLL_COUNT;
        if (coll_is_root(t, root))
            CHECK(coll_has(t, t->recv, first, t->is_inter, i, root, count));
        else
            CHECK(coll_is_clear(t, t->recv, first, count));
        if (is_v)
            CHECK(coll_is_clear(t, t->recv, first + count, COLL_COUNT + 1 - count));
    }
}

static void try_gather(coll_try *t, int root)
{
    int is_root = coll_is_root(t, root), argument = coll_root_argument(t, root);
    int is_sending = coll_is_partner(t) && !(is_root && t->is_in_place);
    const void *send = is_sending ? t->send : is_root && t->is_in_place ? MPI_IN_PLACE : NULL;
    MPI_Datatype sent = is_sending ? t->type : MPI_DATATYPE_NULL, received = is_root ? t->type : MPI_DATATYPE_NULL;
    int counts[COLL_RANKS], places[COLL_RANKS];
    MPI_Count large_counts[COLL_RANKS];
    MPI_Aint large_places[COLL_RANKS];
    COLL_TRY(t, fill_gather(t, root, 0), Gather, Igather,
             (send, COLL_COUNT, sent, is_root ? t->recv : NULL, COLL_COUNT, received, argument, t->comm),
             (send, COLL_COUNT, sent, is_root ? t->recv : NULL, COLL_COUNT, received, argument, t->comm),
             check_gather(t, root, 0));
    for (int i = 0; i < t->remote; i++) {
        large_counts[i] = counts[i] = block_count(i);
        large_places[i] = places[i] = block_place(t->remote, i);
    }
    COLL_TRY(t, fill_gather(t, root, 1), Gatherv, Igatherv,
             (send, block_count(t->rank), sent, t->recv, is_root ? counts : NULL, is_root ? places : NULL, received,
              argument, t->comm),
             (send, block_count(t->rank), sent, t->recv, is_root ? large_counts : NULL, is_root ? large_places : NULL,
              received, argument, t->comm),
             check_gather(t, root, 1));
}

/* ---- scatter ---------------------------------------------------------------------------------------------------- */

static void fill_scatter(coll_try *t, int root, int is_v)
{
    coll_clear(t);
    for (int i = 0; i < t->remote && coll_is_root(t, root); i++)
        coll_put(t, t->send, is_v ? block_place(t->remote, i) : i * COLL_COUNT, 0, root, i,
                 is_v ? block_count(i) : COLL_COUNT);
}

static void check_scatter(coll_try *t, int root, int is_v)
{
    int count = is_v ? block_count(t->rank) : COLL_COUNT;
    if (!coll_is_partner(t) || (t->is_in_place && coll_is_root(t, root)))
        CHECK(coll_is_clear(t, t->recv, 0, COLL_COUNT));
    else
        CHECK(coll_has(t, t->recv, 0, 0, root, t->rank, count));
    CHECK(coll_is_clear(t, t->recv, count, COLL_COUNT));
}

static void try_scatter(coll_try *t, int root)
{
    int is_root = coll_is_root(t, root), argument = coll_root_argument(t, root);
    int is_getting = coll_is_partner(t) && !(is_root && t->is_in_place);
    void *recv = is_getting ? t->recv : is_root && t->is_in_place ? MPI_IN_PLACE : NULL;
    MPI_Datatype received = is_getting ? t->type : MPI_DATATYPE_NULL, sent = is_root ? t->type : MPI_DATATYPE_NULL;
    int counts[COLL_RANKS], places[COLL_RANKS];
    MPI_Count large_counts[COLL_RANKS];
    MPI_Aint large_places[COLL_RANKS];
    COLL_TRY(t, fill_scatter(t, root, 0), Scatter, Iscatter,
             (is_root ? t->send : NULL, COLL_COUNT, sent, recv, COLL_COUNT, received, argument, t->comm),
             (is_root ? t->send : NULL, COLL_COUNT, sent, recv, COLL_COUNT, received, argument, t->comm),
             check_scatter(t, root, 0));
    for (int i = 0; i < t->remote; i++) {
        large_counts[i] = counts[i] = block_count(i);
        large_places[i] = places[i] = block_place(t->remote, i);
    }
    COLL_TRY(t, fill_scatter(t, root, 1), Scatterv, Iscatterv,
             (t->send, is_root ? counts : NULL, is_root ? places : NULL, sent, recv, block_count(t->rank), received,
              argument, t->comm),
             (t->send, is_root ? large_counts : NULL, is_root ? large_places : NULL, sent, recv, block_count(t->rank),
              received, argument, t->comm),
             check_scatter(t, root, 1));
}

void coll_try_rooted(coll_try *t)
{
    try_barrier(t);
    for (int root = 0; root < coll_root_count(t); root++) {
        if (!t->is_in_place)
            try_bcast(t, root);
        try_gather(t, root);
        try_scatter(t, root);
    }
}
