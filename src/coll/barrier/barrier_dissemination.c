/* Everybody has heard from everybody, at second hand, once each has told one more twice as far on in every round. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void barrier_build(cor_plan *plan)
{
    cor_barrier_dissemination(plan, &plan->everyone);
}

const cor_algorithm cor_barrier_dissemination_row = {
    .primitive = COR_BARRIER,
    .name = "dissemination",
    .summary = "in round k tell the rank 2^k further on and hear from the one 2^k back: the shortest path",
    .cost = "lg p a",
    .build = barrier_build,
};
