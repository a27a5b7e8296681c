/* SPDX-License-Identifier: Apache-2.0 */
/* Operations among neighbours: in a ring, on a line with ends, in graphs. */
#include "coll_calls.h"

enum { NEIGHBORS = 2 };

/* A neighbourhood of two sources and two destinations. */
typedef struct circle {
    coll_try *t;
    MPI_Comm comm;
    int sources[NEIGHBORS];
    /* Source k sends us as its destination number slots[k]. */
    int slots[NEIGHBORS];
} circle;

static int around(const coll_try *t, int distance)
{
    return (t->rank + distance + 2 * t->size) % t->size;
}

/* ---- the same to all -------------------------------------------------------------------------------------------- */

static int sent_count(int rank)
{
    return 1 + rank % COLL_COUNT;
}

static void fill_same(coll_try *t)
{
    coll_clear(t);
    coll_put(t, t->send, 0, 0, t->rank, 0, COLL_COUNT);
}

static void check_same(const circle *c, int is_v)
{
    for (int k = 0; k < NEIGHBORS; k++) {
        int first = is_v ? (1 - k) * COLL_COUNT : k * COLL_COUNT;
        if (c->sources[k] == MPI_PROC_NULL)
            CHECK(coll_is_clear(c->t, c->t->recv, first, COLL_COUNT));
        else
            CHECK(
                coll_has(c->t, c->t->recv, first, 0, c->sources[k], 0, is_v ? sent_count(c->sources[k]) : COLL_COUNT));
    }
}

static void try_same(const circle *c)
{
    coll_try *t = c->t;
    int counts[NEIGHBORS], places[NEIGHBORS] = {COLL_COUNT, 0};
    MPI_Count large_counts[NEIGHBORS];
    MPI_Aint large_places[NEIGHBORS] = {COLL_COUNT, 0};
    for (int k = 0; k < NEIGHBORS; k++)
        large_counts[k] = counts[k] = c->sources[k] == MPI_PROC_NULL ? 0 : sent_count(c->sources[k]);
    COLL_TRY(t, fill_same(t), Neighbor_allgather, Ineighbor_allgather,
             (t->send, COLL_COUNT, t->type, t->recv, COLL_COUNT, t->type, c->comm),
             (t->send, COLL_COUNT, t->type, t->recv, COLL_COUNT, t->type, c->comm), check_same(c, 0));
    COLL_TRY(t, fill_same(t), Neighbor_allgatherv, Ineighbor_allgatherv,
             (t->send, sent_count(t->rank), t->type, t->recv, counts, places, t->type, c->comm),
             (t->send, sent_count(t->rank), t->type, t->recv, large_counts, large_places, t->type, c->comm),
             check_same(c, 1));
}

/* ---- something else to each ------------------------------------------------------------------------------------- */

static void fill_each(coll_try *t)
{
    coll_clear(t);
    for (int k = 0; k < NEIGHBORS; k++)
        coll_put(t, t->send, k * COLL_COUNT, 0, t->rank, k, COLL_COUNT);
}

/* In v and w forms destination k gets k + 1 numbers. */
static void check_each(const circle *c, int is_v)
{
    for (int k = 0; k < NEIGHBORS; k++) {
        int first = is_v ? (1 - k) * COLL_COUNT : k * COLL_COUNT, count = is_v ? c->slots[k] + 1 : COLL_COUNT;
        if (c->sources[k] == MPI_PROC_NULL)
            CHECK(coll_is_clear(c->t, c->t->recv, first, COLL_COUNT));
        else
            CHECK(coll_has(c->t, c->t->recv, first, 0, c->sources[k], c->slots[k], count));
    }
}

static void try_each(const circle *c)
{
    coll_try *t = c->t;
    MPI_Aint step = COLL_COUNT * t->stride * (MPI_Aint)sizeof(int);
    int out[] = {1, 2}, in[] = {c->slots[0] + 1, c->slots[1] + 1};
    int out_places[] = {0, COLL_COUNT}, in_places[] = {COLL_COUNT, 0};
    MPI_Count large_out[] = {1, 2}, large_in[] = {in[0], in[1]};
    MPI_Aint large_out_places[] = {0, COLL_COUNT}, large_in_places[] = {COLL_COUNT, 0};
    MPI_Aint out_offsets[] = {0, step}, in_offsets[] = {step, 0};
    MPI_Datatype types[] = {t->type, t->type};
    COLL_TRY(t, fill_each(t), Neighbor_alltoall, Ineighbor_alltoall,
             (t->send, COLL_COUNT, t->type, t->recv, COLL_COUNT, t->type, c->comm),
             (t->send, COLL_COUNT, t->type, t->recv, COLL_COUNT, t->type, c->comm), check_each(c, 0));
    COLL_TRY(t, fill_each(t), Neighbor_alltoallv, Ineighbor_alltoallv,
             (t->send, out, out_places, t->type, t->recv, in, in_places, t->type, c->comm),
             (t->send, large_out, large_out_places, t->type, t->recv, large_in, large_in_places, t->type, c->comm),
             check_each(c, 1));
    COLL_TRY(t, fill_each(t), Neighbor_alltoallw, Ineighbor_alltoallw,
             (t->send, out, out_offsets, types, t->recv, in, in_offsets, types, c->comm),
             (t->send, large_out, out_offsets, types, t->recv, large_in, in_offsets, types, c->comm),
             check_each(c, 1));
    /* Displacements of this one may be addresses. */
    MPI_Aint out_addresses[] = {0, 0}, in_addresses[] = {0, 0};
    for (int k = 0; k < NEIGHBORS; k++) {
        MPI_Get_address(&t->send[k * COLL_COUNT * t->stride], &out_addresses[k]);
        MPI_Get_address(&t->recv[(1 - k) * COLL_COUNT * t->stride], &in_addresses[k]);
    }
    COLL_TRY(t, fill_each(t), Neighbor_alltoallw, Ineighbor_alltoallw,
             (MPI_BOTTOM, out, out_addresses, types, MPI_BOTTOM, in, in_addresses, types, c->comm),
             (MPI_BOTTOM, large_out, out_addresses, types, MPI_BOTTOM, large_in, in_addresses, types, c->comm),
             check_each(c, 1));
}

