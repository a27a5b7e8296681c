/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank fills, every rank empties: what operations on a board have in common in which every rank reads from every
 * other. See board.h. */
#ifndef COR_COLL_BOARD_EXCHANGE_H
#define COR_COLL_BOARD_EXCHANGE_H

#include "coll/board/board_area.h"
#include "coll/board/board_stream.h"

typedef struct cor_board_exchange cor_board_exchange;
struct cor_board_exchange {
    cor_board *board;
    const cor_call *call;
    size_t own_bytes;                 /* what our line says */
    size_t buffer_bytes, share_bytes; /* the latter: of one rank's part of a buffer, where there are parts */
    size_t rounds;                    /* all ranks say the same; or with `lengths` the largest counts */
    /* What a rank has for itself is taken from its buffer like what others have, in one view of the result. Ranks with
     * CPUs of their own copy it while they wait. */
    int is_own_late;
    const cor_stream *lengths; /* blocks of any length, which are told one by one; NULL: own_bytes says it all */
    int error;
    size_t (*expected)(const cor_board_exchange *exchange, int rank); /* what its line should say; NULL: own_bytes */
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

/* COR_ERR_TRUNCATE and the sentence: lengths do not fit. */
int cor_board_exchange_run(cor_board_exchange *exchange);

#endif
