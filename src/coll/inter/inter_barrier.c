/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier inside each side, one between the first ranks, and another one inside each side. */
#include "coll/inter/inter_side.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void inter_barrier(cor_plan *plan)
{
    cor_ref nothing = {COR_SLOT_TEMP, 0, 0};
    cor_barrier_dissemination(plan, &plan->everyone);
    cor_plan_wait_all(plan);
    cor_inter_exchange(plan, nothing, nothing);
    cor_barrier_mst(plan, &plan->everyone);
}

const cor_algorithm cor_barrier_inter_row = {
    .primitive = COR_BARRIER,
    .name = "inter",
    .summary = "barrier in each side, between the first ranks of both, and in each side again",
    .cost = "(3 lg p + 1) a",
    .needs = COR_NEEDS_INTER,
    .build = inter_barrier,
};
