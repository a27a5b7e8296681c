/* Memory for the caller: leaves and trays that it writes before its call, and that it reads after it. See cor_lease. */
#include "coll/board_area.h"
#include "coll/coll_state.h"

void cor_board_renew_lease(cor_board *board)
{
    uint64_t next = board->op + 1;
    int has_leaf = cor_board_is_free(board, next);
    int has_tray = board->trays && board->known_done >= board->half_op[next % 2];
    board->lease.leaf = has_leaf ? (uint64_t)(uintptr_t)cor_board_leaf_in(board, next, board->rank) : 0;
    board->lease.tray = has_tray ? (uint64_t)(uintptr_t)cor_board_tray_in(board, next, board->rank) : 0;
}

const cor_lease *cor_coll_lease(cor_comm *comm, void **memory_p, size_t *bytes_p)
{
    const cor_lease *lease = NULL;
    cor_device_enter(comm->device);
    cor_coll_comm *state = cor_coll_of_comm(comm);
    cor_board *board = state ? state->board : NULL;
    if (board) {
        size_t leaves = (size_t)COR_BOARD_ROWS * COR_BOARD_LEAF_BYTES, trays = board->trays ? 2 * COR_TRAY_BYTES : 0;
        *memory_p = board->leaves;
        *bytes_p = (size_t)board->size * (leaves + trays);
        lease = &board->lease;
        state->is_leased = 1;
        cor_board_renew_lease(board);
    }
    cor_device_leave(comm->device);
    return lease;
}
