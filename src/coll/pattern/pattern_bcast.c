/* SPDX-License-Identifier: Apache-2.0 */
/* Down a tree: the same data to every rank. */
#include "coll/pattern/coll_tree.h"

void cor_tree_bcast(cor_plan *plan, const cor_party *party, const cor_tree *tree, cor_ref data, int is_blocking)
{
    if (tree->parent >= 0)
        cor_plan_wait(plan, cor_plan_recv(plan, party, tree->parent, data));
    for (int i = 0; i < tree->child_count; i++) {
        int sent = cor_plan_send(plan, party, tree->children[i].member, data);
        if (is_blocking)
            cor_plan_wait(plan, sent);
    }
}

void cor_bcast_ft(cor_plan *plan, const cor_party *party, int root, cor_ref data, int is_blocking)
{
    cor_tree tree = cor_tree_flat(plan, party, root);
    cor_tree_bcast(plan, party, &tree, data, is_blocking);
}

void cor_bcast_mst(cor_plan *plan, const cor_party *party, int root, cor_ref data)
{
    cor_tree tree = cor_tree_mst(plan, party, root);
    cor_tree_bcast(plan, party, &tree, data, 0);
}

void cor_bcast_tree(cor_plan *plan, const cor_party *party, int root, cor_ref data, int fan)
{
    cor_tree tree = cor_tree_fan(plan, party, root, fan);
    cor_tree_bcast(plan, party, &tree, data, 0);
}

void cor_bcast_knomial(cor_plan *plan, const cor_party *party, int root, cor_ref data, int radix)
{
    cor_tree tree = cor_tree_knomial(plan, party, root, radix);
    cor_tree_bcast(plan, party, &tree, data, 0);
}
