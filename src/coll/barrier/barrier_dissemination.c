/* SPDX-License-Identifier: Apache-2.0 */
/* In every round a rank signals the rank at twice the distance of the round before, so that at the end each has heard,
 * directly or indirectly, from all. */
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
