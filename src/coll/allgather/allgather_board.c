/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank writes its block where all can read it, and reads those of all others. Every rank knows all lengths. */
#include "coll/board/board_exchange.h"

static const cor_stream *allgather_board_own(const cor_call *call, int rank, int *block_p)
{
    *block_p = call->is_in_place ? rank : 0;
    return call->is_in_place ? &call->recv : &call->send;
}

static int allgather_board_short(cor_board *board, const cor_call *call)
{
    int own_block;
    const cor_stream *own = allgather_board_own(call, board->rank, &own_block);
    size_t own_bytes = cor_board_block_bytes(&call->recv, board->rank);
    char *place = cor_board_place(board, board->rank, own_bytes);
    int rc = cor_board_await_row(board);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    if (call->is_in_place)
        cor_board_read(own, own_block, 0, place, own_bytes);
    else
        cor_board_put(&own->payload, place, own_bytes);
    cor_board_post(board, cor_board_word(own_bytes, COR_BOARD_SHORT));
    int is_zcopy = !call->recv.parts && cor_board_is_zcopy(call, own_bytes);
    int is_own_late = is_zcopy || board->is_oversubscribed;
    if (!call->is_in_place && !is_own_late)
        cor_board_write(&call->recv, board->rank, 0, place, own_bytes);
    rc = cor_board_await_lines(board);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    cor_board_view view = is_zcopy ? (cor_board_view){0} : cor_board_view_open(&call->recv);
    for (int i = 0; i < board->size && rc == COR_OK; i++) {
        size_t bytes = cor_board_block_bytes(&call->recv, i);
        rc = cor_board_check(board, i, cor_board_word(bytes, COR_BOARD_SHORT));
        int is_missing = i != board->rank || (is_own_late && !call->is_in_place);
        if (is_missing && rc == COR_OK && !is_zcopy)
            cor_board_view_write(&view, i, 0, cor_board_place(board, i, bytes), bytes);
    }
    cor_board_view_close(&view, 1);
    if (COR_UNLIKELY(rc != COR_OK)) {
        cor_board_give_up(board, 1);
    } else {
        cor_board_end_met(board);
        if (is_zcopy)
            cor_board_zcopy(board, call, cor_board_slot(board, 0), COR_BOARD_SLOT_BYTES, own_bytes);
    }
    return rc;
}

/* Threads: from the others' buffers. That saves a copy, but all must wait until all have read: it pays for long data,
 * and not where ranks share CPUs. */
