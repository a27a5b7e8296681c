/* SPDX-License-Identifier: Apache-2.0 */
/* Flat: the root receives from every rank of the other side, or sends to every one. */
#include "coll/inter/inter_side.h"
#include "coll/plan/algorithm.h"

static void inter_gather(cor_plan *plan)
{
    if (cor_inter_is_beside_root(plan))
        return;
    if (!cor_inter_is_root(plan)) {
        cor_plan_send_across(plan, plan->root, cor_ref_slot(COR_SLOT_SEND, plan->bytes));
        return;
    }
    cor_ref all = cor_ref_slot(COR_SLOT_RECV, plan->starts[plan->remote_size]);
    for (int from = 0; from < plan->remote_size; from++)
        cor_plan_recv_across(plan, from, cor_ref_block(all, plan->starts, from));
}

static void inter_scatter(cor_plan *plan)
{
    if (cor_inter_is_beside_root(plan))
        return;
    if (!cor_inter_is_root(plan)) {
        cor_plan_recv_across(plan, plan->root, cor_ref_slot(COR_SLOT_RECV, plan->bytes));
        return;
    }
    cor_ref all = cor_ref_slot(COR_SLOT_SEND, plan->starts[plan->remote_size]);
    for (int to = 0; to < plan->remote_size; to++)
        cor_plan_send_across(plan, to, cor_ref_block(all, plan->starts, to));
}

#define GATHER_INTER_ROW                                                                                              \
    .name = "inter", .summary = "flat: every rank of the other side sends to the root", .cost = "p (a + n b)",        \
    .needs = COR_NEEDS_INTER, .build = inter_gather
#define SCATTER_INTER_ROW                                                                                             \
    .name = "inter", .summary = "flat: the root sends to every rank of the other side", .cost = "p (a + n b)",        \
    .needs = COR_NEEDS_INTER, .build = inter_scatter

const cor_algorithm cor_gather_inter_row = {.primitive = COR_GATHER, GATHER_INTER_ROW};
const cor_algorithm cor_gatherv_inter_row = {.primitive = COR_GATHERV, GATHER_INTER_ROW};
const cor_algorithm cor_scatter_inter_row = {.primitive = COR_SCATTER, SCATTER_INTER_ROW};
const cor_algorithm cor_scatterv_inter_row = {.primitive = COR_SCATTERV, SCATTER_INTER_ROW};
