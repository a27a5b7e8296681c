/* SPDX-License-Identifier: Apache-2.0 */
/* Bidirectional exchange, or recursive halving: in every round a rank sends away half of its remaining values. */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"
#include "coll/reduce_scatter/reduce_scatter_refs.h"

static void reduce_scatter_halving(cor_plan *plan)
{
    cor_reduce_scatter_halving(plan, &plan->everyone, cor_reduce_scatter_in(plan), plan->starts,
                               cor_reduce_scatter_out(plan));
}

#define REDUCE_SCATTER_BDE_ROW                                                                                        \
    .name = "bde", .summary = "bidirectional exchange: half of what is left to a partner, in every round another",    \
    .cost = "lg p a + (p - 1) n (b + g)", .needs = COR_NEEDS_COMMUTATIVE | COR_NEEDS_POWER_OF_TWO,                    \
    .build = reduce_scatter_halving
#define REDUCE_SCATTER_HALVING_ROW                                                                                    \
    .name = "halving",                                                                                                \
    .summary = "recursive halving for any number of ranks: an odd one out sends to a neighbour of its partner",       \
    .cost = "lg p a + (p - 1) n (b + g)", .needs = COR_NEEDS_COMMUTATIVE, .build = reduce_scatter_halving

const cor_algorithm cor_reduce_scatter_bde_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_BDE_ROW};
const cor_algorithm cor_reduce_scatter_block_bde_row = {.primitive = COR_REDUCE_SCATTER_BLOCK, REDUCE_SCATTER_BDE_ROW};
const cor_algorithm cor_reduce_scatter_halving_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_HALVING_ROW};
const cor_algorithm cor_reduce_scatter_block_halving_row = {.primitive = COR_REDUCE_SCATTER_BLOCK,
                                                            REDUCE_SCATTER_HALVING_ROW};
