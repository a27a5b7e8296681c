/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive doubling. Before round k a rank has the combination of the 2^k ranks that end with it (fewer near rank 0),
 * sends it to the rank 2^k further on and combines it with the one received from 2^k before, in that order. For any
 * number of ranks; keeps the order.
 */
#include "coll/plan/algorithm.h"

/* One round: send `sum` on, receive into `room`. Says whether something came. */
static int scan_round(cor_plan *plan, int distance, cor_ref sum, cor_ref room)
{
    int from = plan->rank - distance, to = plan->rank + distance;
    if (from >= 0)
        cor_plan_recv(plan, &plan->everyone, from, room);
    if (to < plan->size)
        cor_plan_send(plan, &plan->everyone, to, sum);
    cor_plan_wait_all(plan);
    return from >= 0;
}

static void scan_doubling(cor_plan *plan)
{
    cor_ref sum = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    cor_ref room = cor_plan_temp(plan, plan->bytes);
    for (int distance = 1; distance < plan->size; distance *= 2)
        if (scan_round(plan, distance, sum, room)) {
            cor_plan_reduce(plan, room, sum, out);
            sum = out;
        }
    cor_plan_copy(plan, sum, out); /* rank 0's, which gets nothing */
}

/* The own values go into what is passed on, not into the result. */
static void exscan_doubling(cor_plan *plan)
{
    cor_ref sum = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    cor_ref room = cor_plan_temp(plan, plan->bytes), passed = cor_plan_temp(plan, plan->bytes);
    for (int distance = 1; distance < plan->size; distance *= 2) {
        if (!scan_round(plan, distance, sum, room))
            continue;
        if (plan->rank + 2 * distance < plan->size) {
            cor_plan_reduce(plan, room, sum, passed);
            sum = passed;
        }
        if (distance == 1)
            cor_plan_copy(plan, room, out);
        else
            cor_plan_reduce(plan, room, out, out);
    }
}

const cor_algorithm cor_scan_doubling_row = {
    .primitive = COR_SCAN,
    .name = "doubling",
    .summary = "recursive doubling: the sum of the last 2^k ranks to the rank 2^k further on",
    .cost = "lg p (a + n b + n g)",
    .build = scan_doubling,
};

const cor_algorithm cor_exscan_doubling_row = {
    .primitive = COR_EXSCAN,
    .name = "doubling",
    .summary = "recursive doubling: the sum of the last 2^k ranks to the rank 2^k further on",
    .cost = "lg p (a + n b + 2 n g)",
    .build = exscan_doubling,
};
