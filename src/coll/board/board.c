/* SPDX-License-Identifier: Apache-2.0 */
/* Flags, and waiting for them. */
#include "coll/board/board.h"

/* What cor_comm_wait_until is given. */
typedef struct board_waiter {
    cor_board *board;
    int (*is_over)(void *subject);
    void *subject;
    int is_counted; /* among the sleepers */
} board_waiter;

static int board_is_over(const void *subject)
{
    const board_waiter *waiter = subject;
    return waiter->is_over(waiter->subject);
}

static void board_before_sleep(const void *subject)
{
    board_waiter *waiter = (board_waiter *)(uintptr_t)subject;
    if (waiter->is_counted)
        return;
    waiter->is_counted = 1;
    /* seq_cst, and the fence: this rank is counted before the flags are read once more. A rank that sets one after that
     * read finds it counted: see cor_board_tell. */
    atomic_fetch_add_explicit(&waiter->board->head->sleepers, 1, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
}

int cor_board_find_lost(cor_board *board)
{
    int rc = cor_comm_find_lost(board->comm);
    if (rc == COR_OK)
        board->lost_seen = cor_comm_lost_count(board->comm);
    return rc;
}

int cor_board_wait(cor_board *board, int (*is_over)(void *subject), void *subject)
{
    board_waiter waiter = {board, is_over, subject, 0};
    cor_until until = {board_is_over, &waiter, board_before_sleep};
    int rc = COR_OK;
    while (rc == COR_OK && cor_comm_wait_until(board->comm, until, board->lost_seen) != COR_OK)
        rc = cor_board_find_lost(board);
    /* The awaited event may have occurred while another thread finalised the rank: the memory of other ranks may have
     * been freed since, though the board has not. */
    if (rc == COR_OK && cor_device_is_closed(board->comm->device))
        rc = cor_board_find_lost(board);
    if (waiter.is_counted)
        /* relaxed: nothing hangs on when others see that we are awake. */
        atomic_fetch_sub_explicit(&board->head->sleepers, 1, memory_order_relaxed);
    return rc;
}

/* A row of flags, of which the first `next` are set. */
typedef struct board_flags {
    const cor_board_flag_line *flags;
    int next, end, mine;
    uint64_t value;
} board_flags;

static int board_have_come(void *subject)
{
    board_flags *wait = subject;
    while (wait->next < wait->end &&
           (wait->next == wait->mine || cor_board_has_come(&wait->flags[wait->next], wait->value)))
        wait->next++;
    return wait->next == wait->end;
}

/* Fetches the memory that this rank writes next into its cache, if it may be overwritten. A store does that, a prefetch
 * for writing does not everywhere. Until the next operation no rank reads these bytes, and no caller writes them. */
static inline void board_prefetch_next(cor_board *board)
{
    if (!cor_board_prefetch_line(board))
        return;
    char *slot = cor_board_slot_in(board, board->op + 1, board->rank);
    for (size_t at = 0; at < COR_BOARD_SLOT_BYTES; at += COR_CACHE_LINE)
        slot[at] = 0;
}

int cor_board_await(cor_board *board, const cor_board_flag_line *flags, int first, int end, uint64_t value)
{
    board_prefetch_next(board);
    board_flags wait = {flags, first, end, board->rank, value};
    return board_have_come(&wait) ? COR_OK : cor_board_wait(board, board_have_come, &wait);
}

void cor_board_tell_sleepers(cor_board *board)
{
    for (int i = 0; i < board->size; i++)
        if (i != board->rank)
            cor_comm_nudge(board->comm, i);
}

int cor_board_await_done(cor_board *board, uint64_t op)
{
    if (board->known_done >= op)
        return COR_OK;
    int rc = cor_board_await(board, board->taken, 0, board->size, cor_board_done_count(op));
    if (rc != COR_OK)
        return rc;
    /* Perhaps they are further already: then the next look can come later. */
    uint64_t done = board->op - 1;
    for (int i = 0; i < board->size; i++) {
        while (i != board->rank && done > op && !cor_board_has_come(&board->taken[i], cor_board_done_count(done)))
            done--;
    }
    board->known_done = done;
    return COR_OK;
}
