/* SPDX-License-Identifier: Apache-2.0 */
/* Long data on a board: the areas, their buffers, and rounds in which these are filled and emptied. See board.h. */
#ifndef COR_COLL_BOARD_AREA_H
#define COR_COLL_BOARD_AREA_H

#include "coll/board/board.h"

enum {
    COR_BOARD_PIECE_BYTES = 32 << 10,
    COR_BOARD_LONG_PIECE_BYTES = 64 << 10, /* of COR_BOARD_LONG_BYTES or more */
    COR_BOARD_LONG_BYTES = 192 << 10,
    COR_BOARD_OVERSUBSCRIBED_PIECE_BYTES = 512 << 10, /* as far as there is room */
    COR_BOARD_PIECE_MIN = 1 << 10,
};

/* Wait until this rank's half may be overwritten. */
static inline int cor_board_await_half(cor_board *board)
{
    uint64_t last = board->half_op[board->op % 2];
    int rc = board->known_done < last ? cor_board_await_done(board, last) : COR_OK;
    board->half_op[board->op % 2] = board->op;
    return rc;
}

static inline char *cor_board_half(const cor_board *board, int rank)
{
    return board->areas + ((size_t)rank * 2 + (size_t)(board->op % 2)) * board->half_bytes;
}

/* The buffer of a rank in a round. */
static inline char *cor_board_buffer(const cor_board *board, int rank, size_t round, size_t buffer_bytes)
{
    return cor_board_half(board, rank) + round % COR_BOARD_BUFFERS * buffer_bytes;
}

/* Buffers of a half, in an exchange (board_exchange.h). Where ranks share CPUs, few large buffers without work ahead of
 * time are faster. */
static inline size_t cor_board_exchange_buffers(int is_oversubscribed)
{
    return is_oversubscribed ? 2 : COR_BOARD_BUFFERS;
}

/* Announce a filled round; the first one by the flag line. */
static inline int cor_board_post_round(cor_board *board, size_t round, uint64_t word)
{
    if (round == 0) {
        int rc = cor_board_await_row(board);
        if (rc != COR_OK)
            return rc;
        cor_board_post(board, word);
    } else {
        cor_board_raise(&board->posted[board->rank], cor_board_count(board, round + 1));
        cor_board_tell(board);
    }
    return COR_OK;
}

static inline int cor_board_has_round(const cor_board *board, int rank, size_t round)
{
    return round == 0 ? cor_board_has_come(&cor_board_row(board)[rank], board->op)
                      : cor_board_has_come(&board->posted[rank], cor_board_count(board, round + 1));
}

static inline int cor_board_await_round(cor_board *board, int rank, size_t round)
{
    return round == 0 ? cor_board_await_line(board, rank)
                      : cor_board_await(board, board->posted, rank, rank + 1, cor_board_count(board, round + 1));
}

/* The length of pieces for `total` bytes (0: not known to all): what the rule says, at most `most`, in whole elements;
 * 0: there is no room for one. Where ranks share CPUs a piece costs every rank a turn, so pieces are large. */
static inline size_t cor_board_piece_bytes(const cor_board *board, size_t wanted, size_t most, size_t total,
                                           size_t element_bytes)
{
    if (wanted == 0)
        wanted = board->is_oversubscribed        ? COR_BOARD_OVERSUBSCRIBED_PIECE_BYTES
                 : total >= COR_BOARD_LONG_BYTES ? COR_BOARD_LONG_PIECE_BYTES
                                                 : COR_BOARD_PIECE_BYTES;
    if (wanted < COR_BOARD_PIECE_MIN)
        wanted = COR_BOARD_PIECE_MIN;
    size_t bytes = wanted < most ? wanted : most;
    if (element_bytes <= 1)
        return bytes;
    if (bytes < element_bytes && element_bytes <= most)
        return element_bytes;
    return bytes - bytes % element_bytes;
}

/* For operations with COR_BOARD_BUFFERS buffers. */
static inline size_t cor_board_buffer_bytes(const cor_board *board, size_t wanted, size_t total, size_t element_bytes)
{
    return cor_board_piece_bytes(board, wanted, board->buffer_bytes, total, element_bytes);
}

/* The same for buffers in which every rank has a share: the bytes of one, not more than the longest block (0: not known
 * to all) needs. Short blocks far from each other would evict each other from the caches. */
static inline size_t cor_board_share_bytes(const cor_board *board, size_t wanted, size_t most, size_t total,
                                           size_t longest, size_t element_bytes)
{
    size_t bytes = cor_board_piece_bytes(board, wanted, most, total, 0) / (size_t)board->size;
    size_t unit = element_bytes ? element_bytes : 1;
    if (bytes < unit && unit <= most / (size_t)board->size)
        return unit;
    if (bytes > COR_CACHE_LINE && COR_CACHE_LINE % unit == 0)
        unit = COR_CACHE_LINE;
    bytes -= bytes % unit;
    size_t needed = (longest + unit - 1) / unit * unit;
    return needed > 0 && needed < bytes ? needed : bytes;
}

#endif
