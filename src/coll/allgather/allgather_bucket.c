/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for long blocks: around a ring, each rank forwards the block it received last. */
#include "coll/allgather/allgather_begin.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

enum { BUCKET_POSTED, BUCKET_BARRIER };

static void allgather_bucket(cor_plan *plan)
{
    if (plan->parameters[BUCKET_BARRIER]) {
        cor_barrier_dissemination(plan, &plan->everyone);
        cor_plan_wait_all(plan);
    }
    cor_ref all = cor_allgather_begin(plan);
    cor_allgather_bucket(plan, &plan->everyone, all, plan->starts, plan->parameters[BUCKET_POSTED] != 0);
}

#define ALLGATHER_BUCKET_ROW                                                                                          \
    .name = "bucket", .summary = "round a ring, block after block", .cost = "(p - 1) (a + n b)",                      \
    .parameters = {{"posted", 1, 0, 1, "1: all receives are posted first"},                                           \
                   {"barrier", 0, 0, 1, "1: a barrier goes before, so that all ranks begin together"}},               \
    .build = allgather_bucket

const cor_algorithm cor_allgather_bucket_row = {.primitive = COR_ALLGATHER, ALLGATHER_BUCKET_ROW};
const cor_algorithm cor_allgatherv_bucket_row = {.primitive = COR_ALLGATHERV, ALLGATHER_BUCKET_ROW};
