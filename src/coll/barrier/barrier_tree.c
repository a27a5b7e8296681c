/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks share CPUs, the number of turns that each rank needs matters most: up and down a broad tree takes two
 * turns for any number of ranks, dissemination one in each round. */
#include "coll/pattern/coll_tree.h"
#include "coll/plan/algorithm.h"

static void barrier_build(cor_plan *plan)
{
    cor_tree tree = cor_tree_fan(plan, &plan->everyone, 0, (int)plan->parameters[0]);
    cor_tree_meet(plan, &plan->everyone, &tree);
    cor_tree_bcast(plan, &plan->everyone, &tree, cor_ref_slot(COR_SLOT_TEMP, 0), 0);
}

const cor_algorithm cor_barrier_tree_row = {
    .primitive = COR_BARRIER,
    .name = "tree",
    .summary = "up and down a tree with many children a rank: few rounds, for ranks that share CPUs",
    .cost = "2 fan log_fan p a",
    .parameters = {{"fan", 16, 1, 65536, "children of a rank"}},
    .build = barrier_build,
};
