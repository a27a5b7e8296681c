/* SPDX-License-Identifier: Apache-2.0 */
/* By node: to the leader, between the leaders, to every rank. */
#include "coll/pattern/node_parties.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void allreduce_nodes(cor_plan *plan)
{
    cor_ref in = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    cor_node_parties parties;
    if (plan->bytes == 0 || !cor_node_parties_find(plan, -1, &parties))
        return;
    cor_reduce_mst(plan, &parties.inside, parties.leader, in, out);
    cor_plan_wait_all(plan);
    cor_allreduce_bde(plan, &parties.leaders, out, out);
    cor_plan_wait_all(plan);
    cor_bcast_mst(plan, &parties.inside, parties.leader, out);
}

const cor_algorithm cor_allreduce_nodes_row = {
    .primitive = COR_ALLREDUCE,
    .name = "nodes",
    .summary = "by node: reduce to the leader, between the leaders by recursive doubling, broadcast",
    .cost = "lg p (a + n b + n g) between nodes, inside as mst",
    .needs = COR_NEEDS_COMMUTATIVE | COR_NEEDS_NODES,
    .build = allreduce_nodes,
};
