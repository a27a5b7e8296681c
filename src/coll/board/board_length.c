/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks whose lengths do not fit: the error, and leaving an operation so that no rank waits. */
#include "coll/board/board.h"

int cor_board_differs(cor_board *board, int rank, size_t sent, size_t expected)
{
    const cor_comm *comm = board->comm;
    return cor_fault_set(cor_comm_fault_place(comm), COR_ERR_TRUNCATE,
                         "rank %d of the job sent %zu bytes where this rank expects %zu: the counts or datatypes of "
                         "the two calls do not match",
                         cor_comm_peer(comm, rank), sent, expected);
}

int cor_board_word_differs(cor_board *board, int rank, uint64_t word)
{
    const cor_comm *comm = board->comm;
    uint64_t said = cor_board_row(board)[rank].word;
    size_t sent = (size_t)(said >> COR_BOARD_WAY_BITS), expected = (size_t)(word >> COR_BOARD_WAY_BITS);
    if (said != cor_board_word(0, COR_BOARD_NOTHING) && sent != expected)
        return cor_board_differs(board, rank, sent, expected);
    return cor_fault_set(cor_comm_fault_place(comm), COR_ERR_TRUNCATE,
                         "rank %d of the job has nothing for this rank, which expects %zu bytes: the counts or "
                         "datatypes of the two calls, or of another rank's call, do not match",
                         cor_comm_peer(comm, rank), expected);
}

int cor_board_rounds_differ(cor_board *board, int rank)
{
    const cor_comm *comm = board->comm;
    return cor_fault_set(cor_comm_fault_place(comm), COR_ERR_TRUNCATE,
                         "rank %d of the job divides its data into different blocks than this rank: the counts of the "
                         "two calls do not match",
                         cor_comm_peer(comm, rank));
}

static int board_is_posted(const cor_board *board)
{
    /* relaxed: our own. */
    return atomic_load_explicit(&cor_board_row(board)[board->rank].flag, memory_order_relaxed) == board->op;
}

void cor_board_give_up(cor_board *board, int is_met)
{
    uint64_t done = cor_board_done_count(board->op);
    if (!board_is_posted(board)) {
        if (cor_board_await_row(board) != COR_OK)
            return; /* a member is lost: no rank waits for us any more */
        cor_board_post(board, cor_board_word(0, COR_BOARD_NOTHING));
    }
    /* Others may look into our half all the same. */
    board->half_op[board->op % 2] = board->op;
    cor_board_raise(&board->posted[board->rank], done);
    cor_board_raise(&board->got[board->rank], done);
    cor_board_raise(&board->taken[board->rank], done);
    cor_board_tell(board);
    if (is_met && cor_board_await_lines(board) == COR_OK)
        cor_board_end_met(board);
}

int cor_board_refuse(cor_board *board, size_t sent, size_t expected)
{
    int rc = cor_board_differs(board, board->rank, sent, expected);
    cor_board_give_up(board, 1);
    return rc;
}
