/* The root writes, the others read, through shared memory; long ones in pieces, so that both sides copy at once. */
#include "coll/board.h"

static void bcast_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    if (board->rank == call->root) {
        cor_board_await_row(board);
        cor_payload_read(&call->recv.payload, 0, cor_board_place(board, board->rank, bytes), bytes);
        cor_board_post(board);
    } else {
        cor_board_await_line(board, call->root);
        cor_payload_write(&call->recv.payload, 0, cor_board_place(board, call->root, bytes), bytes);
    }
    cor_board_end(board);
}

/* Threads: from the root's buffer. */
static void bcast_board_direct(cor_board *board, const cor_call *call)
{
    if (board->rank == call->root) {
        cor_board_offer_stream(board, &call->recv, 0);
        cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(board->op));
        cor_board_withdraw(board);
    } else {
        cor_board_await_line(board, call->root);
        cor_board_fetch(board, call->root, 0, &call->recv, 0);
    }
    cor_board_end(board);
}

static void bcast_board_long(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    int root = call->root, is_root = board->rank == root;
    cor_board_turn(board);
    if (is_root)
        cor_board_await_half(board);
    size_t round = 0;
    for (size_t done = 0; done < bytes; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        char *buffer = cor_board_buffer(board, root, round, buffer_bytes);
        if (is_root) {
            if (round >= COR_BOARD_BUFFERS)
                cor_board_await(board, board->taken, 0, board->size,
                                cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
            cor_payload_read(&call->recv.payload, done, buffer, piece);
            cor_board_raise(&board->posted[root], cor_board_count(board, round + 1));
            cor_board_tell(board);
        } else {
            cor_board_await(board, board->posted, root, root + 1, cor_board_count(board, round + 1));
            cor_payload_write(&call->recv.payload, done, buffer, piece);
            if (done + piece < bytes) {
                cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
                cor_board_tell(board);
            }
        }
    }
    cor_board_end(board);
}

static int bcast_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t bytes = call->recv.payload.bytes;
    if (bytes == 0)
        cor_board_end(board);
    else if (bytes <= COR_BOARD_LEAF_BYTES)
        bcast_board_short(board, call, bytes);
    else if (board->is_one_process)
        bcast_board_direct(board, call);
    else
        bcast_board_long(board, call, bytes, cor_board_buffer_bytes(board, parameters[0], bytes, 0));
    return COR_OK;
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
