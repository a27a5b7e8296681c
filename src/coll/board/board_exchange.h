/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on a board have in common in which every rank reads from every other: in each round all ranks fill
 * their buffers, then all read them. See board.h. */
#ifndef COR_COLL_BOARD_EXCHANGE_H
#define COR_COLL_BOARD_EXCHANGE_H

#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

typedef struct cor_board_exchange cor_board_exchange;
struct cor_board_exchange {
    cor_board *board;
    const cor_call *call;
    size_t own_bytes;                 /* the length in this rank's line */
    size_t buffer_bytes, share_bytes; /* the latter: of one rank's part of a buffer, where there are parts */
    size_t rounds;                    /* the same at all ranks; or with `lengths` the largest counts */
    /* A rank's data for itself are read from its buffer like those of others, in one view of the result. Ranks with
     * CPUs of their own copy them while they wait. */
    int is_own_late;
    const cor_stream *lengths; /* blocks of any length, each announced; NULL: all are own_bytes long */
    int error;
    size_t (*expected)(const cor_board_exchange *exchange, int rank); /* the length in its line; NULL: own_bytes */
    void (*fill)(cor_board_exchange *exchange, size_t round, char *buffer);
    void (*empty)(cor_board_exchange *exchange, size_t round); /* all buffers of the round are filled */
};

/* The largest buffer, and a rank's buffer in a round. */
static inline size_t cor_board_exchange_most(const cor_board *board)
{
    return board->half_bytes / cor_board_exchange_buffers(board->is_oversubscribed);
}

static inline char *cor_board_exchange_buffer(const cor_board_exchange *exchange, int rank, size_t round)
{
    const cor_board *board = exchange->board;
    return cor_board_half(board, rank) +
           round % cor_board_exchange_buffers(board->is_oversubscribed) * exchange->buffer_bytes;
}

/* COR_ERR_TRUNCATE, with the sentence: lengths do not fit. */
int cor_board_exchange_run(cor_board_exchange *exchange);

#endif
