/*
 * Everybody writes its block, the root reads all. Each sender's way depends on its own length, which the root knows
 * too: this serves gatherv as well.
 */
#include "coll/board.h"

static void gather_board_send(cor_board *board, const cor_call *call, size_t bytes, size_t buffer_bytes)
{
    if (bytes <= COR_BOARD_LEAF_BYTES) {
        cor_board_await_row(board);
        cor_payload_read(&call->send.payload, 0, cor_board_place(board, board->rank, bytes), bytes);
        cor_board_post(board);
        return;
    }
    cor_board_await_half(board);
    size_t round = 0;
    for (size_t done = 0; done < bytes; done += buffer_bytes, round++) {
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        if (round >= COR_BOARD_BUFFERS)
            cor_board_await(board, board->taken, call->root, call->root + 1,
                            cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
        cor_payload_read(&call->send.payload, done, cor_board_buffer(board, board->rank, round, buffer_bytes), piece);
        cor_board_raise(&board->posted[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
}

/* A round of everybody who has that much. Returns whether anybody had. */
static int gather_board_take(cor_board *board, const cor_call *call, size_t round, size_t buffer_bytes)
{
    size_t done = round * buffer_bytes;
    int has_any = 0;
    for (int i = 0; i < board->size; i++) {
        size_t bytes = cor_board_block_bytes(&call->recv, i);
        if (i == board->rank || bytes <= COR_BOARD_LEAF_BYTES || bytes <= done)
            continue;
        size_t piece = bytes - done < buffer_bytes ? bytes - done : buffer_bytes;
        cor_board_await(board, board->posted, i, i + 1, cor_board_count(board, round + 1));
        cor_board_write(&call->recv, i, done, cor_board_buffer(board, i, round, buffer_bytes), piece);
        has_any = 1;
    }
    if (has_any) {
        cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
    return has_any;
}

static void gather_board_take_short(cor_board *board, const cor_call *call)
{
    for (int i = 0; i < board->size; i++) {
        size_t bytes = cor_board_block_bytes(&call->recv, i);
        if (i == board->rank || bytes == 0 || bytes > COR_BOARD_LEAF_BYTES)
            continue;
        cor_board_await_line(board, i);
        cor_board_write(&call->recv, i, 0, cor_board_place(board, i, bytes), bytes);
    }
}

/* Threads: the root copies from the others' buffers. */
static void gather_board_direct(cor_board *board, const cor_call *call, size_t own_bytes)
{
    if (board->rank == call->root) {
        for (int i = 0; i < board->size; i++) {
            if (i == board->rank || cor_board_block_bytes(&call->recv, i) <= COR_BOARD_LEAF_BYTES)
                continue;
            cor_board_await_line(board, i);
            cor_board_fetch(board, i, 0, &call->recv, i);
        }
    } else if (own_bytes > COR_BOARD_LEAF_BYTES) {
        cor_board_offer_stream(board, &call->send, 0);
        cor_board_await(board, board->taken, call->root, call->root + 1, cor_board_done_count(board->op));
        cor_board_withdraw(board);
    }
}

static int gather_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t own_bytes = call->send.payload.bytes;
    size_t block_bytes = board->rank == call->root ? call->recv.bytes : own_bytes;
    size_t buffer_bytes =
        cor_board_buffer_bytes(board, parameters[0], call->primitive == COR_GATHER ? block_bytes : 0, 0);
    int is_direct = board->is_one_process;
    cor_board_turn(board);
    if (board->rank != call->root) {
        if (is_direct && own_bytes > COR_BOARD_LEAF_BYTES)
            gather_board_direct(board, call, own_bytes);
        else if (own_bytes > 0)
            gather_board_send(board, call, own_bytes, buffer_bytes);
    } else {
        if (!call->is_in_place)
            cor_board_copy_block(&call->recv, board->rank, &call->send, 0);
        gather_board_take_short(board, call);
        if (is_direct)
            gather_board_direct(board, call, own_bytes);
        else
            for (size_t round = 0; gather_board_take(board, call, round, buffer_bytes); round++)
                continue;
    }
    cor_board_end(board);
    return COR_OK;
}

#define GATHER_BOARD_ROW                                                                                              \
    .name = "board", .summary = "shared memory: all write, the root reads; of threads, straight from their buffers",  \
    .cost = "a + p n b", .needs = COR_BOARD_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER}, .run = gather_board_run

const cor_algorithm cor_gather_board_row = {.primitive = COR_GATHER, GATHER_BOARD_ROW};
const cor_algorithm cor_gatherv_board_row = {.primitive = COR_GATHERV, GATHER_BOARD_ROW};
