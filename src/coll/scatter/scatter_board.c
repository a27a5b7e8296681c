/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The root writes all blocks, the others read theirs. In a buffer every rank has a share of its own, so that a rank
 * needs to know only its own length, and scatterv uses this as well.
 */
#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

static int scatter_board_short(cor_board *board, const cor_call *call, size_t bytes)
{
    int root = call->root, is_root = board->rank == root;
    size_t all_bytes = bytes * (size_t)board->size;
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int rc = is_root ? cor_board_await_place(board, all_bytes) : cor_board_await_line(board, root);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    if (is_root) {
        cor_board_put(&call->send.payload, cor_board_place(board, root, all_bytes), all_bytes);
        cor_board_post(board, word);
        return COR_OK;
    }
    rc = cor_board_check(board, root, word);
    if (COR_LIKELY(rc == COR_OK))
        cor_payload_write(&call->recv.payload, 0,
                          cor_board_place(board, root, all_bytes) + (size_t)board->rank * bytes, bytes);
    return rc;
}

/* Of scatterv, a rank that expects nothing need not wait. */
static int scatter_board_is_idle(const cor_call *call)
{
    return call->primitive == COR_SCATTERV && call->recv.payload.bytes == 0;
}

/* Threads: from the root's buffer. */
static int scatter_board_direct(cor_board *board, const cor_call *call)
{
    int rc;
    if (board->rank != call->root) {
        if (scatter_board_is_idle(call))
            return COR_OK;
        rc = cor_board_await_line(board, call->root);
        return rc != COR_OK ? rc : cor_board_fetch(board, call->root, board->rank, &call->recv, 0);
    }
    rc = cor_board_offer_stream(board, &call->send, -1);
    if (rc == COR_OK)
        rc = cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(board->op));
    cor_board_withdraw(board);
    return rc;
}

/* ---- in pieces -------------------------------------------------------------------------------------------------- */

static uint64_t scatter_board_word(const cor_call *call, size_t bytes)
{
    return call->primitive == COR_SCATTER ? cor_board_word(bytes, COR_BOARD_ROUNDS)
                                          : cor_board_word(0, COR_BOARD_LENGTHS);
}

/* Before a round is written: all have read what lay in its buffer, and, of the first, the row is free. */
static int scatter_board_await_room(cor_board *board, size_t round)
{
    if (round == 0)
        return cor_board_await_row(board);
    return round < COR_BOARD_BUFFERS ? COR_OK
                                     : cor_board_await(board, board->taken, 0, board->size,
                                                       cor_board_count(board, round - COR_BOARD_BUFFERS + 1));
}

/* Write a round of all blocks that are long enough. *has_any_p: whether any was. The first round is announced in any
 * case, with the lengths. */
static int scatter_board_fill(cor_board *board, const cor_call *call, size_t round, size_t share, int *has_any_p)
{
    size_t done = round * share;
    char *buffer = NULL;
    for (int i = 0; i < board->size; i++) {
        size_t bytes = cor_board_block_bytes(&call->send, i);
        if (i == board->rank || bytes <= done)
            continue;
        int rc = buffer ? COR_OK : scatter_board_await_room(board, round);
        if (rc != COR_OK)
            return rc;
        buffer = cor_board_buffer(board, board->rank, round, share * (size_t)board->size);
        cor_board_read(&call->send, i, done, buffer + (size_t)i * share, bytes - done < share ? bytes - done : share);
    }
    *has_any_p = buffer != NULL;
    if (!buffer && round > 0)
        return COR_OK;
    int rc = buffer ? COR_OK : scatter_board_await_room(board, round);
    if (rc == COR_OK && round == 0 && call->primitive != COR_SCATTER)
        cor_board_tell_lengths(board, &call->send);
    return rc == COR_OK ? cor_board_post_round(board, round, scatter_board_word(call, call->send.bytes)) : rc;
}

