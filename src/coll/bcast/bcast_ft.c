/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' flat tree: the root sends to every rank itself. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void bcast_build_blocking(cor_plan *plan)
{
    cor_bcast_ft(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes), 1);
}

static void bcast_build(cor_plan *plan)
{
    cor_bcast_ft(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes), 0);
}

const cor_algorithm cor_bcast_bft_row = {
    .primitive = COR_BCAST,
    .name = "bft",
    .summary = "flat tree: the root sends to one rank after the other",
    .cost = "(p - 1) (a + n b)",
    .build = bcast_build_blocking,
};

const cor_algorithm cor_bcast_nbft_row = {
    .primitive = COR_BCAST,
    .name = "nbft",
    .summary = "flat tree: the root starts its sends to all ranks at once",
    .cost = "(p - 1) (a + n b), overlapped",
    .build = bcast_build,
};
