/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank has heard from every rank, at second hand, once each has told one more twice as far on in every round. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void barrier_build(cor_plan *plan)
{
    cor_barrier_dissemination(plan, &plan->everyone);
}

const cor_algorithm cor_barrier_dissemination_row = {
    .primitive = COR_BARRIER,
    .name = "dissemination",
    .summary = "in round k signal rank r + 2^k and wait for rank r - 2^k: fewest rounds",
    .cost = "lg p a",
    .build = barrier_build,
};
