/* SPDX-License-Identifier: Apache-2.0 */
/* Bidirectional exchange, or recursive doubling: in every round two ranks exchange all values they have. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void allreduce_doubling(cor_plan *plan)
{
    cor_allreduce_bde(plan, &plan->everyone, cor_ref_slot(COR_SLOT_SEND, plan->bytes),
                      cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_allreduce_bde_row = {
    .primitive = COR_ALLREDUCE,
    .name = "bde",
    .summary = "bidirectional exchange: everything to a partner, in every round another",
    .cost = "lg p (a + n b + n g)",
    .needs = COR_NEEDS_POWER_OF_TWO,
    .build = allreduce_doubling,
};

const cor_algorithm cor_allreduce_doubling_row = {
    .primitive = COR_ALLREDUCE,
    .name = "doubling",
    .summary = "recursive doubling for any number of ranks: those too many are folded into their neighbours",
    .cost = "(lg p + 2) (a + n b) + (lg p + 1) n g",
    .build = allreduce_doubling,
};
