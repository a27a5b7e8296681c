/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' algorithm for long data: no rank sends more than twice the data, for any number of ranks. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

enum { BUCKET_POSTED, BUCKET_BARRIER };

/* The root scatters pieces, then all put them together. */
static const size_t *bcast_scatter(cor_plan *plan, cor_ref data)
{
    const size_t *starts = cor_even_starts(plan, data.bytes, plan->size);
    if (starts)
        cor_blocks_mst_within(plan, &plan->everyone, COR_FROM_ROOT, plan->root, data, starts);
    return starts;
}

static void bcast_build_bucket(cor_plan *plan)
{
    cor_ref data = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    if (plan->parameters[BUCKET_BARRIER]) {
        cor_barrier_dissemination(plan, &plan->everyone);
        cor_plan_wait_all(plan);
    }
    const size_t *starts = bcast_scatter(plan, data);
    if (starts)
        cor_allgather_bucket(plan, &plan->everyone, data, starts, plan->parameters[BUCKET_POSTED] != 0);
}

static void bcast_build_bde(cor_plan *plan)
{
    cor_ref data = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    const size_t *starts = bcast_scatter(plan, data);
    if (starts)
        cor_allgather_bde(plan, &plan->everyone, data, starts);
}

const cor_algorithm cor_bcast_bucket_row = {
    .primitive = COR_BCAST,
    .name = "bucket",
    .summary = "minimum-spanning tree scatter of pieces, then a bucket allgather of them",
    .cost = "(lg p + p - 1) a + 2 (p - 1)/p n b",
    .parameters = {{"posted", 1, 0, 1, "1: all receives of the allgather are posted first"},
                   {"barrier", 0, 0, 1, "1: a barrier goes before, so that all ranks begin together"}},
    .build = bcast_build_bucket,
};

const cor_algorithm cor_bcast_scatter_bde_row = {
    .primitive = COR_BCAST,
    .name = "scatter_bde",
    .summary = "minimum-spanning tree scatter of pieces, then an allgather of them by bidirectional exchange",
    .cost = "2 lg p a + 2 (p - 1)/p n b",
    .build = bcast_build_bde,
};
