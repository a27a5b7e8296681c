/* SPDX-License-Identifier: Apache-2.0 */
/* Rabenseifner's algorithm: reduce-scatter by recursive halving, then allgather by recursive doubling. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void allreduce_rabenseifner(cor_plan *plan)
{
    cor_ref in = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    const size_t *starts = cor_even_starts(plan, plan->bytes, plan->size);
    if (!starts)
        return;
    cor_reduce_scatter_halving(plan, &plan->everyone, in, starts, cor_ref_block(out, starts, plan->rank));
    cor_allgather_bde(plan, &plan->everyone, out, starts);
}

const cor_algorithm cor_allreduce_rabenseifner_row = {
    .primitive = COR_ALLREDUCE,
    .name = "rabenseifner",
    .summary = "Rabenseifner's: reduce-scatter by recursive halving, allgather by recursive doubling",
    .cost = "2 lg p a + 2 n b + n g",
    .needs = COR_NEEDS_COMMUTATIVE,
    .build = allreduce_rabenseifner,
};
