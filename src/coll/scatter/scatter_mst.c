/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' minimum-spanning tree: a half of the ranks is handed its blocks together, and hands them on. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void scatter_build(cor_plan *plan)
{
    cor_blocks_mst(plan, &plan->everyone, COR_FROM_ROOT, plan->root,
                   cor_ref_slot(COR_SLOT_SEND, plan->starts[plan->size]), plan->starts,
                   cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

static void scatterv_build(cor_plan *plan)
{
    cor_starts_tell(plan, scatter_build);
}

const cor_algorithm cor_scatter_mst_row = {
    .primitive = COR_SCATTER,
    .name = "mst",
    .summary = "minimum-spanning tree: send the other half of the ranks its blocks, and so on in both",
    .cost = "lg p a + (p - 1) n b",
    .build = scatter_build,
};

const cor_algorithm cor_scatterv_mst_row = {
    .primitive = COR_SCATTERV,
    .name = "mst",
    .summary = "minimum-spanning tree, after the root has sent all ranks the lengths of the blocks",
    .cost = "2 lg p a + (p - 1) n b",
    .build = scatterv_build,
};
