/* SPDX-License-Identifier: Apache-2.0 */
#include "coll_reference.h"

#include "mp/topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ----------------------------------------------------------------------------------------------------- */

/* How many blocks the larger buffer has. */
static int place_blocks(const coll_place *p)
{
    switch (p->c->series->primitive) {
    case COR_BARRIER:
    case COR_BCAST:
    case COR_REDUCE:
    case COR_ALLREDUCE:
    case COR_SCAN:
    case COR_EXSCAN:
        return 1;
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        /* Both sides of an intercommunicator pass the same total, each cut into blocks for its own members. */
        return p->is_inter ? p->size * p->remote_size : p->size;
    default:
        return p->c->series->ranks;
    }
}

static size_t place_units(const coll_place *p)
{
    int ranks = p->c->series->ranks;
    size_t most = (ranks <= 4   ? (size_t)3 << 20
                   : ranks <= 8 ? (size_t)600 << 10
                                : (size_t)300 << 10) /
                  (TEST_IS_SANITIZED ? 4 : 1);
    size_t bytes = p->c->bytes, blocks = (size_t)place_blocks(p);
    if (bytes > most / blocks)
        bytes = most / blocks;
    return bytes > 0 && bytes < p->unit_bytes ? 1 : bytes / p->unit_bytes;
}

static int place_in_place(const coll_place *p)
{
    cor_primitive primitive = p->c->series->primitive;
    return p->c->is_in_place && (!coll_is_rooted(primitive) || p->is_root);
}

void coll_place_init(coll_place *place, const coll_case *c, coll_rank *me, cor_comm *comm)
{
    *place = (coll_place){.c = c,
                          .me = me,
                          .comm = comm,
                          .is_inter = cor_comm_is_inter(comm),
                          .rank = cor_comm_rank(comm),
                          .size = cor_comm_size(comm),
                          .remote_size = cor_comm_remote_size(comm),
                          .root = c->root,
                          .unit_bytes = coll_kind_bytes(c->kind)};
    if (place->is_inter) {
        int first = me->size / 2;
        place->side = me->number >= first;
        place->root_side = c->root >= first;
        place->root = place->root_side ? c->root - first : c->root;
    }
    place->is_root = place->rank == place->root && place->side == place->root_side;
    place->is_in_place = place_in_place(place);
    place->units = place_units(place);
}

int coll_place_root(const coll_place *p)
{
    if (!coll_is_rooted(p->c->series->primitive))
        return 0;
    if (!p->is_inter || p->side != p->root_side)
        return p->root;
    return p->is_root ? COR_ROOT : COR_PROC_NULL;
}

/* ---- the ranks ------------------------------------------------------------------------------------------------- */

/* The side that passes data to `side`. */
static int other_side(const coll_place *p, int side)
{
    return p->is_inter ? 1 - side : side;
}

/* Ranks are known by one number. */
static uint64_t rank_id(int side, int rank)
{
    return (uint64_t)side * 4096 + (uint64_t)rank;
}

static uint64_t my_id(const coll_place *p)
{
    return rank_id(p->side, p->rank);
}

/* The one whose data or block is `number` in a buffer with a block a rank. */
static uint64_t peer_id(const coll_place *p, size_t number)
{
    return rank_id(other_side(p, p->side), (int)number);
}

/* An end of an edge of the topology: who, and a number that both ends know it by. */
typedef struct edge {
    int rank; /* COR_PROC_NULL: nobody */
    uint64_t number;
} edge;

static edge edge_of(const cor_neighbours *neighbours, coll_where where, int is_source, size_t block)
{
    edge e = {neighbours->ranks[block], 0};
    if (where == WHERE_CART) {
        /* What goes down comes from above: a number for the sender's direction. */
        e.number = is_source ? block ^ 1 : block;
        return e;
    }
    for (size_t i = 0; i < block; i++)
        e.number += neighbours->ranks[i] == e.rank;
    return e;
}

static edge edge_source(const coll_place *p, size_t block)
{
    cor_neighbours sources = cor_topology_sources(p->comm);
    return edge_of(&sources, p->c->where, 1, block);
}

