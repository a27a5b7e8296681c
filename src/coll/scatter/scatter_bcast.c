/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' replacement of one primitive by another: every rank receives all blocks, and keeps its own. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void scatter_build(cor_plan *plan)
{
    size_t bytes = plan->starts[plan->size];
    cor_ref all = plan->rank == plan->root ? cor_ref_slot(COR_SLOT_SEND, bytes) : cor_plan_temp(plan, bytes);
    cor_bcast_mst(plan, &plan->everyone, plan->root, all);
    cor_plan_copy(plan, cor_ref_block(all, plan->starts, plan->rank), cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_scatter_bcast_row = {
    .primitive = COR_SCATTER,
    .name = "bcast",
    .summary = "all blocks go to every rank down a minimum-spanning tree, and each keeps its own",
    .cost = "lg p (a + p n b)",
    .build = scatter_build,
};
