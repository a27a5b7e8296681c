/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank sends to all its destinations and receives from all its sources, at once.
 *
 * Two ranks may be neighbours more than once: then their messages match in the order in which the one sends and the
 * other receives. In a graph that is the order of the edges. In a grid a message to the neighbour below is received
 * from the neighbour above: a periodic dimension of two ranks has the same neighbour twice, one of one rank has the
 * rank itself. Receives are in the order of the sources (below, above), so within a dimension the send upwards must
 * come first.
 */
#include "coll/plan/algorithm.h"
#include "mp/topology.h"

/* Which destination is the n-th to be sent to. */
static int neighbor_nth(const cor_plan *plan, int n)
{
    return cor_topology_kind_of(plan->comm) == COR_TOPOLOGY_CART ? n ^ 1 : n;
}

/* Copy what a rank sends to itself; n-th to n-th, as messages would match. */
static void neighbor_copy_own(cor_plan *plan, cor_neighbours sources, cor_ref in, cor_ref block, int *next_source)
{
    while (*next_source < sources.count && sources.ranks[*next_source] != plan->rank)
        ++*next_source;
    if (*next_source < sources.count)
        cor_plan_copy(plan, block, cor_ref_block(in, plan->recv_starts, (*next_source)++));
}

/* An allgather gives every destination the one block of SEND. */
static void neighbor_nbft(cor_plan *plan)
{
    int is_same = plan->primitive == COR_NEIGHBOR_ALLGATHER || plan->primitive == COR_NEIGHBOR_ALLGATHERV;
    cor_neighbours sources = cor_topology_sources(plan->comm), destinations = cor_topology_destinations(plan->comm);
    cor_ref in = cor_ref_slot(COR_SLOT_RECV, plan->recv_starts[sources.count]);
    cor_ref out = cor_ref_slot(COR_SLOT_SEND, is_same ? plan->bytes : plan->send_starts[destinations.count]);
    for (int i = 0; i < sources.count; i++) {
        cor_ref block = cor_ref_block(in, plan->recv_starts, i);
        if (sources.ranks[i] >= 0 && sources.ranks[i] != plan->rank && block.bytes > 0)
            cor_plan_recv(plan, &plan->everyone, sources.ranks[i], block);
    }
    for (int n = 0, next_source = 0; n < destinations.count; n++) {
        int i = neighbor_nth(plan, n), to = destinations.ranks[i];
        cor_ref block = is_same ? out : cor_ref_block(out, plan->send_starts, i);
        if (to == plan->rank)
            neighbor_copy_own(plan, sources, in, block, &next_source);
        else if (to >= 0 && block.bytes > 0)
            cor_plan_send(plan, &plan->everyone, to, block);
    }
}

#define NEIGHBOR_NBFT_ROW                                                                                             \
    .name = "nbft", .summary = "flat, all transfers at once: to all destinations, from all sources",                  \
    .cost = "d (a + n b) with d neighbours", .build = neighbor_nbft

const cor_algorithm cor_neighbor_allgather_nbft_row = {.primitive = COR_NEIGHBOR_ALLGATHER, NEIGHBOR_NBFT_ROW};
const cor_algorithm cor_neighbor_allgatherv_nbft_row = {.primitive = COR_NEIGHBOR_ALLGATHERV, NEIGHBOR_NBFT_ROW};
const cor_algorithm cor_neighbor_alltoall_nbft_row = {.primitive = COR_NEIGHBOR_ALLTOALL, NEIGHBOR_NBFT_ROW};
const cor_algorithm cor_neighbor_alltoallv_nbft_row = {.primitive = COR_NEIGHBOR_ALLTOALLV, NEIGHBOR_NBFT_ROW};
const cor_algorithm cor_neighbor_alltoallw_nbft_row = {.primitive = COR_NEIGHBOR_ALLTOALLW, NEIGHBOR_NBFT_ROW};
