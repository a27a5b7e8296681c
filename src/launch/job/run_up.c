/* SPDX-License-Identifier: Apache-2.0 */
/* An agent's side of the link to its parent: commands from it, and its loss. */
#define _GNU_SOURCE
#include "launch/job/run_job.h"
#include "launch/job/run_watch.h"

#include <signal.h>

enum { UP_TIMEOUT_FACTOR = 3 }; /* multiple of the root's own timeout */

void cor_run_up_output(void *context, int rank, int is_error, const char *bytes, size_t length)
{
    run_job *job = context;
    cor_run_link_send(job->up, is_error ? AGENT_ERROR : AGENT_OUTPUT, rank, 0, bytes, length);
}

/* An agent that has lost its parent ends its ranks, and so do those below. */
static void up_lose(run_job *job)
{
    cor_run_link_close(job->up);
    cor_run_job_end(job, 1, SIGTERM, RUN_GRACE_MS);
    cor_run_job_finish(job);
}

static void up_fence(run_job *job, const agent_frame *frame)
{
    cor_fault fault = {0};
    for (int i = 0; i < job->branch_count; i++)
        job->branches[i].has_arrived = 0;
    cor_run_branches_send(job, AGENT_FENCE, 0, frame->bytes, frame->length);
    if (cor_pmi_server_release(job->server, frame->bytes, frame->length, &fault) != COR_OK)
        cor_run_job_fail(job, RUN_BROKEN, 1, "%s", fault.text);
}

static void up_take(run_job *job, const agent_frame *frame)
{
    switch (frame->kind) {
    case AGENT_INPUT:
        if (cor_run_feed_receive(job, frame) != 0)
            up_lose(job);
        break;
    case AGENT_SIGNAL:
        if (frame->number > 0 && frame->number <= SIGRTMAX)
            cor_run_job_forward(job, frame->number);
        break;
    case AGENT_KILL:
        cor_run_job_kill(job);
        break;
    case AGENT_FINISH:
        cor_run_job_finish(job);
        break;
    case AGENT_FENCE:
        up_fence(job, frame);
        break;
    case AGENT_ACK:
        if (frame->number > 0)
            job->up->unacked -= (size_t)frame->number < job->up->unacked ? (size_t)frame->number : job->up->unacked;
        break;
    case AGENT_CLOCK:
        cor_run_watch_answer_clock(job, frame);
        break;
    case AGENT_PING:
        break;
    default: /* a second JOB; the reader rejects all other kinds */
        up_lose(job);
        break;
    }
}

void cor_run_up_receive(run_job *job)
{
    run_link *up = job->up;
    int more;
    do {
        more = cor_run_link_read(up);
        agent_frame frame;
        cor_fault fault = {0};
        int code = COR_OK;
        while (cor_run_link_is_open(up) && (code = cor_agent_reader_next(&up->reader, &frame, &fault)) == COR_OK)
            up_take(job, &frame);
        if (more < 0 || (code != COR_OK && code != COR_AGAIN)) {
            up_lose(job);
            return;
        }
    } while (more == 1 && cor_run_link_is_open(up));
}

void cor_run_up_time(run_job *job, uint64_t now_ns, int passed_ms, uint64_t *when_ns)
{
    run_link *up = job->up;
    long timeout_ms = 1000L * UP_TIMEOUT_FACTOR * job->plan->reach.timeout_s;
    uint64_t ping_ns = (uint64_t)cor_run_link_ping_ms(job->plan->reach.timeout_s) * 1000000;
    if (!cor_run_link_is_open(up))
        return;
    up->silent_ms += passed_ms;
    if (timeout_ms > 0 && up->silent_ms > timeout_ms)
        up_lose(job);
    else if (now_ns - up->sent_ns >= ping_ns)
        cor_run_link_send(up, AGENT_PING, 0, 0, NULL, 0);
    if (*when_ns > now_ns + ping_ns)
        *when_ns = now_ns + ping_ns;
}
