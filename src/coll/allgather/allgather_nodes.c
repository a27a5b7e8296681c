/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By node: each node's blocks to its leader, then the leaders exchange the blocks of their nodes, then each broadcasts
 * inside its node. Where a node's members do not have consecutive ranks, the blocks are sent in the order of the nodes
 * and are put in place at the end.
 */
#include "coll/allgather/allgather_begin.h"
#include "coll/pattern/node_blocks.h"
#include "coll/plan/algorithm.h"

static void nodes_travel(cor_plan *plan, const cor_node_parties *parties, const cor_node_blocks *blocks, cor_ref all)
{
    cor_blocks_mst_within(plan, &parties->inside, COR_TO_ROOT, parties->leader, all, blocks->inside);
    cor_plan_wait_all(plan);
    cor_allgather_bde(plan, &parties->leaders, all, blocks->nodes);
    cor_plan_wait_all(plan);
    cor_bcast_mst(plan, &parties->inside, parties->leader, all);
}

static void allgather_nodes(cor_plan *plan)
{
    cor_node_parties parties;
    cor_node_blocks blocks;
    if (!cor_node_parties_find(plan, -1, &parties) || !cor_node_blocks_init(&blocks, plan, &parties))
        return;
    if (parties.is_blocked) {
        nodes_travel(plan, &parties, &blocks, cor_allgather_begin(plan));
        return;
    }
    cor_ref all = cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->size]);
    cor_ref sorted = cor_plan_temp(plan, all.bytes);
    cor_plan_copy(plan, cor_ref_slot(COR_SLOT_SEND, plan->bytes),
                  cor_ref_block(sorted, blocks.inside, parties.inside.me));
    nodes_travel(plan, &parties, &blocks, sorted);
    cor_node_blocks_sort(&blocks, plan, &parties, COR_TO_ROOT, sorted, all);
}

#define ALLGATHER_NODES_ROW                                                                                           \
    .name = "nodes", .summary = "by node: to the leader, between the leaders by recursive doubling, to all ranks",    \
    .cost = "lg p a + p n b between nodes, inside as mst", .needs = COR_NEEDS_NODES, .build = allgather_nodes

const cor_algorithm cor_allgather_nodes_row = {.primitive = COR_ALLGATHER, ALLGATHER_NODES_ROW};
const cor_algorithm cor_allgatherv_nodes_row = {.primitive = COR_ALLGATHERV, ALLGATHER_NODES_ROW};
