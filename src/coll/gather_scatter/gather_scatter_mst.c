/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' minimum-spanning tree: the ranks are halved recursively, and the blocks of each half are sent in one
 * message, towards the root, gather; or from the root, scatter. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void mst_gather(cor_plan *plan)
{
    cor_blocks_mst(plan, &plan->everyone, COR_TO_ROOT, plan->root,
                   cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->size]), plan->starts,
                   cor_ref_slot(COR_SLOT_SEND, plan->bytes));
}

static void mst_scatter(cor_plan *plan)
{
    cor_blocks_mst(plan, &plan->everyone, COR_FROM_ROOT, plan->root,
                   cor_ref_slot(COR_SLOT_SEND, plan->starts[plan->size]), plan->starts,
                   cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

static void mst_gatherv(cor_plan *plan)
{
    cor_starts_tell(plan, mst_gather);
}

static void mst_scatterv(cor_plan *plan)
{
    cor_starts_tell(plan, mst_scatter);
}

#define MST_V                                                                                                         \
    .name = "mst", .summary = "minimum-spanning tree, after the root has sent all ranks the lengths of the blocks",   \
    .cost = "2 lg p a + (p - 1) n b"

const cor_algorithm cor_gather_mst_row = {
    .primitive = COR_GATHER,
    .name = "mst",
    .summary = "minimum-spanning tree: halves of the ranks gather, then one sends its blocks to the other",
    .cost = "lg p a + (p - 1) n b",
    .build = mst_gather,
};
const cor_algorithm cor_scatter_mst_row = {
    .primitive = COR_SCATTER,
    .name = "mst",
    .summary = "minimum-spanning tree: send the other half of the ranks its blocks, and so on in both",
    .cost = "lg p a + (p - 1) n b",
    .build = mst_scatter,
};
const cor_algorithm cor_gatherv_mst_row = {.primitive = COR_GATHERV, MST_V, .build = mst_gatherv};
const cor_algorithm cor_scatterv_mst_row = {.primitive = COR_SCATTERV, MST_V, .build = mst_scatterv};
