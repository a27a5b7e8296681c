/* SPDX-License-Identifier: Apache-2.0 */
/* By node: inside every node and between the leaders of the nodes; to the root, gather, and from it, scatter. */
#include "coll/pattern/node_blocks.h"
#include "coll/plan/algorithm.h"

static void nodes_gather(cor_plan *plan)
{
    cor_blocks_nodes(plan, COR_TO_ROOT, cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->size]),
                     cor_ref_slot(COR_SLOT_SEND, plan->bytes));
}

static void nodes_scatter(cor_plan *plan)
{
    cor_blocks_nodes(plan, COR_FROM_ROOT, cor_ref_slot(COR_SLOT_SEND, plan->starts[plan->size]),
                     cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

static void nodes_gatherv(cor_plan *plan)
{
    cor_starts_tell(plan, nodes_gather);
}

static void nodes_scatterv(cor_plan *plan)
{
    cor_starts_tell(plan, nodes_scatter);
}

#define NODES_SUMMARY_TO "minimum-spanning trees inside every node, then from node to node"
#define NODES_SUMMARY_FROM "minimum-spanning trees from node to node, then inside every node"
#define NODES_ROW .name = "nodes", .needs = COR_NEEDS_NODES, .cost = "(lg nodes + lg (p / nodes)) a + (p - 1) n b"
#define NODES_ROW_V                                                                                                   \
    .name = "nodes", .needs = COR_NEEDS_NODES, .cost = "(lg p + lg nodes + lg (p / nodes)) a + (p - 1) n b"

const cor_algorithm cor_gather_nodes_row = {
    .primitive = COR_GATHER,
    .summary = NODES_SUMMARY_TO ": one message a node to the root's",
    NODES_ROW,
    .build = nodes_gather,
};
const cor_algorithm cor_scatter_nodes_row = {
    .primitive = COR_SCATTER,
    .summary = NODES_SUMMARY_FROM ": one message a node from the root's",
    NODES_ROW,
    .build = nodes_scatter,
};
const cor_algorithm cor_gatherv_nodes_row = {
    .primitive = COR_GATHERV,
    .summary = NODES_SUMMARY_TO ", after the root has sent the lengths",
    NODES_ROW_V,
    .build = nodes_gatherv,
};
const cor_algorithm cor_scatterv_nodes_row = {
    .primitive = COR_SCATTERV,
    .summary = NODES_SUMMARY_FROM ", after the root has sent the lengths",
    NODES_ROW_V,
    .build = nodes_scatterv,
};
