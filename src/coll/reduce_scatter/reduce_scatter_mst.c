/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for short data: combined to rank 0, then scattered, both by minimum-spanning trees. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"
#include "coll/reduce_scatter/reduce_scatter_refs.h"

static void reduce_scatter_mst(cor_plan *plan)
{
    cor_ref in = cor_reduce_scatter_in(plan);
    cor_ref all = plan->rank == 0 ? cor_plan_temp(plan, in.bytes) : (cor_ref){COR_SLOT_TEMP, 0, in.bytes};
    cor_reduce_mst(plan, &plan->everyone, 0, in, all);
    cor_plan_wait_all(plan);
    cor_blocks_mst(plan, &plan->everyone, COR_FROM_ROOT, 0, all, plan->starts, cor_reduce_scatter_out(plan));
}

#define REDUCE_SCATTER_MST_ROW                                                                                        \
    .name = "mst", .summary = "reduce to rank 0, then scatter, both by minimum-spanning trees",                       \
    .cost = "lg p (2 a + p n b + p n g) + p n b", .build = reduce_scatter_mst

const cor_algorithm cor_reduce_scatter_mst_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_MST_ROW};
const cor_algorithm cor_reduce_scatter_block_mst_row = {.primitive = COR_REDUCE_SCATTER_BLOCK, REDUCE_SCATTER_MST_ROW};
