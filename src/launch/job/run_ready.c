/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_ready.h"

#include "launch/job/run_job.h"

#include <sys/epoll.h>
#include <unistd.h>

enum { READY_BATCH = 64 }; /* ranks before something else has its turn */

static int ready_add(int set_fd, int fd, int rank)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = (uint32_t)rank}};
    return fd < 0 ? 0 : epoll_ctl(set_fd, EPOLL_CTL_ADD, fd, &event);
}

int cor_run_ready_open(run_ready *ready)
{
    for (int kind = 0; kind < RUN_READY_KINDS; kind++) {
        ready->fds[kind] = epoll_create1(EPOLL_CLOEXEC);
        if (ready->fds[kind] < 0)
            return -1;
    }
    return 0;
}

int cor_run_ready_add(run_job *job, int rank)
{
    const int *fds = job->ready.fds;
    const run_rank *self = &job->ranks[rank];
    return ready_add(fds[RUN_READY_PMI], self->pmi_fd, rank) != 0 ||
                   ready_add(fds[RUN_READY_OUTPUT], self->output.fd, rank) != 0 ||
                   ready_add(fds[RUN_READY_ERROR], self->error.fd, rank) != 0
               ? -1
               : 0;
}

void cor_run_ready_close(run_ready *ready)
{
    for (int kind = 0; kind < RUN_READY_KINDS; kind++) {
        if (ready->fds[kind] >= 0)
            close(ready->fds[kind]);
        ready->fds[kind] = -1;
    }
}

/* An earlier event of the batch may have closed it. */
static void ready_read_stream(run_stream *stream)
{
    if (stream->fd >= 0)
        cor_run_stream_read(stream);
}

void cor_run_ready_handle(run_job *job, run_ready_kind kind)
{
    struct epoll_event events[READY_BATCH];
    int count = epoll_wait(job->ready.fds[kind], events, READY_BATCH, 0);
    for (int i = 0; i < count; i++) {
        int rank = (int)events[i].data.u32;
        if (kind == RUN_READY_OUTPUT) {
            ready_read_stream(&job->ranks[rank].output);
        } else if (kind == RUN_READY_ERROR) {
            ready_read_stream(&job->ranks[rank].error);
        } else {
            cor_run_job_pmi_read(job, rank);
            cor_run_job_pmi_write(job, rank);
        }
    }
}
