/* SPDX-License-Identifier: Apache-2.0 */
/* By node: values are combined inside a node before they are sent to another. */
#include "coll/pattern/node_tree.h"
#include "coll/plan/algorithm.h"

static void reduce_build(cor_plan *plan)
{
    cor_ref in = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    cor_node_parties parties;
    if (!cor_node_parties_find(plan, plan->root, &parties))
        return;
    if (!plan->is_commutative && !parties.is_blocked) {
        cor_reduce_mst(plan, &plan->everyone, plan->root, in, out); /* a node's ranks are no neighbours */
        return;
    }
    cor_tree tree = cor_tree_nodes(plan, &parties, 0);
    cor_tree_reduce(plan, &plan->everyone, &tree, in, out);
}

const cor_algorithm cor_reduce_nodes_row = {
    .primitive = COR_REDUCE,
    .name = "nodes",
    .summary =
        "inside every node, then from node to node, up minimum-spanning trees; where that breaks an order, as mst",
    .cost = "lg nodes (a + n b + n g), and lg (p / nodes) (a + n b + n g) inside",
    .needs = COR_NEEDS_NODES,
    .build = reduce_build,
};
