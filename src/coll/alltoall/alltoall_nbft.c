/* SPDX-License-Identifier: Apache-2.0 */
/* Flat: everything at once. An empty block is not sent, because both sides know that it is empty. */
#include "coll/plan/algorithm.h"

static void alltoall_nbft(cor_plan *plan)
{
    int rank = plan->rank, size = plan->size;
    cor_ref out = cor_ref_slot(COR_SLOT_SEND, plan->send_starts[size]);
    cor_ref in = cor_ref_slot(COR_SLOT_RECV, plan->recv_starts[size]);
    for (int distance = 1; distance < size; distance++) {
        int from = (rank - distance + size) % size;
        cor_ref block = cor_ref_block(in, plan->recv_starts, from);
        if (block.bytes > 0)
            cor_plan_recv(plan, &plan->everyone, from, block);
    }
    for (int distance = 1; distance < size; distance++) {
        int to = (rank + distance) % size;
        cor_ref block = cor_ref_block(out, plan->send_starts, to);
        if (block.bytes > 0)
            cor_plan_send(plan, &plan->everyone, to, block);
    }
    cor_plan_copy(plan, cor_ref_block(out, plan->send_starts, rank), cor_ref_block(in, plan->recv_starts, rank));
}

#define ALLTOALL_NBFT_ROW                                                                                             \
    .name = "nbft", .summary = "flat, all transfers at once: every rank sends to every rank",                         \
    .cost = "(p - 1) (a + n b)", .build = alltoall_nbft

const cor_algorithm cor_alltoall_nbft_row = {.primitive = COR_ALLTOALL, ALLTOALL_NBFT_ROW};
const cor_algorithm cor_alltoallv_nbft_row = {.primitive = COR_ALLTOALLV, ALLTOALL_NBFT_ROW};
const cor_algorithm cor_alltoallw_nbft_row = {.primitive = COR_ALLTOALLW, ALLTOALL_NBFT_ROW};
