/* SPDX-License-Identifier: Apache-2.0 */
/* Slots that a caller writes before its call, and the memory in which it reads after one: see cor_zcopy. */
#include "coll/board/board.h"

void cor_board_renew_zcopy(cor_board *board)
{
    uint64_t next = board->op + 1;
    int has_slot = cor_board_is_slot_free(board, next);
    board->zcopy.place = has_slot ? (uint64_t)(uintptr_t)cor_board_slot_in(board, next, board->rank) : 0;
}

const cor_zcopy *cor_board_open_zcopy(cor_board *board, void **memory_p, size_t *bytes_p)
{
    *memory_p = board->slots;
    *bytes_p = (size_t)board->size * (size_t)board->slot_rows * COR_BOARD_SLOT_BYTES;
    board->zcopy.bytes = COR_BOARD_SLOT_BYTES;
    cor_board_renew_zcopy(board);
    return &board->zcopy;
}