/* ---- neighbourhoods --------------------------------------------------------------------------------------------- */

static void try_circle(circle *c)
{
    try_same(c);
    try_each(c);
    CHECK_OK(MPI_Comm_free(&c->comm));
}

/* In a grid what goes up comes from below, also where both are the same rank. */
static void try_grid(coll_try *t, int is_periodic)
{
    circle c = {.t = t, .slots = {1, 0}};
    CHECK_OK(MPI_Cart_create(t->comm, 1, &t->size, &is_periodic, 0, &c.comm));
    c.sources[0] = is_periodic || t->rank > 0 ? around(t, -1) : MPI_PROC_NULL;
    c.sources[1] = is_periodic || t->rank < t->size - 1 ? around(t, 1) : MPI_PROC_NULL;
    try_circle(&c);
}

static void try_graph(coll_try *t)
{
    int index[COLL_RANKS], edges[NEIGHBORS * COLL_RANKS];
    circle c = {.t = t, .sources = {around(t, -1), around(t, 1)}, .slots = {0, 1}};
    for (int i = 0; i < t->size; i++) {
        index[i] = NEIGHBORS * (i + 1);
        edges[NEIGHBORS * i] = (i - 1 + t->size) % t->size;
        edges[NEIGHBORS * i + 1] = (i + 1) % t->size;
    }
    /* Up to two ranks the edges are double, and keep their order; else the rank below has us above. */
    if (t->size > 2) {
        c.slots[0] = 1;
        c.slots[1] = 0;
    }
    CHECK_OK(MPI_Graph_create(t->comm, t->size, index, edges, 0, &c.comm));
    try_circle(&c);
}

static void try_dist_graph(coll_try *t)
{
    int destinations[] = {around(t, 1), around(t, 2)};
    circle c = {.t = t, .sources = {around(t, -1), around(t, -2)}, .slots = {0, 1}};
    CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, 2, c.sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &c.comm));
    try_circle(&c);
}

/* No rank has neighbours: all buffers may be missing. */
static void try_hermits(coll_try *t)
{
    MPI_Comm comm;
    CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                            0, &comm));
    COLL_TRY(t, fill_each(t), Neighbor_alltoall, Ineighbor_alltoall, (NULL, 1, MPI_INT, NULL, 1, MPI_INT, comm),
             (NULL, 1, MPI_INT, NULL, 1, MPI_INT, comm), CHECK(coll_is_clear(t, t->recv, 0, COLL_COUNT)));
    COLL_TRY(t, fill_each(t), Neighbor_alltoallw, Ineighbor_alltoallw,
             (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, comm),
             (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, comm), CHECK(coll_is_clear(t, t->recv, 0, COLL_COUNT)));
    CHECK_OK(MPI_Comm_free(&comm));
}

/* More blocks than are described on the stack: a rank that is its own neighbour many times. */
static void try_many(coll_try *t)
{
    enum { MANY = 100 };
    int ranks[MANY], counts[MANY], out_places[MANY], in_places[MANY], out[2 * MANY], in[2 * MANY];
    MPI_Comm comm;
    for (int i = 0; i < MANY; i++) {
        ranks[i] = t->rank;
        counts[i] = i % 3;
        out_places[i] = 2 * i;
        in_places[i] = 2 * (MANY - 1 - i);
        out[2 * i] = i;
        out[2 * i + 1] = -i;
    }
    CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, MANY, ranks, MPI_UNWEIGHTED, MANY, ranks, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &comm));
    CHECK(MPI_Neighbor_alltoallv(out, counts, out_places, MPI_INT, in, counts, in_places, MPI_INT, comm) ==
          MPI_SUCCESS);
    for (int i = 0; i < MANY; i++)
        CHECK((counts[i] < 1 || in[in_places[i]] == i) && (counts[i] < 2 || in[in_places[i] + 1] == -i));
    CHECK_OK(MPI_Comm_free(&comm));
}

void coll_try_neighbors(coll_try *t)
{
    try_grid(t, 1);
    try_grid(t, 0);
    try_graph(t);
    try_dist_graph(t);
    try_hermits(t);
    try_many(t);
}