static int scatter_board_send(cor_board *board, const cor_call *call, size_t share)
{
    int rc = cor_board_await_half(board), has_any = 1;
    for (size_t round = 0; has_any && rc == COR_OK; round++)
        rc = scatter_board_fill(board, call, round, share, &has_any);
    /* No rank waits for more, whatever it expects. */
    if (rc == COR_OK)
        cor_board_raise(&board->posted[board->rank], cor_board_done_count(board->op));
    return rc;
}

static int scatter_board_receive(cor_board *board, const cor_call *call, size_t share)
{
    int root = call->root;
    size_t bytes = call->recv.payload.bytes, round = 0;
    int rc = cor_board_await_line(board, root);
    if (rc == COR_OK)
        rc = cor_board_check(board, root, scatter_board_word(call, bytes));
    if (rc == COR_OK && call->primitive != COR_SCATTER)
        rc = cor_board_check_length(board, root, bytes);
    for (size_t done = 0; done < bytes && rc == COR_OK; done += share, round++) {
        const char *buffer = cor_board_buffer(board, root, round, share * (size_t)board->size);
        rc = cor_board_await_round(board, root, round);
        if (rc != COR_OK)
            return rc;
        cor_payload_write(&call->recv.payload, done, buffer + (size_t)board->rank * share,
                          bytes - done < share ? bytes - done : share);
        cor_board_raise(&board->taken[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
    return rc;
}

static int scatter_board_long(cor_board *board, const cor_call *call, size_t share)
{
    if (board->rank == call->root)
        return scatter_board_send(board, call, share);
    return scatter_board_is_idle(call) ? COR_OK : scatter_board_receive(board, call, share);
}

static int scatter_board_run(const cor_call *call, size_t piece, int is_direct)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    int is_root = board->rank == call->root, error = COR_OK;
    size_t bytes = is_root ? call->send.bytes : call->recv.payload.bytes;
    size_t all_bytes = call->primitive == COR_SCATTER ? bytes * (size_t)board->size : 0; /* else no rank knows all */
    size_t share = cor_board_share_bytes(board, piece, board->buffer_bytes, all_bytes,
                                         call->primitive == COR_SCATTER ? bytes : 0, 0);
    if (share == 0)
        return COR_AGAIN;
    board->op++;
    if (is_root && !call->is_in_place)
        error = cor_board_copy_own(board, &call->recv, 0, &call->send, board->rank);
    if (call->primitive == COR_SCATTER && all_bytes <= COR_BOARD_SLOT_BYTES)
        rc = scatter_board_short(board, call, bytes);
    else if (is_direct)
        rc = scatter_board_direct(board, call);
    else
        rc = scatter_board_long(board, call, share);
    cor_board_end(board);
    return error == COR_OK ? rc : error;
}

static int scatter_board_rounds_run(const cor_call *call, const size_t *parameters)
{
    return scatter_board_run(call, parameters[0], 0);
}

static int scatter_board_direct_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return scatter_board_run(call, 0, 1);
}

#define SCATTER_BOARD_ROUNDS_ROW                                                                                      \
    .name = "board_rounds", .summary = "shared memory: the root writes, the others read, long blocks in rounds",      \
    .cost = "a + p n b", .needs = COR_BOARD_ROOM_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER},                    \
    .run = scatter_board_rounds_run

#define SCATTER_BOARD_DIRECT_ROW                                                                                      \
    .name = "board_direct",                                                                                           \
    .summary = "shared memory: the root writes, the others read, long blocks straight from the root's buffer",        \
    .cost = "a + n b", .needs = COR_BOARD_ROOM_NEEDS | COR_NEEDS_THREADS, .run = scatter_board_direct_run

const cor_algorithm cor_scatter_board_rounds_row = {.primitive = COR_SCATTER, SCATTER_BOARD_ROUNDS_ROW};
const cor_algorithm cor_scatter_board_direct_row = {.primitive = COR_SCATTER, SCATTER_BOARD_DIRECT_ROW};
const cor_algorithm cor_scatterv_board_rounds_row = {.primitive = COR_SCATTERV, SCATTER_BOARD_ROUNDS_ROW};
const cor_algorithm cor_scatterv_board_direct_row = {.primitive = COR_SCATTERV, SCATTER_BOARD_DIRECT_ROW};
