/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank writes a block for each, every rank reads its block of each. In a buffer every rank has a share of its
 * own. In alltoallv no rank knows all lengths: the ranks agree on the number of rounds with the first one.
 *
 * In place, too: a piece of a block is written to the buffer before the piece that replaces it is read.
 */
#include "coll/board/board_exchange.h"

static const cor_stream *alltoall_board_out(const cor_call *call)
{
    return call->is_in_place ? &call->recv : &call->send;
}

/* ---- in one piece ----------------------------------------------------------------------------------------------- */

/* A rank's blocks are side by side in its place. */
static void alltoall_board_take(const cor_board *board, const cor_call *call, size_t bytes, int has_own)
{
    cor_board_view view = cor_board_view_open(&call->recv);
    for (int i = has_own ? 1 : 0; i < board->size; i++) {
        int from = (board->rank + i) % board->size;
        const char *blocks = cor_board_place(board, from, bytes * (size_t)board->size);
        cor_board_view_write(&view, from, 0, blocks + (size_t)board->rank * bytes, bytes);
    }
    cor_board_view_close(&view, 1);
}

static int alltoall_board_at_once(cor_board *board, const cor_call *call, size_t bytes)
{
    size_t all_bytes = bytes * (size_t)board->size;
    uint64_t word = cor_board_word(bytes, COR_BOARD_SHORT);
    int rc = cor_board_await_row(board);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    int is_zcopy = cor_board_is_zcopy(call, bytes);
    /* What a rank has for itself it copies while it waits, if it has a CPU of its own. */
    int has_own = !is_zcopy && !call->is_in_place && !board->is_oversubscribed;
    cor_board_put(&alltoall_board_out(call)->payload, cor_board_place(board, board->rank, all_bytes), all_bytes);
    cor_board_post(board, word);
    if (has_own)
        cor_board_copy_block(&call->recv, board->rank, &call->send, board->rank);
    rc = cor_board_await_same(board, word);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    if (is_zcopy)
        cor_board_zcopy(board, call, cor_board_place(board, 0, all_bytes) + (size_t)board->rank * bytes,
                        COR_BOARD_SLOT_BYTES, bytes);
    else
        alltoall_board_take(board, call, bytes, has_own);
    cor_board_end_met(board);
    return COR_OK;
}

/* Threads: from the others' buffers. That saves a copy, but all must wait until all have read, which pays for long
 * data. Of alltoallv no rank knows how long the others' are. */
static int alltoall_board_direct(cor_board *board, const cor_call *call)
{
    int error = cor_board_offer_stream(board, &call->send, -1);
    int rc = cor_board_copy_own(board, &call->recv, board->rank, &call->send, board->rank);
    error = error == COR_OK ? rc : error;
    for (int i = 1; i < board->size; i++) {
        int from = (board->rank + i) % board->size;
        rc = cor_board_await_line(board, from);
        if (rc == COR_OK)
            rc = cor_board_fetch(board, from, board->rank, &call->recv, from);
        error = error == COR_OK ? rc : error;
    }
    cor_board_end(board);
    rc = cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(board->op));
    cor_board_withdraw(board);
    error = error == COR_OK ? rc : error;
    board->known_done = board->op;
    return error;
}

/* ---- in rounds -------------------------------------------------------------------------------------------------- */

static size_t alltoall_board_piece(const cor_board_exchange *exchange, const cor_stream *stream, int block,
                                   size_t offset)
{
    size_t bytes = cor_board_block_bytes(stream, block), left = bytes > offset ? bytes - offset : 0;
    return left < exchange->share_bytes ? left : exchange->share_bytes;
}

static void alltoall_board_fill(cor_board_exchange *exchange, size_t round, char *buffer)
{
    const cor_board *board = exchange->board;
    const cor_stream *out = alltoall_board_out(exchange->call);
    size_t offset = round * exchange->share_bytes;
    cor_board_view view = cor_board_view_open(out);
    for (int i = 0; i < board->size; i++) {
        size_t bytes = alltoall_board_piece(exchange, out, i, offset);
        char *to = buffer + (size_t)i * exchange->share_bytes;
        if (i == board->rank && !exchange->is_own_late)
            continue;
        cor_board_view_read(&view, i, offset, to, bytes);
    }
    cor_board_view_close(&view, 0);
}

