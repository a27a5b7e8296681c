#include "coll/algorithm.h"
#include "coll/pattern/node_tree.h"

/* From the order of the ranks to that of the nodes. */
static void scatter_sort(cor_plan *plan, const cor_node_parties *parties, cor_ref all, cor_ref sorted)
{
    for (int i = 0; i < plan->size; i++) {
        cor_ref block = cor_ref_block(all, plan->starts, parties->order[i]);
        cor_plan_copy(plan, block, cor_ref_part(sorted, 0, block.bytes));
        sorted.offset += block.bytes;
    }
}

static void scatter_build(cor_plan *plan)
{
    cor_ref mine = cor_plan_slot(plan, COR_SLOT_RECV, plan->bytes);
    cor_ref all = cor_plan_slot(plan, COR_SLOT_SEND, plan->starts[plan->size]), sorted = all, bundle = mine;
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
    if (is_root && !parties.is_blocked)
        scatter_sort(plan, &parties, all, sorted);
    cor_scatter_mst(plan, &parties.leaders, root, sorted, blocks.leaders, bundle);
    cor_scatter_mst(plan, &parties.inside, parties.leader, bundle, blocks.inside, mine);
}

const cor_algorithm cor_scatter_nodes_row = {
    .primitive = COR_SCATTER,
    .name = "nodes",
    .summary = "minimum-spanning trees from node to node, then inside every node: one message a node from the root's",
    .cost = "(lg nodes + lg (p / nodes)) a + (p - 1) n b",
    .needs = COR_NEEDS_NODES,
    .build = scatter_build,
};

const cor_algorithm cor_scatterv_nodes_row = {
    .primitive = COR_SCATTERV,
    .name = "nodes",
    .summary = "minimum-spanning trees from node to node, then inside every node, after the root has told the lengths",
    .cost = "(lg p + lg nodes + lg (p / nodes)) a + (p - 1) n b",
    .needs = COR_NEEDS_NODES | COR_NEEDS_COUNTS,
    .build = scatter_build,
};
