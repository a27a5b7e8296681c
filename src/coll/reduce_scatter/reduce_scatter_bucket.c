/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for long data: partial results go around a ring, each rank adding its own values. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"
#include "coll/reduce_scatter/reduce_scatter_refs.h"

enum { BUCKET_POSTED, BUCKET_BARRIER };

static void reduce_scatter_bucket(cor_plan *plan)
{
    if (plan->parameters[BUCKET_BARRIER]) {
        cor_barrier_dissemination(plan, &plan->everyone);
        cor_plan_wait_all(plan);
    }
    cor_reduce_scatter_bucket(plan, &plan->everyone, cor_reduce_scatter_in(plan), plan->starts,
                              cor_reduce_scatter_out(plan), plan->parameters[BUCKET_POSTED] != 0);
}

#define REDUCE_SCATTER_BUCKET_ROW                                                                                     \
    .name = "bucket", .summary = "partial results go round a ring", .cost = "(p - 1) (a + n b + n g)",                \
    .needs = COR_NEEDS_COMMUTATIVE,                                                                                   \
    .parameters = {{"posted", 1, 0, 1, "1: all receives are posted first"},                                           \
                   {"barrier", 0, 0, 1, "1: a barrier goes before, so that all ranks begin together"}},               \
    .build = reduce_scatter_bucket

const cor_algorithm cor_reduce_scatter_bucket_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_BUCKET_ROW};
const cor_algorithm cor_reduce_scatter_block_bucket_row = {.primitive = COR_REDUCE_SCATTER_BLOCK,
                                                           REDUCE_SCATTER_BUCKET_ROW};
