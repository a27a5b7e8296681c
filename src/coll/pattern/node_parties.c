/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/pattern/node_parties.h"

#include "coll/plan/plan_table.h"
#include "mp/nodes.h"

/* Where the members of each node begin when ranks are put in the order of their nodes. */
static int *parties_firsts(cor_plan *plan, const cor_nodes *nodes)
{
    int is_made;
    int *firsts = cor_plan_table(plan, "node firsts", 0, ((size_t)nodes->count + 1) * sizeof *firsts, &is_made);
    if (!firsts || is_made)
        return firsts;
    for (int rank = 0; rank < plan->size; rank++)
        firsts[nodes->node_of[rank] + 1]++;
    for (int node = 0; node < nodes->count; node++)
        firsts[node + 1] += firsts[node];
    return firsts;
}

/* Ranks in the order of their nodes, and behind them the leader of each node. The leaders begin as where the next
 * member of their node goes. */
static int *parties_order(cor_plan *plan, const cor_nodes *nodes, const int *firsts, int root)
{
    int is_made;
    size_t count = (size_t)plan->size + (size_t)nodes->count;
    int *order = cor_plan_table(plan, "node order", (uint64_t)(root + 1), count * sizeof *order, &is_made);
    if (!order || is_made)
        return order;
    int *leaders = order + plan->size;
    for (int node = 0; node < nodes->count; node++)
        leaders[node] = firsts[node];
    for (int rank = 0; rank < plan->size; rank++)
        order[leaders[nodes->node_of[rank]]++] = rank;
    for (int node = 0; node < nodes->count; node++)
        leaders[node] = order[firsts[node]];
    if (root >= 0)
        leaders[nodes->node_of[root]] = root;
    return order;
}

int cor_node_parties_find(cor_plan *plan, int root, cor_node_parties *parties_p)
{
    const cor_nodes *nodes = cor_comm_nodes(plan->comm);
    if (!nodes) {
        plan->error = COR_ERR_MEMORY;
        return 0;
    }
    const int *firsts = parties_firsts(plan, nodes);
    const int *order = firsts ? parties_order(plan, nodes, firsts, root) : NULL;
    if (!order)
        return 0;
    const int *leaders = order + plan->size;
    int node = nodes->node_of[plan->rank];
    cor_party inside = {firsts[node + 1] - firsts[node], 0, order + firsts[node]};
    int leader = 0;
    while (inside.ranks[inside.me] != plan->rank)
        inside.me++;
    while (inside.ranks[leader] != leaders[node])
        leader++;
    cor_party among = {nodes->count, leader == inside.me ? node : -1, leaders};
    int top = root >= 0 ? nodes->node_of[root] : 0;
    *parties_p = (cor_node_parties){inside, among, leader, node, top, nodes->is_blocked, order, firsts};
    return 1;
}
