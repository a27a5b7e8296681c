/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from the agents below, and how they are handled. */
#define _GNU_SOURCE
#include "launch/job/run_foreign.h"
#include "launch/job/run_job.h"
#include "launch/job/run_watch.h"

#include <stdio.h>
#include <string.h>

/* The behaviour of an agent of another version is not known, so no more of its frames are read. */
static void receive_hello(run_job *job, run_branch *branch, const agent_frame *frame)
{
    if (frame->length != strlen(COR_VERSION) || memcmp(frame->bytes, COR_VERSION, frame->length) != 0) {
        char why[160];
        snprintf(
            why, sizeof why,
            "Corunna there is %.*s, here %s: all hosts of a job need the same version (--prefix says where it is)",
            (int)(frame->length < 32 ? frame->length : 32), frame->bytes, COR_VERSION);
        cor_run_branch_lose(job, branch, why);
        return;
    }
    branch->state = BRANCH_RUNNING;
    cor_run_watch_ask_clock(branch);
    /* Output from here on is not the reason for a failed start. */
    cor_run_stream_flush(&branch->words);
    branch->words.last[0] = '\0';
}

static void receive_fence(run_job *job, run_branch *branch, const agent_frame *frame)
{
    cor_fault fault = {0};
    int is_twice = branch->has_arrived;
    branch->has_arrived = 1;
    if (is_twice)
        cor_run_branch_lose(job, branch, "its agent entered a barrier twice");
    else if (cor_pmi_server_arrive(job->server, frame->bytes, frame->length, &fault) != COR_OK)
        cor_run_branch_lose(job, branch, fault.text);
}

/* A frame about a rank below. */
static void receive_rank(run_job *job, run_branch *branch, const agent_frame *frame)
{
    run_rank *self = &job->ranks[frame->subject];
    if (frame->kind == AGENT_EXIT) {
        cor_run_job_ended(job, frame->subject, frame->number & 0xffff, frame->number & AGENT_EXIT_EARLY);
        return;
    }
    if (frame->kind == AGENT_OUTPUT || frame->kind == AGENT_ERROR)
        branch->link.to_ack += frame->length;
    if (job->up) {
        cor_run_link_send_frame(job->up, frame);
    } else if (frame->kind == AGENT_FOREIGN) {
        char library[1025];
        snprintf(library, sizeof library, "%.*s", (int)frame->length, frame->bytes);
        cor_run_foreign_found(job, frame->subject, library);
    } else if (frame->kind == AGENT_ABORT) {
        char reason[1025];
        snprintf(reason, sizeof reason, "%.*s", (int)frame->length, frame->bytes);
        cor_run_job_abort(job, frame->subject, frame->number, reason);
    } else {
        cor_run_stream_feed(frame->kind == AGENT_OUTPUT ? &self->output : &self->error, frame->bytes, frame->length);
    }
}

/* A failure of a host below. */
static void receive_failure(run_job *job, const agent_frame *frame)
{
    int host = frame->subject - job->plan->first_host;
    char text[1025];
    snprintf(text, sizeof text, "%.*s", (int)frame->length, frame->bytes);
    if (frame->kind == AGENT_LOST)
        cor_run_branch_report(job, host, frame->number, text);
    else if (job->up)
        cor_run_link_send_frame(job->up, frame);
    else
        cor_run_job_fail(job, RUN_FAILED, frame->number & 255 ? frame->number & 255 : 1, "%s", text);
}

/* Is the frame about a rank or hosts of this branch? */
static int receive_is_valid(const run_job *job, const run_branch *branch, const agent_frame *frame)
{
    if (cor_agent_frame_of(frame->kind) == OF_RANK)
        return frame->subject < job->plan->size && job->ranks[frame->subject].branch == (int)(branch - job->branches);
    if (cor_agent_frame_of(frame->kind) == OF_NOTHING)
        return 1;
    int first = job->plan->first_host + branch->first, host = frame->subject;
    int count = frame->kind == AGENT_LOST ? frame->number : 1;
    return host >= first && count >= 1 && count <= branch->count && host - first <= branch->count - count;
}

static void receive_refuse(run_job *job, run_branch *branch, const agent_frame *frame)
{
    char why[100];
    snprintf(why, sizeof why, "its agent sent an unexpected %s", cor_agent_frame_name(frame->kind));
    cor_run_branch_lose(job, branch, why);
}

static void receive_frame(run_job *job, run_branch *branch, const agent_frame *frame)
{
    if (branch->state == BRANCH_STARTING ? frame->kind != AGENT_HELLO : !receive_is_valid(job, branch, frame)) {
        receive_refuse(job, branch, frame);
        return;
    }
    switch (frame->kind) {
    case AGENT_HELLO:
        receive_hello(job, branch, frame);
        break;
    case AGENT_FENCE:
        receive_fence(job, branch, frame);
        break;
    case AGENT_ACK:
        cor_run_feed_acknowledged(branch, frame->number);
        break;
    case AGENT_OUTPUT:
    case AGENT_ERROR:
    case AGENT_ABORT:
    case AGENT_FOREIGN:
    case AGENT_EXIT:
        receive_rank(job, branch, frame);
        break;
    case AGENT_FAIL:
    case AGENT_LOST:
        receive_failure(job, frame);
        break;
    case AGENT_CLOCK:
    case AGENT_STATE:
    case AGENT_RECORD:
        if (cor_run_watch_receive(job, branch, frame) != 0)
            receive_refuse(job, branch, frame);
        break;
    case AGENT_DONE:
        branch->state = BRANCH_DONE;
        /* It may have failed to start ranks, whose end would not be reported. */
        cor_run_branch_forget(job, branch->first, branch->count);
        break;
    default: /* PING; the reader rejects all other kinds */
        break;
    }
}

void cor_run_branch_receive(run_job *job, run_branch *branch)
{
    int more;
    do {
        more = cor_run_link_read(&branch->link);
        agent_frame frame;
        cor_fault fault = {0};
        int code = COR_OK;
        while (cor_run_link_is_open(&branch->link) &&
               (code = cor_agent_reader_next(&branch->link.reader, &frame, &fault)) == COR_OK)
            receive_frame(job, branch, &frame);
        if (code != COR_OK && code != COR_AGAIN)
            cor_run_branch_lose(job, branch, fault.text);
    } while (more == 1 && cor_run_link_is_open(&branch->link));
    if (more < 0)
        cor_run_branch_lose(job, branch, NULL);
}
