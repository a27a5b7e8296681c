/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank writes its values, every rank combines its own block of all of them, in the order of the ranks. In a
 * buffer every rank has a share of its own.
 *
 * In place the result overlaps the beginning of the values. Its round r covers bytes that belong to round r or an
 * earlier one of their block, and those have been written to the buffers.
 */
#include "coll/board/board_exchange.h"

static const cor_payload *reduce_scatter_board_in(const cor_call *call)
{
    return call->is_in_place ? &call->recv.payload : &call->send.payload;
}

static size_t reduce_scatter_board_start(const cor_call *call, int block)
{
    return call->send.starts ? call->send.starts[block] : (size_t)block * call->recv.bytes;
}

/* The rest of a block from `offset` on. */
static size_t reduce_scatter_board_rest(const cor_call *call, int block, size_t offset)
{
    size_t bytes = reduce_scatter_board_start(call, block + 1) - reduce_scatter_board_start(call, block);
    return bytes > offset ? bytes - offset : 0;
}

/* Combine `bytes` of the values of all ranks and write them to the result, from `offset` on. */
static int reduce_scatter_board_combine(cor_board *board, const cor_call *call, const char *(*values)(void *, int),
                                        void *subject, size_t offset, size_t bytes)
{
    const cor_payload *out = &call->recv.payload;
    char *mapped = board->size > 1 ? cor_board_map(out, &call->reducer) : NULL;
    char *target = mapped ? mapped + offset : board->scratch;
    const char *result = values(subject, board->size - 1);
    int rc = COR_OK;
    for (int i = board->size - 2; i >= 0 && rc == COR_OK; i--) {
        rc = cor_reduce_packed(&call->reducer, values(subject, i), result, target, bytes);
        result = target;
    }
    if (mapped)
        cor_board_unmap(out, mapped, 1);
    else
        cor_payload_write(out, offset, result, bytes);
    return rc;
}

/* ---- at once ---------------------------------------------------------------------------------------------------- */

typedef struct reduce_scatter_board_row {
    const cor_board *board;
    size_t all_bytes, start;
} reduce_scatter_board_row;

static const char *reduce_scatter_board_of_row(void *subject, int rank)
{
    const reduce_scatter_board_row *row = subject;
    return cor_board_place(row->board, rank, row->all_bytes) + row->start;
}

static int reduce_scatter_board_short(cor_board *board, const cor_call *call, size_t all_bytes)
{
    reduce_scatter_board_row row = {board, all_bytes, reduce_scatter_board_start(call, board->rank)};
    size_t bytes = reduce_scatter_board_rest(call, board->rank, 0);
    uint64_t word = cor_board_word(all_bytes, COR_BOARD_SHORT);
    int rc = cor_board_await_row(board);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    cor_payload_read(reduce_scatter_board_in(call), 0, cor_board_place(board, board->rank, all_bytes), all_bytes);
    cor_board_post(board, word);
    rc = cor_board_await_same(board, word);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    if (bytes > 0)
        rc = reduce_scatter_board_combine(board, call, reduce_scatter_board_of_row, &row, 0, bytes);
    cor_board_end_met(board);
    return rc;
}

/* ---- in rounds -------------------------------------------------------------------------------------------------- */

static size_t reduce_scatter_board_piece(const cor_board_exchange *exchange, int block, size_t offset)
{
    size_t rest = reduce_scatter_board_rest(exchange->call, block, offset);
    return rest < exchange->share_bytes ? rest : exchange->share_bytes;
}

static void reduce_scatter_board_fill(cor_board_exchange *exchange, size_t round, char *buffer)
{
    const cor_call *call = exchange->call;
    size_t offset = round * exchange->share_bytes;
    for (int i = 0; i < exchange->board->size; i++) {
        size_t bytes = reduce_scatter_board_piece(exchange, i, offset);
        if (bytes > 0)
            cor_payload_read(reduce_scatter_board_in(call), reduce_scatter_board_start(call, i) + offset,
                             buffer + (size_t)i * exchange->share_bytes, bytes);
    }
}

typedef struct reduce_scatter_board_round {
    const cor_board_exchange *exchange;
    size_t number;
} reduce_scatter_board_round;

static const char *reduce_scatter_board_of_round(void *subject, int rank)
{
    const reduce_scatter_board_round *round = subject;
    const cor_board_exchange *exchange = round->exchange;
    return cor_board_exchange_buffer(exchange, rank, round->number) +
           (size_t)exchange->board->rank * exchange->share_bytes;
}

static void reduce_scatter_board_empty(cor_board_exchange *exchange, size_t round)
{
    cor_board *board = exchange->board;
    reduce_scatter_board_round subject = {exchange, round};
    size_t offset = round * exchange->share_bytes;
    size_t bytes = reduce_scatter_board_piece(exchange, board->rank, offset);
    if (bytes == 0)
        return;
    int rc =
        reduce_scatter_board_combine(board, exchange->call, reduce_scatter_board_of_round, &subject, offset, bytes);
    exchange->error = exchange->error == COR_OK ? rc : exchange->error;
}

static size_t reduce_scatter_board_longest(const cor_call *call, int size)
{
    size_t longest = 0;
    for (int i = 0; i < size; i++)
        if (reduce_scatter_board_rest(call, i, 0) > longest)
            longest = reduce_scatter_board_rest(call, i, 0);
    return longest;
}

static int reduce_scatter_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_of(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    size_t all_bytes = reduce_scatter_board_start(call, board->size);
    int is_short = all_bytes <= COR_BOARD_SLOT_BYTES;
    size_t longest = is_short ? 0 : reduce_scatter_board_longest(call, board->size);
    size_t share = cor_board_share_bytes(board, parameters[0], cor_board_exchange_most(board), all_bytes, longest,
                                         call->reducer.type->size);
    if (share == 0)
        return COR_AGAIN;
    board->op++;
    if (is_short)
        return reduce_scatter_board_short(board, call, all_bytes);
    cor_board_exchange exchange = {
        .board = board,
        .call = call,
        .own_bytes = all_bytes,
        .buffer_bytes = share * (size_t)board->size,
        .share_bytes = share,
        .rounds = (longest + share - 1) / share,
        .fill = reduce_scatter_board_fill,
        .empty = reduce_scatter_board_empty,
    };
    return cor_board_exchange_run(&exchange);
}

#define REDUCE_SCATTER_BOARD_ROW                                                                                      \
    .name = "board_rounds", .summary = "shared memory: all write, every rank combines its own block",                 \
    .cost = "a + n b + n g", .needs = COR_BOARD_ROOM_NEEDS, .parameters = {COR_BOARD_PIECE_PARAMETER},                \
    .run = reduce_scatter_board_run

const cor_algorithm cor_reduce_scatter_board_rounds_row = {.primitive = COR_REDUCE_SCATTER, REDUCE_SCATTER_BOARD_ROW};
const cor_algorithm cor_reduce_scatter_block_board_rounds_row = {.primitive = COR_REDUCE_SCATTER_BLOCK,
                                                                 REDUCE_SCATTER_BOARD_ROW};
