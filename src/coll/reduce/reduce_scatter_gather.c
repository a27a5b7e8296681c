/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for long data: every rank combines one block, and the root gathers them. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void reduce_build(cor_plan *plan)
{
    cor_ref in = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    const size_t *starts = cor_even_starts(plan, plan->bytes, plan->size);
    if (!starts)
        return;
    size_t own_bytes = starts[plan->rank + 1] - starts[plan->rank];
    cor_ref mine = plan->rank == plan->root ? cor_ref_block(out, starts, plan->rank) : cor_plan_temp(plan, own_bytes);
    cor_reduce_scatter_bucket(plan, &plan->everyone, in, starts, mine, plan->parameters[0] != 0);
    cor_blocks_mst(plan, &plan->everyone, COR_TO_ROOT, plan->root, out, starts, mine);
}

const cor_algorithm cor_reduce_scatter_gather_row = {
    .primitive = COR_REDUCE,
    .name = "scatter_gather",
    .summary = "bucket reduce_scatter, then a minimum-spanning tree gather of the blocks of the result",
    .cost = "(p - 1 + lg p) a + (p - 1)/p n (2 b + g)",
    .needs = COR_NEEDS_COMMUTATIVE,
    .parameters = {{"posted", 0, 0, 1, "1: post all receives of the reduce_scatter first"}},
    .build = reduce_build,
};
