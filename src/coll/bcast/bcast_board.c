/* The root writes, the others read, through shared memory; long ones in pieces, so that both sides copy at once. */
#include "coll/board.h"

static int bcast_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int rc = COR_OK;
    if (board->rank == call->root) {
        cor_board_await_row(board);
        cor_payload_read(&call->recv.payload, 0, cor_board_place(board, board->rank, bytes), bytes);
        cor_board_post(board, word);
    } else {
        cor_board_await_line(board, call->root);
        rc = cor_board_check(board, call->root, word);
        if (COR_LIKELY(rc == COR_OK))
            cor_payload_write(&call->recv.payload, 0, cor_board_place(board, call->root, bytes), bytes);
    }
    cor_board_end(board);
    return rc;
}

/* Threads: from the root's buffer. */
static int bcast_board_direct(cor_board *board, const cor_call *call)
{
    int rc = COR_OK;
    if (board->rank == call->root) {
        cor_board_offer_stream(board, &call->recv, 0);
        cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(board->op));
        cor_board_withdraw(board);
    } else {
        cor_board_await_line(board, call->root);
        rc = cor_board_fetch(board, call->root, 0, &call->recv, 0);
    }
    cor_board_end(board);
    return rc;
}

/* ---- in pieces -------------------------------------------------------------------------------------------------- */

static void bcast_board_send(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int root = call->root;
    size_t round = 0;
    cor_board_await_half(board);
    for (size_t done = 0; done < bytes; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        if (round >= COR_BOARD_BUFFERS)
            cor_board_await(board, board->taken, 0, board->size,
                            cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
        cor_payload_read(&call->recv.payload, done, cor_board_buffer(board, root, round, buffer_bytes), piece);
        cor_board_post_round(board, round, cor_board_word(bytes, COR_BOARD_ROUNDS));
    }
}

static int bcast_board_receive(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int root = call->root;
    size_t round = 0;
    for (size_t done = 0; done < bytes; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        cor_board_await_round(board, root, round);
        int rc = round == 0 ? cor_board_check(board, root, cor_board_word(bytes, COR_BOARD_ROUNDS)) : COR_OK;
        if (rc != COR_OK)
            return rc;
        cor_payload_write(&call->recv.payload, done, cor_board_buffer(board, root, round, buffer_bytes), piece);
        if (done + piece < bytes) {
            cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
            cor_board_tell(board);
        }
    }
    return COR_OK;
}

static int bcast_board_long(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int rc = COR_OK;
    if (board->rank == call->root)
        bcast_board_send(board, call, bytes, buffer_bytes);
    else
        rc = bcast_board_receive(board, call, bytes, buffer_bytes);
    cor_board_end(board);
    return rc;
}

static int bcast_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t bytes = call->recv.payload.bytes;
    if (bytes <= COR_BOARD_LEAF_BYTES)
        return bcast_board_short(board, call, bytes);
    if (board->is_one_process)
        return bcast_board_direct(board, call);
    return bcast_board_long(board, call, bytes, cor_board_buffer_bytes(board, parameters[0], bytes, 0));
}

const cor_algorithm cor_bcast_board_row = {
    .primitive = COR_BCAST,
    .name = "board",
    .summary = "shared memory: the root writes, all others read; threads read straight from the root's buffer",
    .cost = "a + 2 n b",
    .needs = COR_BOARD_NEEDS,
    .parameters = {COR_BOARD_PIECE_PARAMETER},
    .run = bcast_board_run,
};
