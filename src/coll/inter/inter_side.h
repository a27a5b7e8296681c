/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the algorithms on intercommunicators share. The first rank of each side communicates for it where one rank is
 * enough; inside a side the usual patterns run.
 */
#ifndef COR_COLL_INTER_SIDE_H
#define COR_COLL_INTER_SIDE_H

#include "coll/plan/call.h"
#include "coll/plan/plan.h"

/* The role of this rank in a call with a root. */
static inline int cor_inter_is_root(const cor_plan *plan)
{
    return plan->root == COR_ROOT;
}

static inline int cor_inter_is_beside_root(const cor_plan *plan)
{
    return plan->root == COR_PROC_NULL;
}

/* The first ranks of both sides exchange; every other rank does nothing. */
static inline void cor_inter_exchange(cor_plan *plan, cor_ref out, cor_ref in)
{
    if (plan->rank != 0)
        return;
    cor_plan_recv_across(plan, 0, in);
    cor_plan_send_across(plan, 0, out);
    cor_plan_wait_all(plan);
}

#endif
