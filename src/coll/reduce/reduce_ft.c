/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' flat tree: the root combines everything itself. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void reduce_build_as(cor_plan *plan, int is_blocking)
{
    cor_reduce_ft(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_SEND, plan->bytes),
                  cor_ref_slot(COR_SLOT_RECV, plan->bytes), is_blocking);
}

static void reduce_build_blocking(cor_plan *plan)
{
    reduce_build_as(plan, 1);
}

static void reduce_build(cor_plan *plan)
{
    reduce_build_as(plan, 0);
}

const cor_algorithm cor_reduce_bft_row = {
    .primitive = COR_REDUCE,
    .name = "bft",
    .summary = "flat tree: the root receives and combines one rank's values after the other's",
    .cost = "(p - 1) (a + n b + n g)",
    .build = reduce_build_blocking,
};

const cor_algorithm cor_reduce_nbft_row = {
    .primitive = COR_REDUCE,
    .name = "nbft",
    .summary = "flat tree: the root posts as many receives as fit in 1 MiB, and combines in the order of the ranks",
    .cost = "(p - 1) (a + n b + n g), overlapped",
    .build = reduce_build,
};
