/* SPDX-License-Identifier: Apache-2.0 */
/* Flat: everything at once. An empty block is not sent, because both sides know that it is empty. */
#include "coll/inter/inter_side.h"
#include "coll/plan/algorithm.h"

static void inter_alltoall(cor_plan *plan)
{
    int rank = plan->rank, size = plan->remote_size;
    cor_ref out = cor_ref_slot(COR_SLOT_SEND, plan->send_starts[size]);
    cor_ref in = cor_ref_slot(COR_SLOT_RECV, plan->recv_starts[size]);
    for (int step = 0; step < size; step++) {
        int from = (rank + step) % size;
        cor_ref block = cor_ref_block(in, plan->recv_starts, from);
        if (block.bytes > 0)
            cor_plan_recv_across(plan, from, block);
    }
    for (int step = 0; step < size; step++) {
        int to = (rank + step) % size;
        cor_ref block = cor_ref_block(out, plan->send_starts, to);
        if (block.bytes > 0)
            cor_plan_send_across(plan, to, block);
    }
}

#define ALLTOALL_INTER_ROW                                                                                            \
    .name = "inter", .summary = "flat, all transfers at once: every rank sends to every rank of the other side",      \
    .cost = "p (a + n b)", .needs = COR_NEEDS_INTER, .build = inter_alltoall

const cor_algorithm cor_alltoall_inter_row = {.primitive = COR_ALLTOALL, ALLTOALL_INTER_ROW};
const cor_algorithm cor_alltoallv_inter_row = {.primitive = COR_ALLTOALLV, ALLTOALL_INTER_ROW};
const cor_algorithm cor_alltoallw_inter_row = {.primitive = COR_ALLTOALLW, ALLTOALL_INTER_ROW};
