#include "coll/pattern/coll_tree.h"

/* What a member collects: the blocks of its subtree. A member that stands for itself alone needs to know no starts. */
typedef struct gather_hold {
    cor_ref ref;
    size_t from; /* the byte of the stream that is the first of ref */
} gather_hold;

static cor_ref gather_blocks(const gather_hold *hold, const size_t *starts, int low, int high)
{
    return cor_ref_part(hold->ref, starts[low] - hold->from, starts[high + 1] - starts[low]);
}

/* All receives at once, the children with the least below them first: they are ready first. */
static void gather_receive(cor_plan *plan, const cor_party *party, const cor_tree *tree, const gather_hold *hold,
                           const size_t *starts, int is_blocking)
{
    for (int i = tree->child_count - 1; i >= 0; i--) {
        const cor_tree_child *child = &tree->children[i];
        int received = cor_plan_recv(plan, party, child->member, gather_blocks(hold, starts, child->low, child->high));
        if (is_blocking)
            cor_plan_wait(plan, received);
    }
}

static void gather_up(cor_plan *plan, const cor_party *party, const cor_tree *tree, cor_ref mine, cor_ref all,
                      const size_t *starts, int is_blocking)
{
    if (tree->parent >= 0 && tree->low == tree->high) {
        cor_plan_wait(plan, cor_plan_send(plan, party, tree->parent, mine));
        return;
    }
    gather_hold hold = {all, 0};
    if (tree->parent >= 0) {
        hold.from = starts[tree->low];
        hold.ref = cor_plan_temp(plan, starts[tree->high + 1] - hold.from);
    }
    gather_receive(plan, party, tree, &hold, starts, is_blocking);
    cor_plan_copy(plan, mine, gather_blocks(&hold, starts, party->me, party->me));
    cor_plan_wait_all(plan);
    if (tree->parent >= 0)
        cor_plan_wait(plan, cor_plan_send(plan, party, tree->parent, hold.ref));
}

void cor_gather_ft(cor_plan *plan, const cor_party *party, int root, cor_ref mine, cor_ref all, const size_t *starts,
                   int is_blocking)
{
    cor_tree tree = cor_tree_flat(plan, party, root);
    if (party->me >= 0)
        gather_up(plan, party, &tree, mine, all, starts, is_blocking);
}

void cor_gather_mst(cor_plan *plan, const cor_party *party, int root, cor_ref mine, cor_ref all, const size_t *starts)
{
    cor_tree tree = cor_tree_mst(plan, party, root);
    if (party->me >= 0)
        gather_up(plan, party, &tree, mine, all, starts, 0);
}

void cor_gather_mst_within(cor_plan *plan, const cor_party *party, int root, cor_ref all, const size_t *starts)
{
    cor_tree tree = cor_tree_mst(plan, party, root);
    if (party->me < 0)
        return;
    gather_hold hold = {all, 0};
    gather_receive(plan, party, &tree, &hold, starts, 0);
    cor_plan_wait_all(plan);
    if (tree.parent >= 0)
        cor_plan_wait(plan,
                      cor_plan_send(plan, party, tree.parent, gather_blocks(&hold, starts, tree.low, tree.high)));
}
