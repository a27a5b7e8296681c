/* SPDX-License-Identifier: Apache-2.0 */
/* By node: from leader to leader, and to every rank inside. */
#include "coll/pattern/node_blocks.h"
#include "coll/plan/algorithm.h"

static void scatter_build(cor_plan *plan)
{
    cor_blocks_nodes(plan, COR_FROM_ROOT, cor_ref_slot(COR_SLOT_SEND, plan->starts[plan->size]),
                     cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

static void scatterv_build(cor_plan *plan)
{
    cor_starts_tell(plan, scatter_build);
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
    .summary = "minimum-spanning trees from node to node, then inside every node, after the root has sent the lengths",
    .cost = "(lg p + lg nodes + lg (p / nodes)) a + (p - 1) n b",
    .needs = COR_NEEDS_NODES,
    .build = scatterv_build,
};
