/* SPDX-License-Identifier: Apache-2.0 */
/* Flat, as in the thesis: every rank sends its values to all higher ranks, which combine them in the order of the
 * ranks. */
#include "coll/plan/algorithm.h"

/* Have the values of all lower ranks in one piece of memory, one after the other; nothing of SEND is needed any more
 * by others then. */
static cor_ref scan_nbft_collect(cor_plan *plan)
{
    size_t bytes = plan->bytes;
    cor_ref own = cor_ref_slot(COR_SLOT_SEND, bytes), lower = cor_plan_temp(plan, (size_t)plan->rank * bytes);
    for (int from = 0; from < plan->rank; from++)
        cor_plan_recv(plan, &plan->everyone, from, cor_ref_part(lower, (size_t)from * bytes, bytes));
    for (int to = plan->rank + 1; to < plan->size; to++)
        cor_plan_send(plan, &plan->everyone, to, own);
    cor_plan_wait_all(plan);
    return lower;
}

/* The combination of the values of all lower ranks; there is at least one. */
static cor_ref scan_nbft_combine(cor_plan *plan, cor_ref lower)
{
    cor_ref sum = cor_ref_part(lower, 0, plan->bytes);
    for (int from = 1; from < plan->rank; from++) {
        cor_ref next = cor_ref_part(lower, (size_t)from * plan->bytes, plan->bytes);
        cor_plan_reduce(plan, sum, next, next);
        sum = next;
    }
    return sum;
}

static void scan_nbft(cor_plan *plan)
{
    cor_ref own = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    cor_ref lower = scan_nbft_collect(plan);
    if (plan->rank == 0)
        cor_plan_copy(plan, own, out);
    else
        cor_plan_reduce(plan, scan_nbft_combine(plan, lower), own, out);
}

static void exscan_nbft(cor_plan *plan)
{
    cor_ref lower = scan_nbft_collect(plan);
    if (plan->rank > 0)
        cor_plan_copy(plan, scan_nbft_combine(plan, lower), cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_scan_nbft_row = {
    .primitive = COR_SCAN,
    .name = "nbft",
    .summary = "flat, all transfers at once: every rank sends to all higher ones, which combine in order",
    .cost = "(p - 1) (a + n b + n g)",
    .build = scan_nbft,
};

const cor_algorithm cor_exscan_nbft_row = {
    .primitive = COR_EXSCAN,
    .name = "nbft",
    .summary = "flat, all transfers at once: every rank sends to all higher ones, which combine in order",
    .cost = "(p - 1) (a + n b + n g)",
    .build = exscan_nbft,
};
