/* SPDX-License-Identifier: Apache-2.0 */
/* Each side combines its values at its first rank, and the results are then sent across. */
#include "coll/inter/inter_side.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

/* This side's values, combined: in temporary memory of its first rank. */
static cor_ref inter_combine(cor_plan *plan, size_t bytes)
{
    cor_ref sum = {COR_SLOT_TEMP, 0, bytes};
    if (plan->rank == 0)
        sum = cor_plan_temp(plan, bytes);
    cor_reduce_mst(plan, &plan->everyone, 0, cor_ref_slot(COR_SLOT_SEND, bytes), sum);
    cor_plan_wait_all(plan);
    return sum;
}

static void inter_reduce(cor_plan *plan)
{
    if (plan->bytes == 0 || cor_inter_is_beside_root(plan))
        return;
    if (cor_inter_is_root(plan)) {
        cor_plan_recv_across(plan, 0, cor_ref_slot(COR_SLOT_RECV, plan->bytes));
        return;
    }
    cor_ref sum = inter_combine(plan, plan->bytes);
    if (plan->rank == 0)
        cor_plan_send_across(plan, plan->root, sum);
}

static void inter_allreduce(cor_plan *plan)
{
    cor_ref out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    if (plan->bytes == 0)
        return;
    cor_inter_exchange(plan, inter_combine(plan, plan->bytes), out);
    cor_bcast_mst(plan, &plan->everyone, 0, out);
}

/* The blocks are this side's; both sides have as many bytes in all. */
static void inter_reduce_scatter(cor_plan *plan)
{
    size_t bytes = plan->starts[plan->size];
    if (bytes == 0)
        return;
    cor_ref sum = inter_combine(plan, bytes), theirs = {COR_SLOT_TEMP, 0, bytes};
    if (plan->rank == 0)
        theirs = cor_plan_temp(plan, bytes);
    cor_inter_exchange(plan, sum, theirs);
    cor_ref mine = cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->rank + 1] - plan->starts[plan->rank]);
    cor_blocks_mst(plan, &plan->everyone, COR_FROM_ROOT, 0, theirs, plan->starts, mine);
}

const cor_algorithm cor_reduce_inter_row = {
    .primitive = COR_REDUCE,
    .name = "inter",
    .summary = "the other side reduces to its first rank, which sends the result to the root",
    .cost = "(1 + lg p) (a + n b) + lg p n g",
    .needs = COR_NEEDS_INTER,
    .build = inter_reduce,
};

const cor_algorithm cor_allreduce_inter_row = {
    .primitive = COR_ALLREDUCE,
    .name = "inter",
    .summary = "each side reduces to its first rank; these exchange the results and broadcast",
    .cost = "(1 + 2 lg p) (a + n b) + lg p n g",
    .needs = COR_NEEDS_INTER,
    .build = inter_allreduce,
};

#define REDUCE_SCATTER_INTER_ROW                                                                                      \
    .name = "inter", .summary = "each side reduces to its first rank; these exchange the results and scatter",        \
    .cost = "(1 + 2 lg p) a + p n (2 + lg p) b + p n lg p g", .needs = COR_NEEDS_INTER, .build = inter_reduce_scatter

const cor_algorithm cor_reduce_scatter_inter_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_INTER_ROW};
const cor_algorithm cor_reduce_scatter_block_inter_row = {.primitive = COR_REDUCE_SCATTER_BLOCK,
                                                          REDUCE_SCATTER_INTER_ROW};
