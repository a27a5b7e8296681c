/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' flat tree: directly between every rank and the root; to it, gather, and from it, scatter. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void ft_build(cor_plan *plan, cor_way way, int is_blocking)
{
    int all = way == COR_TO_ROOT ? COR_SLOT_RECV : COR_SLOT_SEND;
    int mine = way == COR_TO_ROOT ? COR_SLOT_SEND : COR_SLOT_RECV;
    size_t bytes = plan->rank == plan->root ? plan->starts[plan->size] : 0;
    cor_blocks_ft(plan, &plan->everyone, way, plan->root, cor_ref_slot(all, bytes), plan->starts,
                  cor_ref_slot(mine, plan->bytes), is_blocking);
}

static void ft_gather_blocking(cor_plan *plan)
{
    ft_build(plan, COR_TO_ROOT, 1);
}

static void ft_gather(cor_plan *plan)
{
    ft_build(plan, COR_TO_ROOT, 0);
}

static void ft_scatter_blocking(cor_plan *plan)
{
    ft_build(plan, COR_FROM_ROOT, 1);
}

static void ft_scatter(cor_plan *plan)
{
    ft_build(plan, COR_FROM_ROOT, 0);
}

#define FT_GATHER_BFT                                                                                                 \
    .name = "bft", .summary = "flat tree: the root receives one block after the other", .cost = "(p - 1) (a + n b)",  \
    .build = ft_gather_blocking
#define FT_GATHER_NBFT                                                                                                \
    .name = "nbft", .summary = "flat tree: the root posts its receives from all ranks at once",                       \
    .cost = "(p - 1) (a + n b), overlapped", .build = ft_gather
#define FT_SCATTER_BFT                                                                                                \
    .name = "bft", .summary = "flat tree: the root sends one block after the other", .cost = "(p - 1) (a + n b)",     \
    .build = ft_scatter_blocking
#define FT_SCATTER_NBFT                                                                                               \
    .name = "nbft", .summary = "flat tree: the root starts its sends to all ranks at once",                           \
    .cost = "(p - 1) (a + n b), overlapped", .build = ft_scatter

const cor_algorithm cor_gather_bft_row = {.primitive = COR_GATHER, FT_GATHER_BFT};
const cor_algorithm cor_gatherv_bft_row = {.primitive = COR_GATHERV, FT_GATHER_BFT};
const cor_algorithm cor_gather_nbft_row = {.primitive = COR_GATHER, FT_GATHER_NBFT};
const cor_algorithm cor_gatherv_nbft_row = {.primitive = COR_GATHERV, FT_GATHER_NBFT};
const cor_algorithm cor_scatter_bft_row = {.primitive = COR_SCATTER, FT_SCATTER_BFT};
const cor_algorithm cor_scatterv_bft_row = {.primitive = COR_SCATTERV, FT_SCATTER_BFT};
const cor_algorithm cor_scatter_nbft_row = {.primitive = COR_SCATTER, FT_SCATTER_NBFT};
const cor_algorithm cor_scatterv_nbft_row = {.primitive = COR_SCATTERV, FT_SCATTER_NBFT};
