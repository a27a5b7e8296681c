/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In each round every rank fills a buffer, and every rank reads the buffers of all. No check is needed whether a buffer
 * may be overwritten:
 *
 * With two buffers, round r overwrites r - 2. Every rank was seen to have filled r - 1, which it did when it was done
 * with r - 2.
 *
 * With four, a rank fills the buffer of the next round before it empties those of this one, so that others can
 * continue. Round r + 1 overwrites r - 3; a rank that has filled r - 1 is done with r - 3; and all were seen to have
 * filled r - 1 when that was emptied.
 */
#include "coll/board/board_exchange.h"

#include <string.h>

_Static_assert(COR_BOARD_BUFFERS >= 4, "a buffer would be overwritten while it is read");

static void exchange_fill(cor_board_exchange *exchange, size_t round)
{
    exchange->fill(exchange, round, cor_board_exchange_buffer(exchange, exchange->board->rank, round));
}

static uint64_t exchange_word(const cor_board_exchange *exchange, size_t bytes)
{
    return cor_board_word(bytes, exchange->lengths ? COR_BOARD_LENGTHS : COR_BOARD_ROUNDS);
}

/* The first round is announced by the line, which can also have the number of rounds. */
static int exchange_first(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    int rc = cor_board_await_half(board);
    if (rc == COR_OK)
        rc = cor_board_await_row(board);
    if (rc != COR_OK)
        return rc;
    exchange_fill(exchange, 0);
    uint64_t rounds = exchange->rounds;
    memcpy(cor_board_row(board)[board->rank].bytes, &rounds, sizeof rounds);
    if (exchange->lengths)
        cor_board_tell_lengths(board, exchange->lengths);
    cor_board_post(board, exchange_word(exchange, exchange->own_bytes));
    return COR_OK;
}

/* Compare the lines, which are all published. No rank may continue alone: with another number of rounds, a rank would
 * wait for one that no rank fills. */
static int exchange_compare(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    size_t most = 0;
    for (int i = 0; i < board->size; i++) {
        size_t expected = exchange->expected ? exchange->expected(exchange, i) : exchange->own_bytes;
        int rc = cor_board_check(board, i, exchange_word(exchange, expected));
        if (rc != COR_OK)
            return rc;
        uint64_t rounds;
        memcpy(&rounds, cor_board_row(board)[i].bytes, sizeof rounds);
        if (!exchange->lengths && rounds != exchange->rounds)
            return cor_board_rounds_differ(board, i);
        most = rounds > most ? (size_t)rounds : most;
    }
    exchange->rounds = most;
    return COR_OK;
}

/* Where blocks are of any length every rank does all rounds, whatever the others have for it. */
static void exchange_compare_lengths(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    for (int i = 0; i < board->size; i++) {
        int rc = cor_board_check_length(board, i, cor_board_block_bytes(&exchange->call->recv, i));
        exchange->error = exchange->error == COR_OK ? rc : exchange->error;
    }
}

static void exchange_post(cor_board_exchange *exchange, size_t round)
{
    cor_board *board = exchange->board;
    if (round >= exchange->rounds)
        return;
    exchange_fill(exchange, round);
    cor_board_raise(&board->posted[board->rank], cor_board_count(board, round + 1));
    cor_board_tell(board);
}

/* Every rank has filled the first round: do all go the same way? */
static int exchange_meet(cor_board_exchange *exchange, int is_ahead)
{
    /* Where the number of rounds is not agreed upon yet, nothing can be done ahead. */
    if (is_ahead && !exchange->lengths)
        exchange_post(exchange, 1);
    int rc = cor_board_await_lines(exchange->board);
    if (rc == COR_OK)
        rc = exchange_compare(exchange);
    if (rc == COR_OK && exchange->lengths) {
        exchange_compare_lengths(exchange);
        if (is_ahead)
            exchange_post(exchange, 1);
    }
    return rc;
}

int cor_board_exchange_run(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    int is_ahead = cor_board_exchange_buffers(board->is_oversubscribed) >= 4;
    int rc = exchange_first(exchange);
    if (rc == COR_OK)
        rc = exchange_meet(exchange, is_ahead);
    if (rc != COR_OK) {
        if (rc != COR_ERR_PEER)
            cor_board_give_up(board, 1);
        return rc;
    }
    for (size_t round = 0; round < exchange->rounds; round++) {
        if (round > 0) {
            if (is_ahead)
                exchange_post(exchange, round + 1);
            rc = cor_board_await(board, board->posted, 0, board->size, cor_board_count(board, round + 1));
            if (rc != COR_OK)
                return rc;
        }
        exchange->empty(exchange, round);
        if (!is_ahead)
            exchange_post(exchange, round + 1);
    }
    cor_board_end_met(board);
    return exchange->error;
}
