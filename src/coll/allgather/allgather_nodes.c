/*
 * By node: each node's blocks to its leader, then the leaders exchange what their nodes have, then each tells its
 * node. Where a node's members do not have consecutive ranks, the blocks travel in the order of the nodes and are put
 * in place at the end.
 */
#include "coll/algorithm.h"
#include "coll/allgather/allgather_begin.h"
#include "coll/pattern.h"
#include "coll/pattern/node_parties.h"

/* Where the blocks lie in the order of the nodes. */
static size_t *nodes_sorted_starts(cor_plan *plan, const cor_node_parties *parties)
{
    size_t *starts = cor_plan_note(plan, ((size_t)plan->size + 1) * sizeof *starts);
    for (int i = 0; starts && i < plan->size; i++)
        starts[i + 1] = starts[i] + plan->starts[parties->order[i] + 1] - plan->starts[parties->order[i]];
    return starts;
}

/* Where the nodes' pieces lie, each of all blocks of a node. */
static size_t *nodes_node_starts(cor_plan *plan, const cor_node_parties *parties, const size_t *starts)
{
    int count = parties->leaders.size;
    size_t *node_starts = cor_plan_note(plan, ((size_t)count + 1) * sizeof *node_starts);
    for (int node = 0; node_starts && node <= count; node++)
        node_starts[node] = starts[parties->firsts[node]];
    return node_starts;
}

static void nodes_travel(cor_plan *plan, const cor_node_parties *parties, cor_ref all, const size_t *starts,
                         const size_t *node_starts)
{
    cor_gather_mst_within(plan, &parties->inside, parties->leader, all, starts + parties->firsts[parties->node]);
    cor_plan_wait_all(plan);
    cor_allgather_bde(plan, &parties->leaders, all, node_starts);
    cor_plan_wait_all(plan);
    cor_bcast_mst(plan, &parties->inside, parties->leader, all);
}

static void allgather_nodes(cor_plan *plan)
{
    cor_node_parties parties;
    if (!cor_node_parties_find(plan, -1, &parties))
        return;
    size_t *starts = nodes_sorted_starts(plan, &parties);
    size_t *node_starts = starts ? nodes_node_starts(plan, &parties, starts) : NULL;
    if (!node_starts)
        return;
    if (parties.is_blocked) {
        nodes_travel(plan, &parties, cor_allgather_begin(plan), starts, node_starts);
        return;
    }
    cor_ref all = cor_plan_slot(plan, COR_SLOT_RECV, plan->starts[plan->size]);
    cor_ref sorted = cor_plan_temp(plan, all.bytes);
    cor_ref mine = cor_ref_block(sorted, starts, parties.firsts[parties.node] + parties.inside.me);
    cor_plan_copy(plan, cor_plan_slot(plan, COR_SLOT_SEND, plan->bytes), mine);
    nodes_travel(plan, &parties, sorted, starts, node_starts);
    for (int i = 0; i < plan->size; i++)
        cor_plan_copy(plan, cor_ref_block(sorted, starts, i), cor_ref_block(all, plan->starts, parties.order[i]));
}

const cor_algorithm cor_allgather_nodes_row = {
    .primitive = COR_ALLGATHER,
    .name = "nodes",
    .summary = "by node: to the leader, between the leaders by recursive doubling, to everybody",
    .cost = "lg p a + p n b between nodes, inside as mst",
    .needs = COR_NEEDS_NODES,
    .build = allgather_nodes,
};

const cor_algorithm cor_allgatherv_nodes_row = {
    .primitive = COR_ALLGATHERV,
    .name = "nodes",
    .summary = "by node: to the leader, between the leaders by recursive doubling, to everybody",
    .cost = "lg p a + p n b between nodes, inside as mst",
    .needs = COR_NEEDS_NODES,
    .build = allgather_nodes,
};
