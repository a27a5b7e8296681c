/* SPDX-License-Identifier: Apache-2.0 */
/* By node: to the leader, and from leader to leader. */
#include "coll/pattern/node_blocks.h"
#include "coll/plan/algorithm.h"

static void gather_build(cor_plan *plan)
{
    cor_blocks_nodes(plan, COR_TO_ROOT, cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->size]),
                     cor_ref_slot(COR_SLOT_SEND, plan->bytes));
}

static void gatherv_build(cor_plan *plan)
{
    cor_starts_tell(plan, gather_build);
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
    .summary = "minimum-spanning trees inside every node, then from node to node, after the root has sent the lengths",
    .cost = "(lg p + lg nodes + lg (p / nodes)) a + (p - 1) n b",
    .needs = COR_NEEDS_NODES,
    .build = gatherv_build,
};
