#include "coll/pattern/coll_tree.h"

/* What a member holds: the blocks of its subtree. A member that stands for itself alone needs to know no starts. */
typedef struct scatter_hold {
    cor_ref ref;
    size_t from; /* the byte of the stream that is the first of ref */
} scatter_hold;

static cor_ref scatter_blocks(const scatter_hold *hold, const size_t *starts, int low, int high)
{
    return cor_ref_part(hold->ref, starts[low] - hold->from, starts[high + 1] - starts[low]);
}

static void scatter_send(cor_plan *plan, const cor_party *party, const cor_tree *tree, const scatter_hold *hold,
                         const size_t *starts, int is_blocking)
{
    for (int i = 0; i < tree->child_count; i++) {
        const cor_tree_child *child = &tree->children[i];
        int sent = cor_plan_send(plan, party, child->member, scatter_blocks(hold, starts, child->low, child->high));
        if (is_blocking)
            cor_plan_wait(plan, sent);
    }
}

static void scatter_down(cor_plan *plan, const cor_party *party, const cor_tree *tree, cor_ref all,
                         const size_t *starts, cor_ref mine, int is_blocking)
{
    if (tree->parent >= 0 && tree->low == tree->high) {
        cor_plan_wait(plan, cor_plan_recv(plan, party, tree->parent, mine));
        return;
    }
    scatter_hold hold = {all, 0};
    if (tree->parent >= 0) {
        hold.from = starts[tree->low];
        hold.ref = cor_plan_temp(plan, starts[tree->high + 1] - hold.from);
        cor_plan_wait(plan, cor_plan_recv(plan, party, tree->parent, hold.ref));
    }
    scatter_send(plan, party, tree, &hold, starts, is_blocking);
    cor_plan_copy(plan, scatter_blocks(&hold, starts, party->me, party->me), mine);
    cor_plan_wait_all(plan);
}

void cor_scatter_ft(cor_plan *plan, const cor_party *party, int root, cor_ref all, const size_t *starts, cor_ref mine,
                    int is_blocking)
{
    cor_tree tree = cor_tree_flat(plan, party, root);
    if (party->me >= 0)
        scatter_down(plan, party, &tree, all, starts, mine, is_blocking);
}

void cor_scatter_mst(cor_plan *plan, const cor_party *party, int root, cor_ref all, const size_t *starts, cor_ref mine)
{
    cor_tree tree = cor_tree_mst(plan, party, root);
    if (party->me >= 0)
        scatter_down(plan, party, &tree, all, starts, mine, 0);
}

void cor_scatter_mst_within(cor_plan *plan, const cor_party *party, int root, cor_ref all, const size_t *starts)
{
    cor_tree tree = cor_tree_mst(plan, party, root);
    if (party->me < 0)
        return;
    scatter_hold hold = {all, 0};
    if (tree.parent >= 0)
        cor_plan_wait(plan,
                      cor_plan_recv(plan, party, tree.parent, scatter_blocks(&hold, starts, tree.low, tree.high)));
    scatter_send(plan, party, &tree, &hold, starts, 0);
    cor_plan_wait_all(plan);
}
