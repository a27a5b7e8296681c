/* SPDX-License-Identifier: Apache-2.0 */
/* In a binary tree half of the ranks are leaves that send nothing. Two trees, in which a leaf of the one has children
 * in the other, keep all of them busy: each rank receives the data once and sends them once. */
#include "coll/pattern/coll_tree.h"
#include "coll/plan/algorithm.h"

static void bcast_build(cor_plan *plan)
{
    cor_ref data = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    size_t half = (data.bytes + 1) / 2, segment = plan->parameters[0];
    cor_tree trees[2] = {cor_tree_twin(plan, &plan->everyone, plan->root, 0),
                         cor_tree_twin(plan, &plan->everyone, plan->root, 1)};
    cor_tree_bcast_pieces(plan, &plan->everyone, trees, 2, data, segment < half ? segment : half);
}

const cor_algorithm cor_bcast_double_tree_row = {
    .primitive = COR_BCAST,
    .name = "double_tree",
    .summary = "pipeline down two binary trees: each carries every other piece, all ranks send in one of them",
    .cost = "(2 lg p + n/s) (a + s b)",
    .parameters = {{"segment", 64 << 10, 1, (size_t)1 << 40, "s, bytes of a piece; longer where pieces get too many"}},
    .build = bcast_build,
};
