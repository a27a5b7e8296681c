/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank sends its block to the first of the other side, which broadcasts all of them there. */
#include "coll/inter/inter_side.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void inter_allgather(cor_plan *plan)
{
    cor_ref all = cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->remote_size]);
    for (int from = 0; from < plan->remote_size && plan->rank == 0; from++) {
        cor_ref block = cor_ref_block(all, plan->starts, from);
        if (block.bytes > 0)
            cor_plan_recv_across(plan, from, block);
    }
    if (plan->bytes > 0)
        cor_plan_send_across(plan, 0, cor_ref_slot(COR_SLOT_SEND, plan->bytes));
    cor_plan_wait_all(plan);
    cor_bcast_mst(plan, &plan->everyone, 0, all);
}

#define ALLGATHER_INTER_ROW                                                                                           \
    .name = "inter",                                                                                                  \
    .summary = "all to the first rank of the other side, which broadcasts by a minimum-spanning tree",                \
    .cost = "(p + lg p) a + p n (1 + lg p) b", .needs = COR_NEEDS_INTER, .build = inter_allgather

const cor_algorithm cor_allgather_inter_row = {.primitive = COR_ALLGATHER, ALLGATHER_INTER_ROW};
const cor_algorithm cor_allgatherv_inter_row = {.primitive = COR_ALLGATHERV, ALLGATHER_INTER_ROW};
