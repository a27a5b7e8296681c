/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for short data: every subtree is a run of ranks, so that the order is kept. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void reduce_build(cor_plan *plan)
{
    cor_reduce_mst(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_SEND, plan->bytes),
                   cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_reduce_mst_row = {
    .primitive = COR_REDUCE,
    .name = "mst",
    .summary = "minimum-spanning tree: halves of the ranks combine, then both results are; keeps the order",
    .cost = "lg p (a + n b + n g)",
    .build = reduce_build,
};
