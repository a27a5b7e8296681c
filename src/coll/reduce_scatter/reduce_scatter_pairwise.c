/* SPDX-License-Identifier: Apache-2.0 */
/* One partner after the other: in step k a rank sends the rank k further on the values of its block. */
#include "coll/plan/algorithm.h"
#include "coll/reduce_scatter/reduce_scatter_refs.h"

typedef struct pairwise_rooms {
    cor_ref room[2]; /* taking turns: one is filled while the other is combined */
    int received;
} pairwise_rooms;

static void pairwise_recv(cor_plan *plan, pairwise_rooms *rooms, int step)
{
    cor_ref room = rooms->room[step % 2];
    if (step < plan->size && room.bytes > 0)
        rooms->received = cor_plan_recv(plan, &plan->everyone, (plan->rank - step + plan->size) % plan->size, room);
}

static void reduce_scatter_pairwise(cor_plan *plan)
{
    cor_ref in = cor_reduce_scatter_in(plan), out = cor_reduce_scatter_out(plan);
    cor_ref own = cor_ref_block(in, plan->starts, plan->rank), sum = own;
    /* In place the result overlaps values that are still to be sent. */
    cor_ref target = plan->is_in_place ? cor_plan_temp(plan, out.bytes) : out;
    pairwise_rooms rooms = {{cor_plan_temp(plan, out.bytes), cor_plan_temp(plan, out.bytes)}, -1};
    pairwise_recv(plan, &rooms, 1);
    for (int step = 1; step < plan->size; step++) {
        int to = (plan->rank + step) % plan->size;
        cor_ref given = cor_ref_block(in, plan->starts, to);
        if (given.bytes > 0)
            cor_plan_send(plan, &plan->everyone, to, given);
        if (out.bytes == 0)
            continue;
        cor_plan_wait(plan, rooms.received);
        pairwise_recv(plan, &rooms, step + 1);
        cor_plan_reduce(plan, rooms.room[step % 2], sum, target);
        sum = target;
    }
    cor_plan_wait_all(plan);
    cor_plan_copy(plan, sum, out);
}

#define REDUCE_SCATTER_PAIRWISE_ROW                                                                                   \
    .name = "pairwise", .summary = "p - 1 exchanges: to each rank in turn what belongs to it",                        \
    .cost = "(p - 1) (a + n b + n g)", .needs = COR_NEEDS_COMMUTATIVE, .build = reduce_scatter_pairwise

const cor_algorithm cor_reduce_scatter_pairwise_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_PAIRWISE_ROW};
const cor_algorithm cor_reduce_scatter_block_pairwise_row = {.primitive = COR_REDUCE_SCATTER_BLOCK,
                                                             REDUCE_SCATTER_PAIRWISE_ROW};
