/* SPDX-License-Identifier: Apache-2.0 */
/* Bidirectional exchange, or recursive doubling: the number of blocks of a rank doubles in every round. */
#include "coll/allgather/allgather_begin.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

static void allgather_doubling(cor_plan *plan)
{
    cor_ref all = cor_allgather_begin(plan);
    cor_allgather_bde(plan, &plan->everyone, all, plan->starts);
}

#define ALLGATHER_BDE_ROW                                                                                             \
    .name = "bde", .summary = "bidirectional exchange: with twice as many partners in every round",                   \
    .cost = "lg p a + (p - 1) n b", .needs = COR_NEEDS_POWER_OF_TWO, .build = allgather_doubling
#define ALLGATHER_DOUBLING_ROW                                                                                        \
    .name = "doubling",                                                                                               \
    .summary = "recursive doubling for any number of ranks: an odd one out receives from a neighbour of its partner", \
    .cost = "lg p a + (p - 1) n b", .build = allgather_doubling

const cor_algorithm cor_allgather_bde_row = {.primitive = COR_ALLGATHER, ALLGATHER_BDE_ROW};
const cor_algorithm cor_allgatherv_bde_row = {.primitive = COR_ALLGATHERV, ALLGATHER_BDE_ROW};
const cor_algorithm cor_allgather_doubling_row = {.primitive = COR_ALLGATHER, ALLGATHER_DOUBLING_ROW};
const cor_algorithm cor_allgatherv_doubling_row = {.primitive = COR_ALLGATHERV, ALLGATHER_DOUBLING_ROW};
