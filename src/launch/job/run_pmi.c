/* SPDX-License-Identifier: Apache-2.0 */
/* PMI between the ranks of this host, the server, and the servers of other hosts. */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void pmi_close(run_job *job, int rank)
{
    close(job->ranks[rank].pmi_fd);
    job->ranks[rank].pmi_fd = -1;
}

void cor_run_job_pmi_read(run_job *job, int rank)
{
    char bytes[4096];
    while (job->ranks[rank].pmi_fd >= 0) {
        ssize_t got = read(job->ranks[rank].pmi_fd, bytes, sizeof bytes);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            pmi_close(job, rank);
            return;
        }
        job->ranks[rank].has_spoken = 1;
        cor_fault fault = {0};
        int code = cor_pmi_server_feed(job->server, rank, bytes, (size_t)got, &fault);
        if (code == COR_ERR_MEMORY) { /* the rank gets an answer all the same */
            cor_run_job_fail(job, RUN_BROKEN, 1, "on host %s %s", job->ranks[rank].host, fault.text);
        } else if (code != COR_OK) {
            cor_run_job_fail(job, RUN_BROKEN, 1, "rank %d on host %s sent invalid PMI-1: %s", rank,
                             job->ranks[rank].host, fault.text);
            pmi_close(job, rank);
        }
    }
}

void cor_run_job_pmi_write(run_job *job, int rank)
{
    size_t length;
    const char *bytes;
    while (job->ranks[rank].pmi_fd >= 0 && (bytes = cor_pmi_server_pending(job->server, rank, &length)) != NULL) {
        ssize_t sent = send(job->ranks[rank].pmi_fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0) {
            pmi_close(job, rank);
            return;
        }
        cor_pmi_server_sent(job->server, rank, (size_t)sent);
    }
}

void cor_run_job_fence(void *context, const char *updates, size_t length)
{
    run_job *job = context;
    if (job->up) {
        cor_run_link_send(job->up, AGENT_FENCE, 0, 0, updates, length);
        return;
    }
    cor_fault fault = {0};
    for (int i = 0; i < job->branch_count; i++)
        job->branches[i].has_arrived = 0;
    cor_run_branches_send(job, AGENT_FENCE, 0, updates, length);
    /* This server has all updates already. */
    if (cor_pmi_server_release(job->server, NULL, 0, &fault) != COR_OK)
        cor_run_job_fail(job, RUN_BROKEN, 1, "%s", fault.text);
}
