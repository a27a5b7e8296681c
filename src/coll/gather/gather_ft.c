#include "coll/algorithm.h"
#include "coll/pattern.h"

static void gather_build_as(cor_plan *plan, int is_blocking)
{
    size_t bytes = plan->rank == plan->root ? plan->starts[plan->size] : 0;
    cor_gather_ft(plan, &plan->everyone, plan->root, cor_plan_slot(plan, COR_SLOT_SEND, plan->bytes),
                  cor_plan_slot(plan, COR_SLOT_RECV, bytes), plan->starts, is_blocking);
}

static void gather_build_blocking(cor_plan *plan)
{
    gather_build_as(plan, 1);
}

static void gather_build(cor_plan *plan)
{
    gather_build_as(plan, 0);
}

const cor_algorithm cor_gather_bft_row = {
    .primitive = COR_GATHER,
    .name = "bft",
    .summary = "flat tree: the root receives one block after the other",
    .cost = "(p - 1) (a + n b)",
    .build = gather_build_blocking,
};

const cor_algorithm cor_gather_nbft_row = {
    .primitive = COR_GATHER,
    .name = "nbft",
    .summary = "flat tree: the root posts its receives from all ranks at once",
    .cost = "(p - 1) (a + n b), overlapped",
    .build = gather_build,
};

const cor_algorithm cor_gatherv_bft_row = {
    .primitive = COR_GATHERV,
    .name = "bft",
    .summary = "flat tree: the root receives one block after the other",
    .cost = "(p - 1) (a + n b)",
    .build = gather_build_blocking,
};

const cor_algorithm cor_gatherv_nbft_row = {
    .primitive = COR_GATHERV,
    .name = "nbft",
    .summary = "flat tree: the root posts its receives from all ranks at once",
    .cost = "(p - 1) (a + n b), overlapped",
    .build = gather_build,
};
