/* SPDX-License-Identifier: Apache-2.0 */
/* Flat: every rank sends every other the values of its block, and combines the received ones in the order of the
 * ranks. */
#include "coll/plan/algorithm.h"
#include "coll/reduce_scatter/reduce_scatter_refs.h"

static void reduce_scatter_nbft(cor_plan *plan)
{
    int rank = plan->rank, size = plan->size;
    cor_ref in = cor_reduce_scatter_in(plan), out = cor_reduce_scatter_out(plan);
    cor_ref rooms = cor_plan_temp(plan, (size_t)size * out.bytes); /* the own values too: they are written over */
    for (int distance = 1; distance < size && out.bytes > 0; distance++) {
        int from = (rank - distance + size) % size;
        cor_plan_recv(plan, &plan->everyone, from, cor_ref_part(rooms, (size_t)from * out.bytes, out.bytes));
    }
    for (int distance = 1; distance < size; distance++) {
        int to = (rank + distance) % size;
        cor_ref given = cor_ref_block(in, plan->starts, to);
        if (given.bytes > 0)
            cor_plan_send(plan, &plan->everyone, to, given);
    }
    cor_plan_copy(plan, cor_ref_block(in, plan->starts, rank),
                  cor_ref_part(rooms, (size_t)rank * out.bytes, out.bytes));
    cor_plan_wait_all(plan);
    cor_ref sum = cor_ref_part(rooms, 0, out.bytes);
    for (int from = 1; from < size; from++) {
        cor_ref next = cor_ref_part(rooms, (size_t)from * out.bytes, out.bytes);
        cor_plan_reduce(plan, sum, next, from == size - 1 ? out : next);
        sum = next;
    }
    if (size == 1)
        cor_plan_copy(plan, sum, out);
}

#define REDUCE_SCATTER_NBFT_ROW                                                                                       \
    .name = "nbft",                                                                                                   \
    .summary =                                                                                                        \
        "flat, all transfers at once: each rank gets what belongs to it and combines in the order of the ranks",      \
    .cost = "(p - 1) (a + n b + n g)", .build = reduce_scatter_nbft

const cor_algorithm cor_reduce_scatter_nbft_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_NBFT_ROW};
const cor_algorithm cor_reduce_scatter_block_nbft_row = {.primitive = COR_REDUCE_SCATTER_BLOCK,
                                                         REDUCE_SCATTER_NBFT_ROW};
