/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' replacement of one primitive by another: every rank gets the result, and only the root needs it. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void reduce_build(cor_plan *plan)
{
    cor_ref out =
        plan->rank == plan->root ? cor_ref_slot(COR_SLOT_RECV, plan->bytes) : cor_plan_temp(plan, plan->bytes);
    cor_allreduce_bde(plan, &plan->everyone, cor_ref_slot(COR_SLOT_SEND, plan->bytes), out);
}

const cor_algorithm cor_reduce_allreduce_row = {
    .primitive = COR_REDUCE,
    .name = "allreduce",
    .summary = "an allreduce by bidirectional exchange, of which only the root keeps the result",
    .cost = "(lg p + 2) (a + n b) + (lg p + 1) n g",
    .build = reduce_build,
};
