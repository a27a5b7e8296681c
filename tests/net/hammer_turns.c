/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and answers of any size: a thread for each connection, which waits in another way each time. */
#include "hammer.h"

#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS_LONG = 5 }; /* one message of so many may have any length */

typedef struct turns_job {
    hammer_board *board;
    hammer_end end;
    int connection, fd;
    pthread_t thread;
} turns_job;

static void turns_choose(hammer_worker *worker)
{
    worker->kind = (hammer_kind)hammer_below(&worker->dice, HAMMER_KIND_COUNT);
    worker->row->kind = (int)worker->kind;
    int is_blocking = worker->kind == HAMMER_KIND_block;
    if (is_blocking != worker->is_blocking)
        hammer_set_blocking(worker->fd, is_blocking);
    worker->is_blocking = is_blocking;
}

static void *turns_run(void *argument)
{
    turns_job *job = argument;
    hammer_board *board = job->board;
    hammer_plan plan = hammer_plan_of(board, job->connection);
    hammer_dice lengths = hammer_dice_of(plan.salt[0], plan.salt[1], 0); /* the same at both ends */
    uint64_t at[HAMMER_END_COUNT] = {0};
    hammer_worker worker;
    hammer_worker_of(&worker, board, job->end, HAMMER_ROLE_both, job->connection, job->fd);
    for (int from = HAMMER_END_client; at[0] < plan.total[0] || at[1] < plan.total[1]; from = !from) {
        size_t limit = hammer_below(&lengths, TURNS_LONG) ? 20000 : board->chunk;
        uint64_t length = hammer_size(&lengths, limit), rest = plan.total[from] - at[from];
        length = length < rest ? length : rest;
        turns_choose(&worker);
        if (from == (int)job->end)
            hammer_write(&worker, plan.salt[from], at[from], length, board->chunk);
        else
            hammer_read(&worker, plan.salt[from], at[from], length, board->chunk);
        at[from] += length;
    }
    CHECK_OK(shutdown(job->fd, SHUT_WR));
    hammer_read_end(&worker);
    hammer_worker_fini(&worker);
    close(job->fd);
    return NULL;
}

void hammer_phase_turns(hammer_board *board, hammer_end end, int *fds)
{
    turns_job *jobs = calloc((size_t)board->connections, sizeof *jobs);
    CHECK(jobs != NULL);
    for (int i = 0; i < board->connections; i++) {
        jobs[i] = (turns_job){.board = board, .end = end, .connection = i, .fd = fds[i]};
        CHECK_OK(pthread_create(&jobs[i].thread, NULL, turns_run, &jobs[i]));
    }
    for (int i = 0; i < board->connections; i++)
        pthread_join(jobs[i].thread, NULL);
    free(jobs);
}
