/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm: a gather and a broadcast without data. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void barrier_build(cor_plan *plan)
{
    cor_barrier_mst(plan, &plan->everyone);
}

const cor_algorithm cor_barrier_mst_row = {
    .primitive = COR_BARRIER,
    .name = "mst",
    .summary = "up and down a minimum-spanning tree: a gather and a broadcast of nothing",
    .cost = "2 lg p a",
    .build = barrier_build,
};
