/* Memory for the caller: leaves and trays that it writes before its call, and that it reads after it. See cor_lease. */
#include "coll/board_area.h"
#include "coll/coll_state.h"

enum { BOARD_AHEAD_LINES = 32 }; /* what a CPU can have on its way at once; behind it, it fetches ahead by itself */

void cor_board_renew_lease(cor_board *board)
{
    uint64_t next = board->op + 1;
    int has_leaf = cor_board_is_free(board, next);
    int has_tray = board->trays && board->known_done >= board->half_op[next % 2];
    board->lease.leaf = has_leaf ? (uint64_t)(uintptr_t)cor_board_leaf_in(board, next, board->rank) : 0;
    board->lease.tray = has_tray ? (uint64_t)(uintptr_t)cor_board_tray_in(board, next, board->rank) : 0;
}

/* The caller needs some time to come to its data (the return into a JVM takes 30 to 50 ns), as much as they need to come
 * from another CPU's cache: so they are sent for now. Allgather of 1 KiB between two JVMs: 0.47 -> 0.42 us. */
void cor_board_lend(const cor_board *board, const cor_call *call, const char *blocks, int count, size_t distance,
                    size_t bytes)
{
    *call->lent_p = blocks;
    if (board->device->is_crowded)
        return;
    int lines = 0;
    for (int i = 0; i < count && lines < BOARD_AHEAD_LINES; i++) {
        int is_own = count > 1 && i == board->rank; /* what this rank wrote is in its cache */
        for (size_t at = 0; at < bytes && !is_own && lines < BOARD_AHEAD_LINES; at += COR_CACHE_LINE, lines++)
            __builtin_prefetch(blocks + (size_t)i * distance + at);
    }
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
