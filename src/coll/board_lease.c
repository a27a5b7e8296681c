/* Memory for the caller: leaves and trays that it writes before its call, lines that it posts without one, and what it
 * reads after a call. See cor_lease. */
#include "coll/board_area.h"
#include "coll/choose.h"
#include "coll/coll_state.h"

/* Callers write these without us. */
_Static_assert(COR_BOARD_WAY_BITS == 3 && COR_BOARD_SHORT == 1, "cor_line_word is cor_board_word of short data");
_Static_assert(offsetof(cor_board_head, sleepers) == 0, "where the memory of a lease begins");

/* How long a call may be that the caller posts: as long as those who call the engine for it look for it in a line. */
static size_t lease_reach(cor_comm *comm, cor_primitive primitive)
{
    size_t reach = cor_choose_reach(comm, cor_algorithm_find(primitive, "board"));
    return reach < COR_LEAF_BYTES ? reach : COR_LEAF_BYTES;
}

/* Once, and when the rules have changed. */
static __attribute__((noinline)) void lease_follow_rules(cor_board *board, const cor_coll_rank *rank)
{
    cor_rank *owner = board->comm->owner;
    cor_fault fault = owner->fault;
    /* Where ranks first compare what they pass, no call goes without. */
    int can_post = board->size > 1 && !owner->config.coll.is_checked;
    board->lease.bcast_bytes = can_post ? lease_reach(board->comm, COR_BCAST) : 0;
    board->lease.reduce_bytes = can_post ? lease_reach(board->comm, COR_REDUCE) : 0;
    board->lease_generation = rank->generation;
    owner->fault = fault; /* nobody has asked for these: if they cannot be done, whoever asks is told */
}

void cor_board_renew_lease(cor_board *board)
{
    const cor_coll_comm *state = board->comm->coll;
    const cor_coll_rank *rank = board->comm->owner->coll;
    uint64_t next = board->op + 1;
    int has_leaf = cor_board_is_free(board, next);
    int has_tray = board->trays && board->known_done >= board->half_op[next % 2];
    int has_line = has_leaf && !state->has_no_board && board->lost_seen == board->device->lost_count;
    board->lease.leaf = has_leaf ? (uint64_t)(uintptr_t)cor_board_leaf_in(board, next, board->rank) : 0;
    board->lease.tray = has_tray ? (uint64_t)(uintptr_t)cor_board_tray_in(board, next, board->rank) : 0;
    board->lease.line = has_line ? (uint64_t)(uintptr_t)&cor_board_row_of(board, next)[board->rank] : 0;
    board->lease.flag = next;
    if (COR_UNLIKELY(board->lease_generation != rank->generation))
        lease_follow_rules(board, rank);
}

cor_lease *cor_coll_lease(cor_comm *comm, void **memory_p, size_t *bytes_p)
{
    cor_lease *lease = NULL;
    cor_device_enter(comm->device);
    cor_coll_comm *state = cor_coll_of_comm(comm);
    cor_board *board = state ? state->board : NULL;
    if (board) {
        char *end = board->trays ? board->trays + (size_t)board->size * 2 * COR_TRAY_BYTES
                                 : board->leaves + (size_t)board->size * COR_BOARD_ROWS * COR_BOARD_LEAF_BYTES;
        *memory_p = board->head;
        *bytes_p = (size_t)(end - (char *)board->head);
        lease = &board->lease;
        state->is_leased = 1;
        state->blocking += cor_board_count_posted(board);
        cor_board_renew_lease(board);
    }
    cor_device_leave(comm->device);
    return lease;
}

void cor_coll_wake(cor_comm *comm)
{
    const cor_coll_comm *state = comm->coll;
    cor_device_enter(comm->device);
    cor_board_tell_sleepers(state->board);
    cor_device_leave(comm->device);
}
