/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for long data: twice around a ring, combining first and then forwarding complete results. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

enum { BUCKET_POSTED, BUCKET_BARRIER };

static void allreduce_bucket(cor_plan *plan)
{
    int is_posted = plan->parameters[BUCKET_POSTED] != 0;
    cor_ref in = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    const size_t *starts = cor_even_starts(plan, plan->bytes, plan->size);
    if (!starts)
        return;
    if (plan->parameters[BUCKET_BARRIER]) {
        cor_barrier_dissemination(plan, &plan->everyone);
        cor_plan_wait_all(plan);
    }
    cor_reduce_scatter_bucket(plan, &plan->everyone, in, starts, cor_ref_block(out, starts, plan->rank), is_posted);
    cor_allgather_bucket(plan, &plan->everyone, out, starts, is_posted);
}

const cor_algorithm cor_allreduce_bucket_row = {
    .primitive = COR_ALLREDUCE,
    .name = "bucket",
    .summary = "reduce-scatter round a ring, then allgather round it",
    .cost = "2 (p - 1) a + 2 n b + n g",
    .needs = COR_NEEDS_COMMUTATIVE,
    .parameters = {{"posted", 1, 0, 1, "1: all receives are posted first"},
                   {"barrier", 0, 0, 1, "1: a barrier goes before, so that all ranks begin together"}},
    .build = allreduce_bucket,
};
