/* Short values: the root combines what all others have written. Long ones: see board_reduce.h. */
#include "coll/board/board_area.h"
#include "coll/board/board_reduce.h"
#include "coll/board/board_stream.h"

/* At the root: what the others have written, as far as it fits. */
static int reduce_board_at_root(cor_board *board, const cor_call *call, size_t bytes, uint64_t word)
{
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    const cor_payload *out = &call->recv.payload;
    char copy[COR_BOARD_LEAF_BYTES], result[COR_BOARD_LEAF_BYTES];
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
    /* In a chain that keeps the order of the ranks somebody would wait for the root to begin, if it has other lengths:
     * so the root writes a line then, too. */
    int is_writer = !is_root || COR_UNLIKELY(!call->reducer.op->is_commutative);
    int rc = is_writer ? cor_board_await_row(board) : COR_OK;
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

static int reduce_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    const cor_stream *in = call->is_in_place ? &call->recv : &call->send;
    size_t bytes = in->payload.bytes;
    if (cor_board_buffer_bytes(board, parameters[0], bytes, call->reducer.type->size) == 0)
        return COR_AGAIN;
    board->op++;
    if (board->size == 1) {
        if (!call->is_in_place)
            cor_payload_copy(&call->recv.payload, &in->payload, bytes);
        cor_board_end(board);
        return COR_OK;
    }
    if (bytes <= COR_BOARD_LEAF_BYTES)
        return reduce_board_short(board, call, bytes);
    return cor_board_reduce_long(board, call, call->root, parameters[0], parameters[1]);
}

const cor_algorithm cor_reduce_board_row = {
    .primitive = COR_REDUCE,
    .name = "board",
    .summary =
        "shared memory: the root combines what all have written; long ones in a chain of ranks, or all take shares",
    .cost = "a + n b + (p - 1) n g; long: n (2 b + g)",
    .needs = COR_BOARD_ROOM_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER, COR_BOARD_WAY_PARAMETER},
    .run = reduce_board_run,
};
