/* SPDX-License-Identifier: Apache-2.0 */
/* A reader and a writer on each end of each connection, in every pair of ways to wait: two threads or two processes. */
#define _GNU_SOURCE
#include "hammer.h"

#include "calls.h"
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

hammer_plan hammer_plan_of(const hammer_board *board, int connection)
{
    hammer_dice dice = hammer_dice_of(board->seed, board->phase, (uint64_t)connection);
    hammer_plan plan;
    for (int end = 0; end < HAMMER_END_COUNT; end++) {
        plan.salt[end] = hammer_roll(&dice);
        /* Most near the limit, some short. */
        plan.total[end] = hammer_below(&dice, 4) ? board->bytes / 2 + hammer_below(&dice, board->bytes / 2 + 1)
                                                 : hammer_size(&dice, board->bytes);
        plan.reader[end] = (hammer_kind)hammer_below(&dice, HAMMER_KIND_COUNT);
        plan.writer[end] = (hammer_kind)hammer_below(&dice, HAMMER_KIND_COUNT);
        plan.may_splice[end] = hammer_below(&dice, 8) == 0 && board->may_splice;
    }
    /* Every pair at one end, in turns. */
    int even = connection % 2, pair = connection / 2 % (HAMMER_KIND_COUNT * HAMMER_KIND_COUNT);
    plan.reader[even] = (hammer_kind)(pair % HAMMER_KIND_COUNT);
    plan.writer[even] = (hammer_kind)(pair / HAMMER_KIND_COUNT);
    return plan;
}

void hammer_worker_of(hammer_worker *worker, hammer_board *board, hammer_end end, hammer_role role, int connection,
                      int fd)
{
    hammer_plan plan = hammer_plan_of(board, connection);
    hammer_end from = role == HAMMER_ROLE_reader ? (hammer_end)!end : end;
    uint64_t total = role == HAMMER_ROLE_both ? plan.total[0] + plan.total[1] : plan.total[from];
    hammer_row *row = hammer_row_take(board, end, role, connection, total);
    hammer_worker_init(worker, row, fd, role == HAMMER_ROLE_writer ? plan.writer[end] : plan.reader[end],
                       hammer_dice_of(plan.salt[end], end, role));
    worker->may_splice = plan.may_splice[end];
}

typedef struct threads_job {
    hammer_board *board;
    hammer_end end;
    int connection, fd;
} threads_job;

static void *threads_read(void *argument)
{
    const threads_job *job = argument;
    hammer_plan plan = hammer_plan_of(job->board, job->connection);
    hammer_end from = (hammer_end)!job->end;
    hammer_worker worker;
    hammer_worker_of(&worker, job->board, job->end, HAMMER_ROLE_reader, job->connection, job->fd);
    hammer_read(&worker, plan.salt[from], 0, plan.total[from], job->board->chunk);
    hammer_read_end(&worker);
    hammer_worker_fini(&worker);
    return NULL;
}

static void *threads_write(void *argument)
{
    const threads_job *job = argument;
    hammer_plan plan = hammer_plan_of(job->board, job->connection);
    hammer_worker worker;
    hammer_worker_of(&worker, job->board, job->end, HAMMER_ROLE_writer, job->connection, job->fd);
    hammer_write(&worker, plan.salt[job->end], 0, plan.total[job->end], job->board->chunk);
    CHECK_OK(shutdown(job->fd, SHUT_WR));
    hammer_worker_fini(&worker);
    return NULL;
}

/* The descriptor blocks where one of its two workers wants that. */
static threads_job *threads_jobs(hammer_board *board, hammer_end end, const int *fds)
{
    threads_job *jobs = calloc((size_t)board->connections, sizeof *jobs);
    CHECK(jobs != NULL);
    for (int i = 0; i < board->connections; i++) {
        hammer_plan plan = hammer_plan_of(board, i);
        jobs[i] = (threads_job){board, end, i, fds[i]};
        hammer_set_blocking(fds[i], plan.reader[end] == HAMMER_KIND_block || plan.writer[end] == HAMMER_KIND_block);
    }
    return jobs;
}

static pthread_t threads_begin(void *(*run)(void *), threads_job *job)
{
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, run, job));
    return thread;
}

void hammer_phase_threads(hammer_board *board, hammer_end end, int *fds)
{
    threads_job *jobs = threads_jobs(board, end, fds);
    pthread_t *threads = calloc((size_t)board->connections * 2, sizeof *threads);
    CHECK(threads != NULL);
    for (int i = 0; i < board->connections; i++) {
        threads[2 * i] = threads_begin(threads_read, &jobs[i]);
        threads[2 * i + 1] = threads_begin(threads_write, &jobs[i]);
    }
    for (int i = 0; i < board->connections; i++) {
        pthread_join(threads[2 * i], NULL);
        pthread_join(threads[2 * i + 1], NULL);
        close(fds[i]);
    }
    free(threads);
    free(jobs);
}

/* Reader in the parent, writer in a child, which has none of the other connections. */
void hammer_phase_forks(hammer_board *board, hammer_end end, int *fds)
{
    threads_job *jobs = threads_jobs(board, end, fds);
    pthread_t *threads = calloc((size_t)board->connections, sizeof *threads);
    pid_t *children = calloc((size_t)board->connections, sizeof *children);
    CHECK(threads != NULL && children != NULL);
    for (int i = 0; i < board->connections; i++) {
        children[i] = calls_fork();
        if (children[i] > 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int other = 0; other < board->connections; other++)
            if (other != i)
                close(fds[other]);
        threads_write(&jobs[i]);
        exit(0);
    }
    for (int i = 0; i < board->connections; i++)
        threads[i] = threads_begin(threads_read, &jobs[i]);
    for (int i = 0; i < board->connections; i++) {
        pthread_join(threads[i], NULL);
        calls_wait(children[i]);
        close(fds[i]);
    }
    free(children);
    free(threads);
    free(jobs);
}
