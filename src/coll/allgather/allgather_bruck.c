/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bruck's algorithm: in every round a rank sends all blocks it has to the rank 2^k before it. These are its own block
 * and those of the ranks after it, so they are in temporary memory that begins with its own, and are rotated into place
 * at the end.
 */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

/* How many bytes the `count` blocks from that of `first` on have; behind the last rank's comes that of rank 0. */
static size_t bruck_bytes(const cor_plan *plan, int first, int count)
{
    const size_t *starts = plan->starts;
    int end = first + count, size = plan->size;
    return end <= size ? starts[end] - starts[first] : starts[size] - starts[first] + starts[end - size];
}

static void bruck_round(cor_plan *plan, cor_ref have, int distance)
{
    int size = plan->size, count = distance < size - distance ? distance : size - distance;
    int to = (plan->rank - distance + size) % size, from = (plan->rank + distance) % size;
    cor_ref out = cor_ref_part(have, 0, bruck_bytes(plan, plan->rank, count));
    cor_ref in = cor_ref_part(have, bruck_bytes(plan, plan->rank, distance), bruck_bytes(plan, from, count));
    if (in.bytes > 0)
        cor_plan_recv(plan, &plan->everyone, from, in);
    if (out.bytes > 0)
        cor_plan_send(plan, &plan->everyone, to, out);
    cor_plan_wait_all(plan);
}

static void allgather_bruck(cor_plan *plan)
{
    size_t bytes = plan->starts[plan->size], before = plan->starts[plan->rank];
    cor_ref all = cor_ref_slot(COR_SLOT_RECV, bytes);
    cor_ref have = before > 0 ? cor_plan_temp(plan, bytes) : all; /* nothing to turn: straight to RECV */
    cor_plan_copy(plan, cor_ref_slot(COR_SLOT_SEND, plan->bytes),
                  cor_ref_part(have, 0, bruck_bytes(plan, plan->rank, 1)));
    for (int distance = 1; distance < plan->size; distance *= 2)
        bruck_round(plan, have, distance);
    if (before > 0) {
        cor_plan_copy(plan, cor_ref_part(have, 0, bytes - before), cor_ref_part(all, before, bytes - before));
        cor_plan_copy(plan, cor_ref_part(have, bytes - before, before), cor_ref_part(all, 0, before));
    }
}

const cor_algorithm cor_allgather_bruck_row = {
    .primitive = COR_ALLGATHER,
    .name = "bruck",
    .summary = "Bruck's: all a rank has to the one 2^k before it, for any number of ranks, then turned into place",
    .cost = "lg p a + (p - 1) n b, and p n bytes copied",
    .build = allgather_bruck,
};

const cor_algorithm cor_allgatherv_bruck_row = {
    .primitive = COR_ALLGATHERV,
    .name = "bruck",
    .summary = "Bruck's: all a rank has to the one 2^k before it, for any number of ranks, then turned into place",
    .cost = "lg p a + (p - 1) n b, and p n bytes copied",
    .build = allgather_bruck,
};
