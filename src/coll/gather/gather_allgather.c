/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' replacement of one primitive by another: every rank gets all blocks, and only the root needs them. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void gather_build(cor_plan *plan)
{
    size_t bytes = plan->starts[plan->size];
    cor_ref all = plan->rank == plan->root ? cor_ref_slot(COR_SLOT_RECV, bytes) : cor_plan_temp(plan, bytes);
    cor_plan_copy(plan, cor_ref_slot(COR_SLOT_SEND, plan->bytes), cor_ref_block(all, plan->starts, plan->rank));
    cor_allgather_bde(plan, &plan->everyone, all, plan->starts);
}

const cor_algorithm cor_gather_allgather_row = {
    .primitive = COR_GATHER,
    .name = "allgather",
    .summary = "an allgather by bidirectional exchange, of which only the root keeps the result",
    .cost = "lg p a + (p - 1) n b",
    .build = gather_build,
};
