/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' flat tree: the root sends to every rank itself. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void scatter_build_as(cor_plan *plan, int is_blocking)
{
    size_t bytes = plan->rank == plan->root ? plan->starts[plan->size] : 0;
    cor_blocks_ft(plan, &plan->everyone, COR_FROM_ROOT, plan->root, cor_ref_slot(COR_SLOT_SEND, bytes), plan->starts,
                  cor_ref_slot(COR_SLOT_RECV, plan->bytes), is_blocking);
}

static void scatter_build_blocking(cor_plan *plan)
{
    scatter_build_as(plan, 1);
}

static void scatter_build(cor_plan *plan)
{
    scatter_build_as(plan, 0);
}

#define SCATTER_BFT_ROW                                                                                               \
    .name = "bft", .summary = "flat tree: the root sends one block after the other", .cost = "(p - 1) (a + n b)",     \
    .build = scatter_build_blocking
#define SCATTER_NBFT_ROW                                                                                              \
    .name = "nbft", .summary = "flat tree: the root starts its sends to all ranks at once",                           \
    .cost = "(p - 1) (a + n b), overlapped", .build = scatter_build

const cor_algorithm cor_scatter_bft_row = {.primitive = COR_SCATTER, SCATTER_BFT_ROW};
const cor_algorithm cor_scatterv_bft_row = {.primitive = COR_SCATTERV, SCATTER_BFT_ROW};
const cor_algorithm cor_scatter_nbft_row = {.primitive = COR_SCATTER, SCATTER_NBFT_ROW};
const cor_algorithm cor_scatterv_nbft_row = {.primitive = COR_SCATTERV, SCATTER_NBFT_ROW};
