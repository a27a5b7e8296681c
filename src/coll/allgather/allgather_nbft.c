/* SPDX-License-Identifier: Apache-2.0 */
/* Flat: every rank sends to every rank. */
#include "coll/allgather/allgather_begin.h"
#include "coll/plan/algorithm.h"

static void allgather_nbft(cor_plan *plan)
{
    int rank = plan->rank, size = plan->size;
    cor_ref all = cor_allgather_begin(plan), mine = cor_ref_block(all, plan->starts, rank);
    for (int distance = 1; distance < size; distance++) {
        int from = (rank - distance + size) % size;
        cor_ref in = cor_ref_block(all, plan->starts, from);
        if (in.bytes > 0)
            cor_plan_recv(plan, &plan->everyone, from, in);
    }
    for (int distance = 1; distance < size && mine.bytes > 0; distance++)
        cor_plan_send(plan, &plan->everyone, (rank + distance) % size, mine);
}

#define ALLGATHER_NBFT_ROW                                                                                            \
    .name = "nbft", .summary = "flat, all transfers at once: every rank sends to every rank",                         \
    .cost = "(p - 1) (a + n b)", .build = allgather_nbft

const cor_algorithm cor_allgather_nbft_row = {.primitive = COR_ALLGATHER, ALLGATHER_NBFT_ROW};
const cor_algorithm cor_allgatherv_nbft_row = {.primitive = COR_ALLGATHERV, ALLGATHER_NBFT_ROW};
