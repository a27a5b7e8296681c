/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for short blocks: gathered and broadcast by minimum-spanning trees. */
#include "coll/allgather/allgather_begin.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void allgather_mst(cor_plan *plan)
{
    cor_ref all = cor_allgather_begin(plan);
    cor_blocks_mst_within(plan, &plan->everyone, COR_TO_ROOT, 0, all, plan->starts);
    cor_plan_wait_all(plan);
    cor_bcast_mst(plan, &plan->everyone, 0, all);
}

#define ALLGATHER_MST_ROW                                                                                             \
    .name = "mst", .summary = "gather to rank 0, then broadcast, both by minimum-spanning trees",                     \
    .cost = "2 lg p a + p n (1 + lg p) b", .build = allgather_mst

const cor_algorithm cor_allgather_mst_row = {.primitive = COR_ALLGATHER, ALLGATHER_MST_ROW};
const cor_algorithm cor_allgatherv_mst_row = {.primitive = COR_ALLGATHERV, ALLGATHER_MST_ROW};
