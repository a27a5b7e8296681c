/* SPDX-License-Identifier: Apache-2.0 */
/* A binomial tree, whose ranks have fewer children to wait for than in a broader tree. It does not keep the order of
 * the ranks. */
#include "coll/pattern/coll_tree.h"
#include "coll/plan/algorithm.h"

static void reduce_build(cor_plan *plan)
{
    cor_tree tree = cor_tree_knomial(plan, &plan->everyone, plan->root, 2);
    cor_tree_reduce(plan, &plan->everyone, &tree, cor_ref_slot(COR_SLOT_SEND, plan->bytes),
                    cor_ref_slot(COR_SLOT_RECV, plan->bytes));
}

const cor_algorithm cor_reduce_binomial_row = {
    .primitive = COR_REDUCE,
    .name = "binomial",
    .summary = "binomial tree, counted from the root",
    .cost = "lg p (a + n b + n g)",
    .needs = COR_NEEDS_COMMUTATIVE,
    .build = reduce_build,
};
