/* SPDX-License-Identifier: Apache-2.0 */
/* Messages without data: a member that has received from all, directly or indirectly, knows that all have called. */
#include "coll/pattern/coll_tree.h"

static const cor_ref nothing = {COR_SLOT_TEMP, 0, 0};

void cor_tree_meet(cor_plan *plan, const cor_party *party, const cor_tree *tree)
{
    for (int i = 0; i < tree->child_count; i++)
        cor_plan_recv(plan, party, tree->children[i].member, nothing);
    if (tree->child_count > 0)
        cor_plan_wait_all(plan);
    if (tree->parent >= 0)
        cor_plan_send(plan, party, tree->parent, nothing);
}

/* In round k every member signals the one 2^k further on and waits for the one 2^k back. */
void cor_barrier_dissemination(cor_plan *plan, const cor_party *party)
{
    int size = party->size, me = party->me;
    if (me < 0)
        return;
    for (int distance = 1; distance < size; distance *= 2)
        cor_plan_exchange(plan, party, (me + distance) % size, nothing, (me - distance + size) % size, nothing);
}

void cor_barrier_mst(cor_plan *plan, const cor_party *party)
{
    cor_tree tree = cor_tree_mst(plan, party, 0);
    cor_tree_meet(plan, party, &tree);
    cor_tree_bcast(plan, party, &tree, nothing, 0);
}