static edge edge_destination(const coll_place *p, size_t block)
{
    cor_neighbours destinations = cor_topology_destinations(p->comm);
    return edge_of(&destinations, p->c->where, 0, block);
}

/* ---- how long --------------------------------------------------------------------------------------------------- */

/* Something between nothing and one more than the units of the case, in uneven forms. In place as long as what comes
 * back: the call has one count for both. */
static size_t units_of(const coll_place *p, uint64_t from, uint64_t to)
{
    if (!coll_is_uneven(p->c->series->primitive) || p->units == 0)
        return p->units;
    if (p->is_in_place && from < to && p->c->series->primitive >= COR_ALLTOALL &&
        p->c->series->primitive <= COR_ALLTOALLW) {
        uint64_t swapped = from;
        from = to;
        to = swapped;
    }
    switch (coll_mix2(coll_mix2(p->c->key, from), to) % 5) {
    case 0:
        return 0;
    case 1:
        return p->units / 2;
    case 2:
        return p->units + 1;
    default:
        return p->units;
    }
}

/* The block of the result of a rank of this side in reduce_scatter. */
static size_t units_of_result(const coll_place *p, int rank)
{
    return p->is_inter ? p->units * (size_t)p->remote_size : units_of(p, rank_id(p->side, rank), 0);
}

enum { NOBODY = 999999 };

static uint64_t edge_id(edge e)
{
    return e.rank == COR_PROC_NULL ? NOBODY : rank_id(0, e.rank);
}

size_t coll_send_blocks(const coll_place *p)
{
    int is_beside = p->is_inter && p->side == p->root_side && !p->is_root;
    switch (p->c->series->primitive) {
    case COR_BARRIER:
    case COR_BCAST:
        return 0;
    case COR_GATHER:
    case COR_GATHERV:
    case COR_REDUCE:
        return p->is_inter && p->side == p->root_side ? 0 : 1;
    case COR_SCATTER:
    case COR_SCATTERV:
        return p->is_root && !is_beside ? (size_t)p->remote_size : 0;
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        return (size_t)p->remote_size;
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        return (size_t)p->size;
    case COR_NEIGHBOR_ALLTOALL:
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return (size_t)cor_topology_destinations(p->comm).count;
    default:
        return 1;
    }
}

size_t coll_recv_blocks(const coll_place *p)
{
    int is_on_root_side = p->side == p->root_side;
    switch (p->c->series->primitive) {
    case COR_BARRIER:
        return 0;
    case COR_BCAST:
        return p->is_inter && is_on_root_side && !p->is_root ? 0 : 1;
    case COR_GATHER:
    case COR_GATHERV:
        return p->is_root ? (size_t)p->remote_size : 0;
    case COR_SCATTER:
    case COR_SCATTERV:
        return p->is_inter && is_on_root_side ? 0 : 1;
    case COR_REDUCE:
        return p->is_root ? 1 : 0;
    case COR_EXSCAN: /* the first rank has nothing to receive */
        return p->rank > 0 || p->is_in_place ? 1 : 0;
    case COR_ALLGATHER:
    case COR_ALLGATHERV:
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        return (size_t)p->remote_size;
    case COR_NEIGHBOR_ALLGATHER:
    case COR_NEIGHBOR_ALLGATHERV:
    case COR_NEIGHBOR_ALLTOALL:
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return (size_t)cor_topology_sources(p->comm).count;
    default:
        return 1;
    }
}

size_t coll_send_units(const coll_place *p, size_t block)
{
    switch (p->c->series->primitive) {
    case COR_SCATTERV:
        return units_of(p, peer_id(p, block), 0);
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        return units_of(p, my_id(p), peer_id(p, block));
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        return units_of_result(p, (int)block);
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return units_of(p, my_id(p), edge_id(edge_destination(p, block)));
    default:
        return units_of(p, my_id(p), 0);
    }
}

