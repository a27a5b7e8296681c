/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for short data: the ranks are halved recursively, and each half gets the data from the
 * other. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void bcast_build(cor_plan *plan)
{
    cor_bcast_mst(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_bcast_mst_row = {
    .primitive = COR_BCAST,
    .name = "mst",
    .summary = "minimum-spanning tree: send the data to the other half of the ranks, and so on in both",
    .cost = "lg p (a + n b)",
    .build = bcast_build,
};
