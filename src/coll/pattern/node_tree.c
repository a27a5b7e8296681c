/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/pattern/node_tree.h"

/* Append a tree's children, by their ranks. */
static void nodes_append(cor_tree *tree, const cor_tree *more, const cor_party *party)
{
    for (int i = 0; i < more->child_count; i++)
        tree->children[tree->child_count++].member = party->ranks[more->children[i].member];
    if (more->parent >= 0)
        tree->parent = party->ranks[more->parent];
}

cor_tree cor_tree_nodes(cor_plan *plan, const cor_node_parties *parties, int radix)
{
    cor_tree tree = {.parent = -1};
    cor_tree outer = radix > 0 ? cor_tree_knomial(plan, &parties->leaders, parties->top, radix)
                               : cor_tree_mst(plan, &parties->leaders, parties->top);
    cor_tree inner = cor_tree_mst(plan, &parties->inside, parties->leader);
    int count = outer.child_count + inner.child_count;
    tree.children = count > 0 ? cor_plan_note(plan, (size_t)count * sizeof *tree.children) : NULL;
    if (count > 0 && !tree.children)
        return tree;
    nodes_append(&tree, &outer, &parties->leaders);
    nodes_append(&tree, &inner, &parties->inside);
    return tree;
}