static void alltoall_board_empty(cor_board_exchange *exchange, size_t round)
{
    cor_board *board = exchange->board;
    const cor_stream *in = &exchange->call->recv;
    size_t offset = round * exchange->share_bytes, own_share = (size_t)board->rank * exchange->share_bytes;
    cor_board_view view = cor_board_view_open(in);
    for (int i = exchange->is_own_late ? 0 : 1; i < board->size; i++) {
        int from = (board->rank + i) % board->size;
        size_t bytes = alltoall_board_piece(exchange, in, from, offset);
        const char *share = cor_board_exchange_buffer(exchange, from, round) + own_share;
        cor_board_view_write(&view, from, offset, share, bytes);
    }
    cor_board_view_close(&view, 1);
    if (round == 0 && !exchange->is_own_late && !exchange->call->is_in_place)
        cor_board_copy_block(in, board->rank, &exchange->call->send, board->rank);
}

static size_t alltoall_board_longest(const cor_stream *stream, int size)
{
    size_t longest = 0;
    for (int i = 0; i < (stream->parts ? size : 1); i++)
        if (cor_board_block_bytes(stream, i) > longest)
            longest = cor_board_block_bytes(stream, i);
    return longest;
}

static int alltoall_board_rounds(cor_board *board, const cor_call *call, size_t share)
{
    size_t longest = alltoall_board_longest(alltoall_board_out(call), board->size);
    cor_board_exchange exchange = {
        .board = board,
        .call = call,
        .own_bytes = call->primitive == COR_ALLTOALL ? call->recv.bytes : 0,
        .buffer_bytes = share * (size_t)board->size,
        .share_bytes = share,
        .rounds = longest ? (longest + share - 1) / share : 1,
        .lengths = call->primitive == COR_ALLTOALL ? NULL : alltoall_board_out(call),
        .is_own_late = board->is_oversubscribed && call->primitive == COR_ALLTOALL && longest <= share,
        .fill = alltoall_board_fill,
        .empty = alltoall_board_empty,
    };
    return cor_board_exchange_run(&exchange);
}

static int alltoall_board_run(const cor_call *call, size_t piece, int is_direct)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t bytes = call->recv.bytes, all_bytes = call->primitive == COR_ALLTOALL ? bytes * (size_t)board->size : 0;
    size_t share = cor_board_share_bytes(board, piece, cor_board_exchange_most(board), all_bytes,
                                         call->primitive == COR_ALLTOALL ? bytes : 0, 0);
    if (share == 0)
        return COR_AGAIN;
    board->op++;
    if (COR_UNLIKELY(call->primitive == COR_ALLTOALL && alltoall_board_out(call)->bytes != bytes))
        return cor_board_refuse(board, call->send.bytes, bytes);
    if (call->primitive == COR_ALLTOALL && all_bytes <= COR_BOARD_SLOT_BYTES)
        return alltoall_board_at_once(board, call, bytes);
    /* In place a block is overwritten that another rank has still to read. */
    if (is_direct && !call->is_in_place)
        return alltoall_board_direct(board, call);
    return alltoall_board_rounds(board, call, share);
}

static int alltoall_board_rounds_run(const cor_call *call, const size_t *parameters)
{
    return alltoall_board_run(call, parameters[0], 0);
}

static int alltoall_board_direct_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return alltoall_board_run(call, 0, 1);
}

#define ALLTOALL_BOARD_ROUNDS_ROW                                                                                     \
    .name = "board_rounds", .summary = "shared memory: all write, all read, long blocks in rounds",                   \
    .cost = "a + 2 p n b", .needs = COR_BOARD_ROOM_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER},                  \
    .run = alltoall_board_rounds_run

#define ALLTOALL_BOARD_DIRECT_ROW                                                                                     \
    .name = "board_direct",                                                                                           \
    .summary = "shared memory: all read long blocks straight from each other's buffers; in place, in rounds",         \
    .cost = "2 a + p n b", .needs = COR_BOARD_ROOM_NEEDS | COR_NEEDS_THREADS, .run = alltoall_board_direct_run

const cor_algorithm cor_alltoall_board_rounds_row = {.primitive = COR_ALLTOALL, ALLTOALL_BOARD_ROUNDS_ROW};
const cor_algorithm cor_alltoall_board_direct_row = {.primitive = COR_ALLTOALL, ALLTOALL_BOARD_DIRECT_ROW};
const cor_algorithm cor_alltoallv_board_rounds_row = {.primitive = COR_ALLTOALLV, ALLTOALL_BOARD_ROUNDS_ROW};
const cor_algorithm cor_alltoallv_board_direct_row = {.primitive = COR_ALLTOALLV, ALLTOALL_BOARD_DIRECT_ROW};
const cor_algorithm cor_alltoallw_board_rounds_row = {.primitive = COR_ALLTOALLW, ALLTOALL_BOARD_ROUNDS_ROW};
const cor_algorithm cor_alltoallw_board_direct_row = {.primitive = COR_ALLTOALLW, ALLTOALL_BOARD_DIRECT_ROW};
