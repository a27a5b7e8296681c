/* SPDX-License-Identifier: Apache-2.0 */
/* The same broadcast down three trees, which differ in how much each rank sends, and in their depth. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void bcast_build_binomial(cor_plan *plan)
{
    cor_bcast_knomial(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes), 2);
}

static void bcast_build_four(cor_plan *plan)
{
    cor_bcast_tree(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes), 4);
}

static void bcast_build_knomial(cor_plan *plan)
{
    cor_bcast_knomial(plan, &plan->everyone, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes),
                      (int)plan->parameters[0]);
}

const cor_algorithm cor_bcast_binomial_row = {
    .primitive = COR_BCAST,
    .name = "binomial",
    .summary = "binomial tree, counted from the root: in step i those that have the data send 2^i ranks on",
    .cost = "lg p (a + n b)",
    .build = bcast_build_binomial,
};

const cor_algorithm cor_bcast_four_row = {
    .primitive = COR_BCAST,
    .name = "four",
    .summary = "four-ary tree: every rank hands the data on to four others",
    .cost = "4 log_4 p (a + n b)",
    .build = bcast_build_four,
};

const cor_algorithm cor_bcast_knomial_row = {
    .primitive = COR_BCAST,
    .name = "knomial",
    .summary = "k-nomial tree: flatter than the binomial one, with more sends at once",
    .cost = "(k - 1) log_k p (a + n b)",
    .parameters = {{"radix", 4, 2, 65536, "k"}},
    .build = bcast_build_knomial,
};
