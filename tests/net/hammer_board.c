/* SPDX-License-Identifier: Apache-2.0 */
/* Who does what, for the host to see. */
#define _GNU_SOURCE
#include "hammer.h"

#include "check.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BOARD_NAME(name) #name,
static const char *const board_kinds[] = {HAMMER_KINDS(BOARD_NAME)};
static const char *const board_acts[] = {HAMMER_ACTS(BOARD_NAME)};
static const char *const board_ends[] = {HAMMER_ENDS(BOARD_NAME)};
static const char *const board_roles[] = {HAMMER_ROLES(BOARD_NAME)};

hammer_row *hammer_row_take(hammer_board *board, hammer_end end, hammer_role role, int connection, uint64_t total)
{
    int at = atomic_fetch_add(&board->row_count, 1);
    CHECK(at < HAMMER_ROWS);
    hammer_row *row = &board->rows[at];
    row->end = (int)end;
    row->role = (int)role;
    row->connection = connection;
    row->process = (int)getpid();
    row->thread = (int)syscall(SYS_gettid);
    row->total = total;
    row->is_used = 1;
    return row;
}

static int board_count(hammer_board *board)
{
    int count = board->row_count;
    return count < HAMMER_ROWS ? count : HAMMER_ROWS;
}

uint64_t hammer_board_moved(hammer_board *board)
{
    uint64_t moved = 0;
    for (int i = 0; i < board_count(board); i++)
        moved += board->rows[i].moved + (board->rows[i].act == HAMMER_ACT_done);
    return moved;
}

void hammer_board_tell(hammer_board *board)
{
    for (int i = 0; i < board_count(board); i++) {
        hammer_row *row = &board->rows[i];
        if (row->is_used && row->act != HAMMER_ACT_done)
            fprintf(stderr, "  connection %3d, %s, %s: %s by %s after %llu of %llu bytes (thread %d of process %d)\n",
                    row->connection, board_ends[row->end], board_roles[row->role], board_acts[row->act],
                    board_kinds[row->kind], (unsigned long long)row->moved, (unsigned long long)row->total,
                    row->thread, row->process);
    }
}