static int allgather_board_direct(cor_board *board, const cor_call *call)
{
    int own_block;
    const cor_stream *own = allgather_board_own(call, board->rank, &own_block);
    int error = cor_board_offer_stream(board, own, own_block), rc;
    if (!call->is_in_place)
        cor_board_copy_block(&call->recv, board->rank, own, own_block);
    for (int i = 1; i < board->size; i++) {
        int from = (board->rank + i) % board->size;
        rc = cor_board_await_line(board, from);
        if (rc == COR_OK)
            rc = cor_board_fetch(board, from, 0, &call->recv, from);
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

static size_t allgather_board_expected(const cor_board_exchange *exchange, int rank)
{
    return cor_board_block_bytes(&exchange->call->recv, rank);
}

static size_t allgather_board_piece(const cor_board_exchange *exchange, int rank, size_t offset)
{
    size_t bytes = cor_board_block_bytes(&exchange->call->recv, rank);
    size_t left = bytes > offset ? bytes - offset : 0;
    return left < exchange->buffer_bytes ? left : exchange->buffer_bytes;
}

static void allgather_board_fill(cor_board_exchange *exchange, size_t round, char *buffer)
{
    const cor_call *call = exchange->call;
    int rank = exchange->board->rank, own_block;
    const cor_stream *own = allgather_board_own(call, rank, &own_block);
    size_t offset = round * exchange->buffer_bytes, bytes = allgather_board_piece(exchange, rank, offset);
    cor_board_read(own, own_block, offset, buffer, bytes);
    if (!call->is_in_place && !exchange->is_own_late)
        cor_board_write(&call->recv, rank, offset, buffer, bytes);
}

static void allgather_board_empty(cor_board_exchange *exchange, size_t round)
{
    cor_board *board = exchange->board;
    size_t offset = round * exchange->buffer_bytes;
    cor_board_view view = cor_board_view_open(&exchange->call->recv);
    for (int i = exchange->is_own_late ? 0 : 1; i < board->size; i++) {
        int from = (board->rank + i) % board->size;
        cor_board_view_write(&view, from, offset, cor_board_exchange_buffer(exchange, from, round),
                             allgather_board_piece(exchange, from, offset));
    }
    cor_board_view_close(&view, 1);
}

static int allgather_board_rounds(cor_board *board, const cor_call *call, size_t longest, size_t buffer_bytes)
{
    cor_board_exchange exchange = {
        .board = board,
        .call = call,
        .own_bytes = cor_board_block_bytes(&call->recv, board->rank),
        .buffer_bytes = buffer_bytes,
        .rounds = (longest + buffer_bytes - 1) / buffer_bytes,
        .is_own_late = board->is_oversubscribed && !call->is_in_place,
        .expected = allgather_board_expected,
        .fill = allgather_board_fill,
        .empty = allgather_board_empty,
    };
    return cor_board_exchange_run(&exchange);
}

static int allgather_board_run(const cor_call *call, size_t piece, int is_direct)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t longest = 0;
    for (int i = 0; i < (call->recv.parts ? board->size : 1); i++)
        if (cor_board_block_bytes(&call->recv, i) > longest)
            longest = cor_board_block_bytes(&call->recv, i);
    int own_block;
    const cor_stream *own = allgather_board_own(call, board->rank, &own_block);
    size_t own_bytes = cor_board_block_bytes(own, own_block);
    if (COR_UNLIKELY(own_bytes != cor_board_block_bytes(&call->recv, board->rank)))
        return cor_board_refuse(board, own_bytes, cor_board_block_bytes(&call->recv, board->rank));
    if (longest <= COR_BOARD_SLOT_BYTES)
        return allgather_board_short(board, call);
    if (is_direct)
        return allgather_board_direct(board, call);
    size_t buffer_bytes = cor_board_piece_bytes(board, piece, cor_board_exchange_most(board), longest, 0);
    return allgather_board_rounds(board, call, longest, buffer_bytes);
}

static int allgather_board_rounds_run(const cor_call *call, const size_t *parameters)
{
    return allgather_board_run(call, parameters[0], 0);
}

static int allgather_board_direct_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return allgather_board_run(call, 0, 1);
}

#define ALLGATHER_BOARD_ROUNDS_ROW                                                                                    \
    .name = "board_rounds", .summary = "shared memory: all write, all read, long blocks in rounds",                   \
    .cost = "a + (p + 1) n b", .needs = COR_BOARD_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER},                   \
    .run = allgather_board_rounds_run

#define ALLGATHER_BOARD_DIRECT_ROW                                                                                    \
    .name = "board_direct", .summary = "shared memory: all read long blocks straight from each other's buffers",      \
    .cost = "2 a + p n b", .needs = COR_BOARD_NEEDS | COR_NEEDS_THREADS, .run = allgather_board_direct_run

const cor_algorithm cor_allgather_board_rounds_row = {.primitive = COR_ALLGATHER, ALLGATHER_BOARD_ROUNDS_ROW};
const cor_algorithm cor_allgather_board_direct_row = {.primitive = COR_ALLGATHER, ALLGATHER_BOARD_DIRECT_ROW};
const cor_algorithm cor_allgatherv_board_rounds_row = {.primitive = COR_ALLGATHERV, ALLGATHER_BOARD_ROUNDS_ROW};
const cor_algorithm cor_allgatherv_board_direct_row = {.primitive = COR_ALLGATHERV, ALLGATHER_BOARD_DIRECT_ROW};
