/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flat: every rank sets a flag and waits for all flags. That reads neighbouring cache lines, and needs one turn on the
 * CPU, which matters most where ranks share CPUs. With many ranks that have a CPU each, every line would move to every
 * CPU: there dissemination is used, in which a rank signals one other and waits for one other in each of lg p rounds.
 */
#include "coll/board/board.h"

/* Counts of rounds: a rank that has reached round k has heard from 2^k - 1 others, directly or indirectly. */
static int barrier_board_dissemination(cor_board *board)
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

static int barrier_board_run(const cor_call *call, int (*meet)(cor_board *board))
{
    cor_board *board;
    int rc = cor_board_begin(call->comm, &board);
    if (rc == COR_OK)
        rc = meet(board);
    if (COR_LIKELY(rc == COR_OK))
        cor_board_end_met(board);
    return rc;
}

static int barrier_board_flat_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return barrier_board_run(call, barrier_board_flat);
}

static int barrier_board_dissemination_run(const cor_call *call, const size_t *parameters)
{
    (void)parameters;
    return barrier_board_run(call, barrier_board_dissemination);
}

const cor_algorithm cor_barrier_board_flat_row = {
    .primitive = COR_BARRIER,
    .name = "board_flat",
    .summary = "flags in shared memory: every rank raises one and waits for all",
    .cost = "a",
    .needs = COR_BOARD_NEEDS,
    .run = barrier_board_flat_run,
};

const cor_algorithm cor_barrier_board_dissemination_row = {
    .primitive = COR_BARRIER,
    .name = "board_dissemination",
    .summary = "flags in shared memory: in each round a rank signals one other and waits for one",
    .cost = "lg p a",
    .needs = COR_BOARD_NEEDS,
    .run = barrier_board_dissemination_run,
};
