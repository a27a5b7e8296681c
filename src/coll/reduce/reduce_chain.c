/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline: pieces go from rank to rank, and each adds its own values. The chain ends at the root. If the operator is
 * not commutative it runs from the last rank to the first, which sends the pieces of the result to the root.
 *
 * A rank sends a piece from where it was combined: buffers are used in turn, and one is reused when its piece was sent.
 */
#include "coll/pattern/pieces.h"
#include "coll/plan/algorithm.h"

/* Pieces that are expected while one is combined, and rooms for them and for pieces that are being sent. */
enum { CHAIN_AHEAD = 2, CHAIN_ROOMS = 4, CHAIN_BEHIND = CHAIN_ROOMS - CHAIN_AHEAD };

typedef struct chain {
    cor_plan *plan;
    cor_pieces in, out;
    int from, to;   /* ranks, or -1: begins or ends here */
    int has_result; /* the root, and the pieces of the result come from rank 0 */
    cor_ref rooms[CHAIN_ROOMS];
    int *received, *sent; /* by piece */
} chain;

static cor_ref chain_room(const chain *line, int number)
{
    return cor_ref_part(line->rooms[number % CHAIN_ROOMS], 0, cor_piece(&line->in, number).bytes);
}

static void chain_expect(chain *line, int number)
{
    if (line->from >= 0 && number < line->in.count)
        line->received[number] =
            cor_plan_recv(line->plan, &line->plan->everyone, line->from, chain_room(line, number));
}

/* What has been sent need not be kept: neither the room, nor, in place, what the result is written over. */
static void chain_wait_sent(chain *line, int number)
{
    if (number < 0 || line->to < 0)
        return;
    cor_plan_wait(line->plan, line->sent[number]);
    if (line->has_result)
        cor_plan_recv(line->plan, &line->plan->everyone, 0, cor_piece(&line->out, number));
}

/* Where the piece is when this rank's values are in it. */
static cor_ref chain_combine(chain *line, int number)
{
    cor_plan *plan = line->plan;
    cor_ref own = cor_piece(&line->in, number), room = chain_room(line, number);
    if (line->from < 0)
        return own;
    cor_plan_wait(plan, line->received[number]);
    if (line->to >= 0) {
        cor_plan_reduce(plan, own, room, room);
        return room;
    }
    cor_ref out = cor_piece(&line->out, number);
    if (plan->is_commutative) {
        cor_plan_reduce(plan, room, own, out);
    } else if (cor_plan_is_same(plan, own, out)) {
        cor_plan_reduce(plan, own, room, room);
        cor_plan_copy(plan, room, out);
    } else {
        cor_plan_reduce(plan, own, room, out);
    }
    return out;
}

/* Places count from the end of the chain. */
static void chain_init(chain *line, cor_plan *plan)
{
    int size = plan->size, first = plan->is_commutative ? plan->root : 0;
    int place = (plan->rank - first + size) % size;
    *line = (chain){.plan = plan};
    line->in = cor_pieces_cut(plan, cor_ref_slot(COR_SLOT_SEND, plan->bytes), plan->parameters[0]);
    line->out = cor_pieces_cut(plan, cor_ref_slot(COR_SLOT_RECV, plan->bytes), plan->parameters[0]);
    line->from = place < size - 1 ? (plan->rank + 1) % size : -1;
    if (place > 0)
        line->to = (plan->rank + size - 1) % size;
    else
        line->to = plan->rank == plan->root ? -1 : plan->root;
    line->has_result = plan->rank == plan->root && place > 0;
    for (int i = 0; line->from >= 0 && i < CHAIN_ROOMS && i < line->in.count; i++)
        line->rooms[i] = cor_plan_temp(plan, line->in.bytes);
    line->received = cor_plan_note(plan, (size_t)line->in.count * sizeof *line->received);
    line->sent = cor_plan_note(plan, (size_t)line->in.count * sizeof *line->sent);
}

static void reduce_build(cor_plan *plan)
{
    chain line;
    if (plan->size == 1) {
        cor_plan_copy(plan, cor_ref_slot(COR_SLOT_SEND, plan->bytes), cor_ref_slot(COR_SLOT_RECV, plan->bytes));
        return;
    }
    chain_init(&line, plan);
    if (plan->error != COR_OK)
        return;
    int count = line.in.count;
    for (int i = 0; i < CHAIN_AHEAD; i++)
        chain_expect(&line, i);
    for (int i = 0; i < count; i++) {
        chain_wait_sent(&line, i - CHAIN_BEHIND);
        chain_expect(&line, i + CHAIN_AHEAD);
        cor_ref piece = chain_combine(&line, i);
        if (line.to >= 0)
            line.sent[i] = cor_plan_send(plan, &plan->everyone, line.to, piece);
    }
    for (int i = count; i < count + CHAIN_BEHIND; i++)
        chain_wait_sent(&line, i - CHAIN_BEHIND);
}

const cor_algorithm cor_reduce_chain_row = {
    .primitive = COR_REDUCE,
    .name = "chain",
    .summary = "pipeline: pieces go from rank to rank, each adds its values; keeps the order",
    .cost = "(p - 2 + n/s) (a + s b + s g)",
    .parameters = {{"segment", 64 << 10, 1, (size_t)1 << 40, "s, bytes of a piece; longer where pieces get too many"}},
    .build = reduce_build,
};
