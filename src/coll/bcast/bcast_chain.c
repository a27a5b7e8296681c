/* SPDX-License-Identifier: Apache-2.0 */
/* For very long data, where it matters most that every rank sends and receives all the time. */
#include "coll/pattern/coll_tree.h"
#include "coll/plan/algorithm.h"

static void bcast_build(cor_plan *plan)
{
    cor_tree chain = cor_tree_chain(plan, &plan->everyone, plan->root);
    cor_tree_bcast_pieces(plan, &plan->everyone, &chain, 1, cor_ref_slot(COR_SLOT_RECV, plan->bytes),
                          plan->parameters[0]);
}

const cor_algorithm cor_bcast_chain_row = {
    .primitive = COR_BCAST,
    .name = "chain",
    .summary = "pipeline: pieces go from rank to rank, each rank hands one on while the next arrives",
    .cost = "(p - 2 + n/s) (a + s b)",
    .parameters = {{"segment", 64 << 10, 1, (size_t)1 << 40, "s, bytes of a piece; longer where pieces get too many"}},
    .build = bcast_build,
};
