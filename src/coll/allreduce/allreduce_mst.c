/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for short data: combined and broadcast by minimum-spanning trees. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void allreduce_mst(cor_plan *plan)
{
    cor_ref out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    cor_reduce_mst(plan, &plan->everyone, 0, cor_ref_slot(COR_SLOT_SEND, plan->bytes), out);
    cor_plan_wait_all(plan);
    cor_bcast_mst(plan, &plan->everyone, 0, out);
}

const cor_algorithm cor_allreduce_mst_row = {
    .primitive = COR_ALLREDUCE,
    .name = "mst",
    .summary = "reduce to rank 0, then broadcast, both by minimum-spanning trees",
    .cost = "lg p (2 a + 2 n b + n g)",
    .build = allreduce_mst,
};
