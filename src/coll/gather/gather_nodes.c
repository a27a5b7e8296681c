#include "coll/algorithm.h"
#include "coll/pattern/node_tree.h"

/* From the order of the nodes to that of the ranks. */
static void gather_unsort(cor_plan *plan, const cor_node_parties *parties, cor_ref sorted, cor_ref all)
{
    for (int i = 0; i < plan->size; i++) {
        cor_ref block = cor_ref_block(all, plan->starts, parties->order[i]);
        cor_plan_copy(plan, cor_ref_part(sorted, 0, block.bytes), block);
        sorted.offset += block.bytes;
    }
}

static void gather_build(cor_plan *plan)
{
    cor_ref mine = cor_plan_slot(plan, COR_SLOT_SEND, plan->bytes);
    cor_ref all = cor_plan_slot(plan, COR_SLOT_RECV, plan->starts[plan->size]), sorted = all, bundle = mine;
    int is_root = plan->rank == plan->root;
    cor_node_parties parties;
    cor_node_blocks blocks;
    if (!cor_node_parties_find(plan, plan->root, &parties) ||
        !cor_node_blocks_init(&blocks, plan, &parties, plan->starts))
        return;
    int root = cor_node_led_by(&parties, plan->root);
    if (is_root) {
        sorted = parties.is_blocked ? all : cor_plan_temp(plan, all.bytes);
        bundle = cor_ref_block(sorted, blocks.leaders, parties.node);
    } else if (parties.leaders.me >= 0) {
        bundle = cor_plan_temp(plan, blocks.inside[parties.inside.size]);
    }
    cor_gather_mst(plan, &parties.inside, parties.leader, mine, bundle, blocks.inside);
    cor_gather_mst(plan, &parties.leaders, root, bundle, sorted, blocks.leaders);
    if (is_root && !parties.is_blocked)
        gather_unsort(plan, &parties, sorted, all);
}

const cor_algorithm cor_gather_nodes_row = {
    .primitive = COR_GATHER,
    .name = "nodes",
    .summary = "minimum-spanning trees inside every node, then from node to node: one message a node to the root's",
    .cost = "(lg nodes + lg (p / nodes)) a + (p - 1) n b",
    .needs = COR_NEEDS_NODES,
    .build = gather_build,
};

const cor_algorithm cor_gatherv_nodes_row = {
    .primitive = COR_GATHERV,
    .name = "nodes",
    .summary = "minimum-spanning trees inside every node, then from node to node, after the root has told the lengths",
    .cost = "(lg p + lg nodes + lg (p / nodes)) a + (p - 1) n b",
    .needs = COR_NEEDS_NODES | COR_NEEDS_COUNTS,
    .build = gather_build,
};
