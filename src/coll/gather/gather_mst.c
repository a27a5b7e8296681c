#include "coll/algorithm.h"
#include "coll/pattern.h"

static void gather_build(cor_plan *plan)
{
    cor_gather_mst(plan, &plan->everyone, plan->root, cor_plan_slot(plan, COR_SLOT_SEND, plan->bytes),
                   cor_plan_slot(plan, COR_SLOT_RECV, plan->starts[plan->size]), plan->starts);
}

const cor_algorithm cor_gather_mst_row = {
    .primitive = COR_GATHER,
    .name = "mst",
    .summary = "minimum-spanning tree: halves of the ranks gather, then one hands its blocks to the other",
    .cost = "lg p a + (p - 1) n b",
    .build = gather_build,
};

const cor_algorithm cor_gatherv_mst_row = {
    .primitive = COR_GATHERV,
    .name = "mst",
    .summary = "minimum-spanning tree, after the root has told all ranks the lengths of the blocks",
    .cost = "2 lg p a + (p - 1) n b",
    .needs = COR_NEEDS_COUNTS,
    .build = gather_build,
};
