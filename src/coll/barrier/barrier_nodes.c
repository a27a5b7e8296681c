/* SPDX-License-Identifier: Apache-2.0 */
/* By node: up to the leader, among the leaders, down again. */
#include "coll/pattern/node_tree.h"
#include "coll/plan/algorithm.h"

static void barrier_build(cor_plan *plan)
{
    cor_node_parties parties;
    if (!cor_node_parties_find(plan, 0, &parties))
        return;
    cor_tree tree = cor_tree_fan(plan, &parties.inside, parties.leader, (int)plan->parameters[0]);
    cor_tree_meet(plan, &parties.inside, &tree);
    cor_barrier_dissemination(plan, &parties.leaders);
    cor_tree_bcast(plan, &parties.inside, &tree, cor_ref_slot(COR_SLOT_TEMP, 0), 0);
}

const cor_algorithm cor_barrier_nodes_row = {
    .primitive = COR_BARRIER,
    .name = "nodes",
    .summary = "up a tree in every node, dissemination among one rank a node, down again",
    .cost = "lg nodes a, and 2 fan log_fan (p / nodes) a inside",
    .needs = COR_NEEDS_NODES,
    .parameters = {{"fan", 16, 1, 65536, "children of a rank inside a node"}},
    .build = barrier_build,
};
