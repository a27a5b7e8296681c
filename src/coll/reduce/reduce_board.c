/* SPDX-License-Identifier: Apache-2.0 */
/* Short values: the root combines what all others have written. Long ones: see board_reduce.h. */
#include "coll/board/board_area.h"
#include "coll/board/board_reduce.h"
#include "coll/board/board_stream.h"

/* At the root: what the others have written, as far as it fits. */
static int reduce_board_at_root(cor_board *board, const cor_call *call, size_t bytes, uint64_t word)
{
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    const cor_payload *out = &call->recv.payload;
    char copy[COR_BOARD_SLOT_BYTES], result[COR_BOARD_SLOT_BYTES];
    int is_copied = in->payload.ops || call->is_in_place;
    const char *own = is_copied ? copy : in->payload.base;
    char *target = out->ops ? result : out->base;
    if (is_copied)
        cor_payload_read(&in->payload, 0, copy, bytes);
    int rc = cor_board_await_values(board, word);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    rc = cor_board_combine(board, &call->reducer, own, target, bytes);
    if (out->ops)
        out->ops->write(out, 0, result, bytes);
    return rc;
}

static int reduce_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int is_root = board->rank == call->root;
    /* In a chain that keeps the order of the ranks a rank would wait for the root to begin, if it has other lengths:
     * so the root writes a line then, too. */
    int is_writer = !is_root || COR_UNLIKELY(!call->reducer.op->is_commutative);
    int rc = is_writer ? cor_board_await_place(board, bytes) : COR_OK;
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    if (!is_root)
        cor_board_put(&in->payload, cor_board_place(board, board->rank, bytes), bytes);
    if (is_writer)
        cor_board_post(board, word);
    if (is_root)
        rc = reduce_board_at_root(board, call, bytes, word);
    cor_board_end_later(board);
    return rc;
}

typedef int (*reduce_board_long_fn)(cor_board *board, const cor_call *call, int root, size_t wanted_bytes);

static int reduce_board_run(const cor_call *call, size_t wanted_bytes, reduce_board_long_fn reduce_long)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    size_t bytes = in->payload.bytes;
    if (cor_board_buffer_bytes(board, wanted_bytes, bytes, call->reducer.type->size) == 0)
        return COR_AGAIN;
    board->op++;
    if (board->size == 1) {
        if (!call->is_in_place)
            cor_payload_copy(&call->recv.payload, &in->payload, bytes);
        cor_board_end(board);
        return COR_OK;
    }
    if (bytes <= COR_BOARD_SLOT_BYTES)
        return reduce_board_short(board, call, bytes);
    return reduce_long(board, call, call->root, wanted_bytes);
}

static int reduce_board_chain_run(const cor_call *call, const size_t *parameters)
{
    return reduce_board_run(call, parameters[0], cor_board_chain);
}

static int reduce_board_shares_run(const cor_call *call, const size_t *parameters)
{
    return reduce_board_run(call, parameters[0], cor_board_shares);
}

static int reduce_board_rooted_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return reduce_board_run(call, 0, cor_board_rooted);
}

const cor_algorithm cor_reduce_board_chain_row = {
    .primitive = COR_REDUCE,
    .name = "board_chain",
    .summary = "shared memory: the root combines what all have written; long values go from rank to rank in pieces",
    .cost = "a + n b + (p - 1) n g; long: n (2 b + g)",
    .needs = COR_BOARD_ROOM_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = reduce_board_chain_run,
};

const cor_algorithm cor_reduce_board_shares_row = {
    .primitive = COR_REDUCE,
    .name = "board_shares",
    .summary = "shared memory: the root combines what all have written; of long values each rank takes shares",
    .cost = "a + n b + (p - 1) n g; long: 2 n b + n g",
    .needs = COR_BOARD_ROOM_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = reduce_board_shares_run,
};

const cor_algorithm cor_reduce_board_rooted_row = {
    .primitive = COR_REDUCE,
    .name = "board_rooted",
    .summary = "shared memory: all others write their values and leave, the root combines them",
    .cost = "a + n b + (p - 1) n g",
    .needs = COR_BOARD_ROOM_NEEDS,
    .run = reduce_board_rooted_run,
};
