/* SPDX-License-Identifier: Apache-2.0 */
/* One partner after the other, so that never more than one message is on its way to a rank. */
#include "coll/plan/algorithm.h"

static int pairwise_to(const cor_plan *plan, int step, int is_power)
{
    return is_power ? plan->rank ^ step : (plan->rank + step) % plan->size;
}

static int pairwise_from(const cor_plan *plan, int step, int is_power)
{
    return is_power ? plan->rank ^ step : (plan->rank - step + plan->size) % plan->size;
}

static void alltoall_pairwise(cor_plan *plan)
{
    int size = plan->size, is_power = (size & (size - 1)) == 0;
    cor_ref out = cor_ref_slot(COR_SLOT_SEND, plan->send_starts[size]);
    cor_ref in = cor_ref_slot(COR_SLOT_RECV, plan->recv_starts[size]);
    cor_plan_copy(plan, cor_ref_block(out, plan->send_starts, plan->rank),
                  cor_ref_block(in, plan->recv_starts, plan->rank));
    for (int step = 1; step < size; step++) {
        int to = pairwise_to(plan, step, is_power), from = pairwise_from(plan, step, is_power);
        cor_ref given = cor_ref_block(out, plan->send_starts, to), taken = cor_ref_block(in, plan->recv_starts, from);
        if (taken.bytes > 0)
            cor_plan_recv(plan, &plan->everyone, from, taken);
        if (given.bytes > 0)
            cor_plan_send(plan, &plan->everyone, to, given);
        cor_plan_wait_all(plan);
    }
}

#define ALLTOALL_PAIRWISE_ROW                                                                                         \
    .name = "pairwise", .summary = "p - 1 exchanges, one partner after the other", .cost = "(p - 1) (a + n b)",       \
    .build = alltoall_pairwise

const cor_algorithm cor_alltoall_pairwise_row = {.primitive = COR_ALLTOALL, ALLTOALL_PAIRWISE_ROW};
const cor_algorithm cor_alltoallv_pairwise_row = {.primitive = COR_ALLTOALLV, ALLTOALL_PAIRWISE_ROW};
const cor_algorithm cor_alltoallw_pairwise_row = {.primitive = COR_ALLTOALLW, ALLTOALL_PAIRWISE_ROW};