size_t coll_recv_units(const coll_place *p, size_t block)
{
    switch (p->c->series->primitive) {
    case COR_GATHERV:
    case COR_ALLGATHERV:
        return units_of(p, peer_id(p, block), 0);
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        return units_of(p, peer_id(p, block), my_id(p));
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        return units_of_result(p, p->rank);
    case COR_NEIGHBOR_ALLGATHERV:
        return units_of(p, edge_id(edge_source(p, block)), 0);
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return units_of(p, edge_id(edge_source(p, block)), my_id(p));
    default:
        return units_of(p, my_id(p), 0);
    }
}

/* ---- what is in it ---------------------------------------------------------------------------------------------- */

/* Elements [first, first + count) of what one rank passes to another (or to all: 0). */
static void content(const coll_place *p, uint64_t from, uint64_t to, size_t first, size_t count, void *packed)
{
    uint64_t key = coll_mix2(coll_mix2(p->c->key + (uint64_t)p->round, from), to);
    coll_kind_fill(p->c->kind, key, first, count, packed);
}

/* Where a block of reduce_scatter's buffer begins. */
static size_t result_start(const coll_place *p, size_t block)
{
    size_t start = 0;
    for (size_t i = 0; i < block; i++)
        start += units_of_result(p, (int)i);
    return start;
}

void coll_send_content(const coll_place *p, size_t block, void *packed)
{
    size_t units = coll_send_units(p, block);
    switch (p->c->series->primitive) {
    case COR_SCATTER:
    case COR_SCATTERV:
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        content(p, my_id(p), 1 + peer_id(p, block), 0, units, packed);
        break;
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        content(p, my_id(p), 0, result_start(p, block), units, packed);
        break;
    case COR_NEIGHBOR_ALLTOALL:
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW: {
        edge e = edge_destination(p, block);
        content(p, my_id(p), 1 + edge_id(e) + (e.number << 32), 0, units, packed);
        break;
    }
    default:
        content(p, my_id(p), 0, 0, units, packed);
    }
}

/* What the ranks [0, end) of the side that passes data make together, in this order. */
static void fold(const coll_place *p, int end, size_t first, size_t count, void *packed)
{
    int side = other_side(p, p->side);
    void *next = coll_alloc(count * p->unit_bytes);
    content(p, rank_id(side, 0), 0, first, count, packed);
    for (int rank = 1; rank < end; rank++) {
        content(p, rank_id(side, rank), 0, first, count, next);
        coll_kind_combine(p->c->kind, packed, next, count);
    }
    free(next);
}

int coll_recv_content(const coll_place *p, size_t block, void *packed)
{
    size_t units = coll_recv_units(p, block);
    uint64_t root = rank_id(p->root_side, p->root);
    switch (p->c->series->primitive) {
    case COR_BCAST:
        content(p, root, 0, 0, units, packed);
        return 1;
    case COR_GATHER:
    case COR_GATHERV:
    case COR_ALLGATHER:
    case COR_ALLGATHERV:
        content(p, peer_id(p, block), 0, 0, units, packed);
        return 1;
    case COR_SCATTER:
    case COR_SCATTERV:
        content(p, root, 1 + my_id(p), 0, units, packed);
        return 1;
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        content(p, peer_id(p, block), 1 + my_id(p), 0, units, packed);
        return 1;
    case COR_REDUCE:
    case COR_ALLREDUCE:
        fold(p, p->remote_size, 0, units, packed);
        return 1;
    case COR_SCAN:
        fold(p, p->rank + 1, 0, units, packed);
        return 1;
    case COR_EXSCAN:
        if (p->rank > 0)
            fold(p, p->rank, 0, units, packed);
        return p->rank > 0;
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        fold(p, p->remote_size, result_start(p, (size_t)p->rank), units, packed);
        return 1;
    case COR_NEIGHBOR_ALLGATHER:
    case COR_NEIGHBOR_ALLGATHERV: {
        edge e = edge_source(p, block);
        content(p, edge_id(e), 0, 0, units, packed);
        return e.rank != COR_PROC_NULL;
    }
    default: {
        edge e = edge_source(p, block);
        content(p, edge_id(e), 1 + my_id(p) + (e.number << 32), 0, units, packed);
        return e.rank != COR_PROC_NULL;
    }
    }
}
