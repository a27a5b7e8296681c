/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bruck's algorithm, for short blocks. Block j of a rank is the one for the rank j further on. In round k all blocks
 * whose j has bit k move 2^k ranks in one message, so each arrives after as many rounds as its j has bits. The blocks
 * of a message are packed; they stay where they arrived until they are packed for the next round.
 */
#include "coll/plan/algorithm.h"

/* Where block j is now. */
typedef struct bruck_blocks {
    cor_ref *where;
    cor_ref packed; /* what is sent in a round */
    size_t bytes;   /* of a block */
} bruck_blocks;

/* A round: pack, exchange, and remember where the blocks arrived. */
static void bruck_round(cor_plan *plan, bruck_blocks *blocks, int distance)
{
    int size = plan->size, count = 0;
    for (int j = distance; j < size; j++)
        if (j & distance)
            cor_plan_copy(plan, blocks->where[j],
                          cor_ref_part(blocks->packed, (size_t)count++ * blocks->bytes, blocks->bytes));
    cor_ref arrived = cor_plan_temp(plan, (size_t)count * blocks->bytes);
    cor_plan_exchange(plan, &plan->everyone, (plan->rank + distance) % size,
                      cor_ref_part(blocks->packed, 0, arrived.bytes), (plan->rank - distance + size) % size, arrived);
    count = 0;
    for (int j = distance; j < size; j++)
        if (j & distance)
            blocks->where[j] = cor_ref_part(arrived, (size_t)count++ * blocks->bytes, blocks->bytes);
}

static void alltoall_bruck(cor_plan *plan)
{
    int size = plan->size;
    cor_ref out = cor_ref_slot(COR_SLOT_SEND, plan->send_starts[size]);
    cor_ref in = cor_ref_slot(COR_SLOT_RECV, plan->recv_starts[size]);
    bruck_blocks blocks = {.bytes = plan->bytes};
    blocks.where = cor_plan_note(plan, (size_t)size * sizeof *blocks.where);
    if (!blocks.where || plan->bytes == 0)
        return;
    for (int j = 0; j < size; j++)
        blocks.where[j] = cor_ref_block(out, plan->send_starts, (plan->rank + j) % size);
    blocks.packed = cor_plan_temp(plan, (size_t)size * plan->bytes);
    for (int distance = 1; distance < size; distance *= 2)
        bruck_round(plan, &blocks, distance);
    for (int j = 0; j < size; j++)
        cor_plan_copy(plan, blocks.where[j], cor_ref_block(in, plan->recv_starts, (plan->rank - j + size) % size));
}

const cor_algorithm cor_alltoall_bruck_row = {
    .primitive = COR_ALLTOALL,
    .name = "bruck",
    .summary = "Bruck's, for short blocks: many blocks in a message, each travelling on in several rounds",
    .cost = "lg p (a + (p / 2) n b), and as much copied",
    .build = alltoall_bruck,
};
