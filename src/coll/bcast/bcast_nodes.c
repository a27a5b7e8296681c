/* SPDX-License-Identifier: Apache-2.0 */
/* By node: from leader to leader, then inside every node, in pieces that follow each other. */
#include "coll/pattern/node_tree.h"
#include "coll/plan/algorithm.h"

static void bcast_build(cor_plan *plan)
{
    cor_node_parties parties;
    if (!cor_node_parties_find(plan, plan->root, &parties))
        return;
    cor_tree tree = cor_tree_nodes(plan, &parties, (int)plan->parameters[0]);
    cor_tree_bcast_pieces(plan, &plan->everyone, &tree, 1, cor_ref_slot(COR_SLOT_RECV, plan->bytes),
                          plan->parameters[1]);
}

const cor_algorithm cor_bcast_nodes_row = {
    .primitive = COR_BCAST,
    .name = "nodes",
    .summary = "from node to node down a k-nomial tree, then inside every node down a minimum-spanning tree",
    .cost = "(k - 1) log_k nodes (a + n b), and lg (p / nodes) (a + n b) inside, overlapped in pieces",
    .needs = COR_NEEDS_NODES,
    .parameters = {{"radix", 2, 2, 65536, "k"},
                   {"segment", 256 << 10, 1, (size_t)1 << 40, "bytes of a piece; longer where pieces get too many"}},
    .build = bcast_build,
};
