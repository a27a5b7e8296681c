/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' minimum-spanning tree: halves of the ranks have their blocks together before they hand them on. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void gather_build(cor_plan *plan)
{
    cor_blocks_mst(plan, &plan->everyone, COR_TO_ROOT, plan->root,
                   cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->size]), plan->starts,
                   cor_ref_slot(COR_SLOT_SEND, plan->bytes));
}

static void gatherv_build(cor_plan *plan)
{
    cor_starts_tell(plan, gather_build);
}

const cor_algorithm cor_gather_mst_row = {
    .primitive = COR_GATHER,
    .name = "mst",
    .summary = "minimum-spanning tree: halves of the ranks gather, then one sends its blocks to the other",
    .cost = "lg p a + (p - 1) n b",
    .build = gather_build,
};

const cor_algorithm cor_gatherv_mst_row = {
    .primitive = COR_GATHERV,
    .name = "mst",
    .summary = "minimum-spanning tree, after the root has sent all ranks the lengths of the blocks",
    .cost = "2 lg p a + (p - 1) n b",
    .build = gatherv_build,
};
