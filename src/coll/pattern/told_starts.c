/* SPDX-License-Identifier: Apache-2.0 */
/* In gatherv and scatterv only the root knows where the blocks begin: it broadcasts that, and then all build the rest
 * of their plans. */
#include "coll/pattern/pattern.h"
#include "coll/plan/plan_step.h"

#include <string.h>

static int told_put(cor_rank *rank, void *memory, const void *note)
{
    const cor_plan *plan = note;
    (void)rank;
    memcpy(memory, plan->starts, ((size_t)plan->size + 1) * sizeof *plan->starts);
    return COR_OK;
}

void cor_starts_tell(cor_plan *plan, cor_build_fn build)
{
    cor_ref starts = cor_plan_temp(plan, ((size_t)plan->size + 1) * sizeof *plan->starts);
    if (plan->rank == plan->root)
        cor_plan_call(plan, starts, told_put, plan);
    cor_bcast_mst(plan, &plan->everyone, plan->root, starts);
    cor_plan_set_rest(plan, starts, build);
}
