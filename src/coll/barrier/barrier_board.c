/*
 * Everybody raises a flag and waits for all flags. One look at neighbouring cache lines, and one turn on the CPU,
 * which is what counts where ranks share CPUs. With many ranks that have a CPU each, every line would travel to every
 * CPU: those go by dissemination, where a rank tells and hears from one other in each of lg p rounds.
 */
#include "coll/board/board.h"

enum { BARRIER_FLAT_MAX = 8 }; /* ranks with a CPU each */

/* Counts of rounds: a rank that has come to round k has heard from 2^k - 1 others, directly or not. */
static int barrier_board_rounds(cor_board *board)
{
    size_t round = 0;
    int rc = COR_OK;
    for (int distance = 1; distance < board->size && rc == COR_OK; distance *= 2) {
        int from = (board->rank - distance + board->size) % board->size;
        round++;
        cor_board_raise(&board->posted[board->rank], cor_board_count(board, round));
        cor_board_tell(board);
        rc = cor_board_await(board, board->posted, from, from + 1, cor_board_count(board, round));
    }
    return rc;
}

static int barrier_board_flat(cor_board *board)
{
    int rc = cor_board_await_row(board);
    if (rc != COR_OK)
        return rc;
    cor_board_post(board, 0);
    return cor_board_await_lines(board);
}

static int barrier_board_run(const cor_call *call, const size_t *parameters)
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc != COR_OK)
        return rc;
    int is_flat = board->size <= BARRIER_FLAT_MAX || board->is_oversubscribed;
    if (parameters[0] == 2 || (parameters[0] == 0 && !is_flat))
        rc = barrier_board_rounds(board);
    else
        rc = barrier_board_flat(board);
    if (COR_LIKELY(rc == COR_OK))
        cor_board_end_met(board);
    return rc;
}

const cor_algorithm cor_barrier_board_row = {
    .primitive = COR_BARRIER,
    .name = "board",
    .summary = "flags in shared memory: everybody raises one and waits for all",
    .cost = "a",
    .needs = COR_BOARD_NEEDS,
    .parameters = {{"way", 0, 0, 2,
                    "1: everybody waits for all, 2: in rounds; 0: the latter with many ranks and CPUs"}},
    .run = barrier_board_run,
};
