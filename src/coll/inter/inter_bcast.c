/* SPDX-License-Identifier: Apache-2.0 */
/* From the root to the first rank of the other side, which broadcasts there. */
#include "coll/inter/inter_side.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void inter_bcast(cor_plan *plan)
{
    cor_ref data = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    if (plan->bytes == 0 || cor_inter_is_beside_root(plan))
        return;
    if (cor_inter_is_root(plan)) {
        cor_plan_send_across(plan, 0, data);
        return;
    }
    if (plan->rank == 0)
        cor_plan_wait(plan, cor_plan_recv_across(plan, plan->root, data));
    cor_bcast_mst(plan, &plan->everyone, 0, data);
}

const cor_algorithm cor_bcast_inter_row = {
    .primitive = COR_BCAST,
    .name = "inter",
    .summary = "from the root to the first rank of the other side, which broadcasts by a minimum-spanning tree",
    .cost = "(1 + lg p) (a + n b)",
    .needs = COR_NEEDS_INTER,
    .build = inter_bcast,
};
