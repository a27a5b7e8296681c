/*
 * The root writes all blocks, the others read theirs. In a buffer every rank has a share of its own, so that a rank
 * needs to know nothing but its own length: this serves scatterv as well.
 */
#include "coll/board.h"

static void scatter_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    int root = call->root;
    size_t all_bytes = bytes * (size_t)board->size;
    if (board->rank == root) {
        cor_board_await_row(board);
        cor_payload_read(&call->send.payload, 0, cor_board_place(board, root, all_bytes), all_bytes);
        cor_board_post(board);
    } else {
        cor_board_await_line(board, root);
        const char *mine = cor_board_place(board, root, all_bytes) + (size_t)board->rank * bytes;
        cor_payload_write(&call->recv.payload, 0, mine, bytes);
    }
}

/* Threads: from the root's buffer. */
static void scatter_board_direct(cor_board *board, const cor_call *call)
{
    if (board->rank == call->root) {
        cor_board_offer_stream(board, &call->send, -1);
        cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(board->op));
        cor_board_withdraw(board);
    } else if (call->recv.payload.bytes > 0) {
        cor_board_await_line(board, call->root);
        cor_board_fetch(board, call->root, board->rank, &call->recv, 0);
    }
}

/* Write a round of all blocks that have that much. Returns whether any had. */
static int scatter_board_fill(cor_board *board, const cor_call *call, size_t round, size_t share)
{
    size_t done = round * share;
    char *buffer = NULL;
    for (int i = 0; i < board->size; i++) {
        size_t bytes = cor_board_block_bytes(&call->send, i);
        if (i == board->rank || bytes <= done)
            continue;
        if (!buffer && round >= COR_BOARD_BUFFERS)
            cor_board_await(board, board->taken, 0, board->size,
                            cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
        buffer = cor_board_buffer(board, board->rank, round, share * (size_t)board->size);
        cor_board_read(&call->send, i, done, buffer + (size_t)i * share, bytes - done < share ? bytes - done : share);
    }
    if (buffer) {
        cor_board_raise(&board->posted[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
    return buffer != NULL;
}

static void scatter_board_long(cor_board *board, const cor_call *call, size_t share)
{
    int root = call->root;
    if (board->rank == root) {
        cor_board_await_half(board);
        for (size_t round = 0; scatter_board_fill(board, call, round, share); round++)
            continue;
        return;
    }
    size_t bytes = call->recv.payload.bytes, round = 0;
    for (size_t done = 0; done < bytes; done += share, round++) {
        const char *buffer = cor_board_buffer(board, root, round, share * (size_t)board->size);
        cor_board_await(board, board->posted, root, root + 1, cor_board_count(board, round + 1));
        cor_payload_write(&call->recv.payload, done, buffer + (size_t)board->rank * share,
                          bytes - done < share ? bytes - done : share);
        cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
}

static int scatter_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    int is_root = board->rank == call->root;
    size_t bytes = is_root ? call->send.bytes : call->recv.payload.bytes;
    size_t all_bytes = call->primitive == COR_SCATTER ? bytes * (size_t)board->size : 0; /* else nobody knows all */
    size_t share = cor_board_share_bytes(board, parameters[0], board->buffer_bytes, all_bytes, 0);
    if (share == 0)
        return COR_AGAIN;
    board->op++;
    cor_board_turn(board);
    if (is_root && !call->is_in_place)
        cor_board_copy_block(&call->recv, 0, &call->send, board->rank);
    if (call->primitive == COR_SCATTER && all_bytes <= COR_BOARD_LEAF_BYTES)
        scatter_board_short(board, call, bytes);
    else if (board->is_one_process)
        scatter_board_direct(board, call);
    else
        scatter_board_long(board, call, share);
    cor_board_end(board);
    return COR_OK;
}

#define SCATTER_BOARD_ROW                                                                                             \
    .name = "board", .summary = "shared memory: the root writes, the others read; threads straight from its buffer",  \
    .cost = "a + p n b", .needs = COR_BOARD_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER},                         \
    .run = scatter_board_run

const cor_algorithm cor_scatter_board_row = {.primitive = COR_SCATTER, SCATTER_BOARD_ROW};
const cor_algorithm cor_scatterv_board_row = {.primitive = COR_SCATTERV, SCATTER_BOARD_ROW};
