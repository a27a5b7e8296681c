/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks between a root and every rank: down a tree they are scattered, up the same tree they are gathered. One is the
 * reverse of the other, with sends and receives exchanged.
 */
#include "coll/pattern/coll_tree.h"

typedef struct blocks_walk {
    cor_plan *plan;
    const cor_party *party;
    cor_way way;
    cor_tree tree;
    const size_t *starts; /* a member whose subtree is itself alone needs none */
    cor_ref held;         /* where this member has the blocks of its subtree */
    size_t from;          /* the byte of the stream that is the first of `held` */
} blocks_walk;

static cor_ref blocks_of(const blocks_walk *walk, int low, int high)
{
    return cor_ref_part(walk->held, walk->starts[low] - walk->from, walk->starts[high + 1] - walk->starts[low]);
}

static void blocks_with_parent(const blocks_walk *walk, cor_ref blocks)
{
    cor_plan *plan = walk->plan;
    int parent = walk->tree.parent;
    if (parent >= 0)
        cor_plan_wait(plan, walk->way == COR_TO_ROOT ? cor_plan_send(plan, walk->party, parent, blocks)
                                                     : cor_plan_recv(plan, walk->party, parent, blocks));
}

/* All at once, unless is_blocking. The member that has the most below it gets its blocks first, and has them together
 * last. */
static void blocks_with_children(const blocks_walk *walk, int is_blocking)
{
    cor_plan *plan = walk->plan;
    int count = walk->tree.child_count, is_up = walk->way == COR_TO_ROOT;
    for (int i = 0; i < count; i++) {
        const cor_tree_child *child = &walk->tree.children[is_up ? count - 1 - i : i];
        cor_ref blocks = blocks_of(walk, child->low, child->high);
        int transfer = is_up ? cor_plan_recv(plan, walk->party, child->member, blocks)
                             : cor_plan_send(plan, walk->party, child->member, blocks);
        if (is_blocking)
            cor_plan_wait(plan, transfer);
    }
}

/* `mine`: this member's own block outside of `held`, or NULL. */
static void blocks_travel(const blocks_walk *walk, const cor_ref *mine, int is_blocking)
{
    cor_ref subtree = blocks_of(walk, walk->tree.low, walk->tree.high);
    if (walk->way == COR_FROM_ROOT)
        blocks_with_parent(walk, subtree);
    blocks_with_children(walk, is_blocking);
    if (mine) {
        cor_ref own = blocks_of(walk, walk->party->me, walk->party->me);
        cor_plan_copy(walk->plan, walk->way == COR_TO_ROOT ? *mine : own, walk->way == COR_TO_ROOT ? own : *mine);
    }
    cor_plan_wait_all(walk->plan);
    if (walk->way == COR_TO_ROOT)
        blocks_with_parent(walk, subtree);
}

/* `held` is the root's `all`: a member that is neither root nor leaf needs room of its own for the blocks of its
 * subtree. */
static void blocks_apart(blocks_walk *walk, cor_ref mine, int is_blocking)
{
    const cor_tree *tree = &walk->tree;
    if (walk->party->me < 0)
        return;
    if (tree->parent >= 0 && tree->low == tree->high) {
        blocks_with_parent(walk, mine);
        return;
    }
    walk->from = walk->starts[tree->low];
    if (tree->parent >= 0)
        walk->held = cor_plan_temp(walk->plan, walk->starts[tree->high + 1] - walk->from);
    blocks_travel(walk, &mine, is_blocking);
}

void cor_blocks_ft(cor_plan *plan, const cor_party *party, cor_way way, int root, cor_ref all, const size_t *starts,
                   cor_ref mine, int is_blocking)
{
    blocks_walk walk = {plan, party, way, cor_tree_flat(plan, party, root), starts, all, 0};
    blocks_apart(&walk, mine, is_blocking);
}

void cor_blocks_mst(cor_plan *plan, const cor_party *party, cor_way way, int root, cor_ref all, const size_t *starts,
                    cor_ref mine)
{
    blocks_walk walk = {plan, party, way, cor_tree_mst(plan, party, root), starts, all, 0};
    blocks_apart(&walk, mine, 0);
}

void cor_blocks_mst_within(cor_plan *plan, const cor_party *party, cor_way way, int root, cor_ref all,
                           const size_t *starts)
{
    blocks_walk walk = {plan, party, way, cor_tree_mst(plan, party, root), starts, all, 0};
    if (party->me >= 0)
        blocks_travel(&walk, NULL, 0);
}
