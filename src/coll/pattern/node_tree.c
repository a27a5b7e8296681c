#include "coll/pattern/node_tree.h"

int cor_node_led_by(const cor_node_parties *parties, int rank)
{
    int node = 0;
    while (parties->leaders.ranks[node] != rank)
        node++;
    return node;
}

/* Append a tree's children, by their ranks. */
static void nodes_append(cor_tree *tree, const cor_tree *more, const cor_party *party)
{
    for (int i = 0; i < more->child_count; i++)
        tree->children[tree->child_count++].member = party->ranks[more->children[i].member];
    if (more->parent >= 0)
        tree->parent = party->ranks[more->parent];
}

cor_tree cor_tree_nodes(cor_plan *plan, const cor_node_parties *parties, int root, int radix)
{
    int top = cor_node_led_by(parties, root);
    cor_tree tree = {.parent = -1};
    cor_tree outer =
        radix > 0 ? cor_tree_knomial(plan, &parties->leaders, top, radix) : cor_tree_mst(plan, &parties->leaders, top);
    cor_tree inner = cor_tree_mst(plan, &parties->inside, parties->leader);
    int count = outer.child_count + inner.child_count;
    tree.children = count > 0 ? cor_plan_note(plan, (size_t)count * sizeof *tree.children) : NULL;
    if (count > 0 && !tree.children)
        return tree;
    nodes_append(&tree, &outer, &parties->leaders);
    nodes_append(&tree, &inner, &parties->inside);
    return tree;
}

int cor_node_blocks_init(cor_node_blocks *blocks, cor_plan *plan, const cor_node_parties *parties,
                         const size_t *starts)
{
    blocks->inside = cor_plan_note(plan, ((size_t)parties->inside.size + 1) * sizeof *blocks->inside);
    blocks->leaders = cor_plan_note(plan, ((size_t)parties->leaders.size + 1) * sizeof *blocks->leaders);
    if (!blocks->inside || !blocks->leaders)
        return 0;
    for (int i = 0; i < parties->inside.size; i++) {
        int rank = parties->inside.ranks[i];
        blocks->inside[i + 1] = blocks->inside[i] + starts[rank + 1] - starts[rank];
    }
    for (int node = 0; node < parties->leaders.size; node++) {
        blocks->leaders[node + 1] = blocks->leaders[node];
        for (int i = parties->firsts[node]; i < parties->firsts[node + 1]; i++)
            blocks->leaders[node + 1] += starts[parties->order[i] + 1] - starts[parties->order[i]];
    }
    return 1;
}
