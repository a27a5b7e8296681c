/* SPDX-License-Identifier: Apache-2.0 */
/* A chain: every rank receives from the one before it and sends to the one after it. */
#include "coll/plan/algorithm.h"

static void scan_linear(cor_plan *plan)
{
    cor_ref own = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    if (plan->rank == 0) {
        cor_plan_copy(plan, own, out);
    } else {
        cor_ref lower = cor_plan_temp(plan, plan->bytes);
        cor_plan_wait(plan, cor_plan_recv(plan, &plan->everyone, plan->rank - 1, lower));
        cor_plan_reduce(plan, lower, own, out);
    }
    if (plan->rank + 1 < plan->size)
        cor_plan_send(plan, &plan->everyone, plan->rank + 1, out);
}

static void exscan_linear(cor_plan *plan)
{
    int is_last = plan->rank + 1 == plan->size;
    cor_ref own = cor_ref_slot(COR_SLOT_SEND, plan->bytes), lower = own, next = own;
    if (plan->rank > 0) {
        lower = cor_plan_temp(plan, plan->bytes);
        cor_plan_wait(plan, cor_plan_recv(plan, &plan->everyone, plan->rank - 1, lower));
    }
    if (plan->rank > 0 && !is_last) {
        next = cor_plan_temp(plan, plan->bytes);
        cor_plan_reduce(plan, lower, own, next);
    }
    if (!is_last)
        cor_plan_send(plan, &plan->everyone, plan->rank + 1, next);
    if (plan->rank > 0)
        cor_plan_copy(plan, lower, cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_scan_linear_row = {
    .primitive = COR_SCAN,
    .name = "linear",
    .summary = "a chain: each rank receives from the one before and sends to the one after",
    .cost = "(p - 1) (a + n b + n g)",
    .build = scan_linear,
};

const cor_algorithm cor_exscan_linear_row = {
    .primitive = COR_EXSCAN,
    .name = "linear",
    .summary = "a chain: each rank receives from the one before and sends to the one after",
    .cost = "(p - 1) (a + n b + n g)",
    .build = exscan_linear,
};
