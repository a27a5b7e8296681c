/* SPDX-License-Identifier: Apache-2.0 */
/* As in MPJ Express: all signal one rank, which answers down a tree. */
#include "coll/pattern/coll_tree.h"
#include "coll/plan/algorithm.h"

static void barrier_build(cor_plan *plan)
{
    cor_tree flat = cor_tree_flat(plan, &plan->everyone, 0);
    cor_tree_meet(plan, &plan->everyone, &flat);
    cor_bcast_tree(plan, &plan->everyone, 0, cor_ref_slot(COR_SLOT_TEMP, 0), (int)plan->parameters[0]);
}

const cor_algorithm cor_barrier_ft_row = {
    .primitive = COR_BARRIER,
    .name = "ft",
    .summary = "every rank signals rank 0, which answers down a tree, as in MPJ Express",
    .cost = "(p - 1 + fan log_fan p) a",
    .parameters = {{"fan", 4, 1, 65536, "children of a rank in the tree of the answer"}},
    .build = barrier_build,
};
