/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that every reduce_scatter reads and writes. */
#ifndef COR_COLL_REDUCE_SCATTER_REFS_H
#define COR_COLL_REDUCE_SCATTER_REFS_H

#include "coll/plan/plan.h"

/* The values for all ranks. */
static inline cor_ref cor_reduce_scatter_in(const cor_plan *plan)
{
    return cor_ref_slot(COR_SLOT_SEND, plan->starts[plan->size]);
}

/* This rank's block of the result. In place it overlaps the beginning of the values. */
static inline cor_ref cor_reduce_scatter_out(const cor_plan *plan)
{
    return cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->rank + 1] - plan->starts[plan->rank]);
}

#endif
