/* SPDX-License-Identifier: Apache-2.0 */
/* How every allgather begins: this rank's block goes to its place in RECV. */
#ifndef COR_COLL_ALLGATHER_BEGIN_H
#define COR_COLL_ALLGATHER_BEGIN_H

#include "coll/plan/plan.h"

/* All of RECV, with this rank's block in it. */
static inline cor_ref cor_allgather_begin(cor_plan *plan)
{
    cor_ref all = cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->size]);
    cor_ref mine = cor_ref_block(all, plan->starts, plan->rank);
    cor_plan_copy(plan, cor_ref_slot(COR_SLOT_SEND, plan->bytes), mine);
    return all;
}

#endif
