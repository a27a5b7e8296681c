/*
 * Everybody fills a buffer, everybody empties the buffers of all, round after round. Nobody has to be asked whether a
 * buffer is free again:
 *
 * With two buffers, round r overwrites r - 2. Everybody was seen to have filled r - 1, which it did when it was done
 * with r - 2.
 *
 * With four, a rank fills the buffer of the next round before it empties those of this one, so that others find
 * something to do. Round r + 1 overwrites r - 3; who has filled r - 1 is done with r - 3; and everybody was seen to
 * have filled r - 1 when that was emptied.
 */
#include "coll/board.h"

#include <string.h>

_Static_assert(COR_BOARD_BUFFERS >= 4, "a buffer would be overwritten while it is read");

static void exchange_fill(cor_board_exchange *exchange, size_t round)
{
    exchange->fill(exchange, round, cor_board_exchange_buffer(exchange, exchange->board->rank, round));
}

/* The first round is told by the line, where the number of rounds can be told too. */
static void exchange_first(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    cor_board_turn(board);
    cor_board_await_half(board);
    exchange_fill(exchange, 0);
    cor_board_await_row(board);
    uint64_t rounds = exchange->rounds;
    memcpy(cor_board_row(board)[board->rank].bytes, &rounds, sizeof rounds);
    cor_board_post(board);
}

static void exchange_agree(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    cor_board_await_lines(board);
    for (int i = 0; i < board->size; i++) {
        uint64_t rounds;
        memcpy(&rounds, cor_board_row(board)[i].bytes, sizeof rounds);
        if (rounds > exchange->rounds)
            exchange->rounds = rounds;
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

int cor_board_exchange_run(cor_board_exchange *exchange)
{
    cor_board *board = exchange->board;
    int is_ahead = cor_board_exchange_buffers(board) >= 4;
    exchange_first(exchange);
    if (exchange->is_agreed)
        exchange_agree(exchange);
    for (size_t round = 0; round < exchange->rounds; round++) {
        if (is_ahead)
            exchange_post(exchange, round + 1);
        if (round == 0)
            cor_board_await_lines(board);
        else
            cor_board_await(board, board->posted, 0, board->size, cor_board_count(board, round + 1));
        exchange->empty(exchange, round);
        if (!is_ahead)
            exchange_post(exchange, round + 1);
    }
    cor_board_end_met(board);
    return exchange->error;
}
