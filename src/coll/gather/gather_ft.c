/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' flat tree: every rank sends to the root itself. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void gather_build_as(cor_plan *plan, int is_blocking)
{
    size_t bytes = plan->rank == plan->root ? plan->starts[plan->size] : 0;
    cor_blocks_ft(plan, &plan->everyone, COR_TO_ROOT, plan->root, cor_ref_slot(COR_SLOT_RECV, bytes), plan->starts,
                  cor_ref_slot(COR_SLOT_SEND, plan->bytes), is_blocking);
}

static void gather_build_blocking(cor_plan *plan)
{
    gather_build_as(plan, 1);
}

static void gather_build(cor_plan *plan)
{
    gather_build_as(plan, 0);
}

#define GATHER_BFT_ROW                                                                                                \
    .name = "bft", .summary = "flat tree: the root receives one block after the other", .cost = "(p - 1) (a + n b)",  \
    .build = gather_build_blocking
#define GATHER_NBFT_ROW                                                                                               \
    .name = "nbft", .summary = "flat tree: the root posts its receives from all ranks at once",                       \
    .cost = "(p - 1) (a + n b), overlapped", .build = gather_build

const cor_algorithm cor_gather_bft_row = {.primitive = COR_GATHER, GATHER_BFT_ROW};
const cor_algorithm cor_gatherv_bft_row = {.primitive = COR_GATHERV, GATHER_BFT_ROW};
const cor_algorithm cor_gather_nbft_row = {.primitive = COR_GATHER, GATHER_NBFT_ROW};
const cor_algorithm cor_gatherv_nbft_row = {.primitive = COR_GATHERV, GATHER_NBFT_ROW};
