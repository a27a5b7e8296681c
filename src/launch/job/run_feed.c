/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forwards stdin of the job to its readers: rank 0, the rank that --stdin names, or all.
 *
 * A single reader on the launcher's host inherits a stdin that is not a terminal, and the launcher reads nothing of it.
 * A terminal cannot be inherited, because the reader is not a foreground process. In all other cases the launcher
 * reads, one piece at a time: the next when every reader has consumed the last one. An agent acknowledges a piece when
 * the readers of its host and all agents below have consumed it; a rank that closes its stdin no longer counts, and
 * without readers nothing more is read.
 */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include <unistd.h>

static int feed_is_reader(const run_job *job, int rank)
{
    return job->plan->input_rank == RUN_INPUT_ALL || job->plan->input_rank == rank;
}

static int feed_is_listening(const run_branch *branch)
{
    return branch->reader_count > 0 && (branch->state == BRANCH_STARTING || branch->state == BRANCH_RUNNING);
}

/* ---- all readers ------------------------------------------------------------------------------------------------ */

static int feed_has_readers(const run_job *job)
{
    int has_readers = cor_run_input_has_readers(&job->input);
    for (int i = 0; i < job->branch_count; i++)
        has_readers |= feed_is_listening(&job->branches[i]);
    return has_readers;
}

static int feed_is_taken(const run_job *job)
{
    int is_taken = cor_run_input_is_taken(&job->input);
    for (int i = 0; i < job->branch_count; i++)
        is_taken &= !feed_is_listening(&job->branches[i]) || !job->branches[i].is_fed;
    return is_taken;
}

static void feed_pass(run_job *job)
{
    const run_input *input = &job->input;
    for (int i = 0; i < job->branch_count; i++) {
        run_branch *branch = &job->branches[i];
        if (!feed_is_listening(branch))
            continue;
        cor_run_link_send(&branch->link, AGENT_INPUT, 0, 0, input->bytes, input->filled);
        branch->is_fed = 1;
        if (input->filled == 0)
            branch->reader_count = 0;
    }
    cor_run_input_pass(&job->input);
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

int cor_run_feed_open(run_job *job)
{
    const run_plan *plan = job->plan;
    int is_here = 0;
    for (int i = 0; i < job->here_count; i++)
        is_here |= job->here[i] == plan->input_rank;
    for (int rank = 0; rank < plan->size; rank++)
        if (job->ranks[rank].branch >= 0 && feed_is_reader(job, rank))
            job->branches[job->ranks[rank].branch].reader_count++;
    if (cor_run_input_open(&job->input, job->here_count) != 0)
        return -1;
    job->is_input_inherited = !job->up && is_here && !isatty(0);
    if (!job->up && plan->input_rank != RUN_INPUT_NONE && !job->is_input_inherited)
        cor_run_input_begin(&job->input);
    return 0;
}

int cor_run_feed_stdin(run_job *job, int place, int none_fd)
{
    if (!feed_is_reader(job, job->here[place]))
        return none_fd;
    return job->is_input_inherited ? 0 : cor_run_input_open_pipe(&job->input, place);
}

void cor_run_feed_ended(run_job *job, int rank)
{
    int branch = job->ranks[rank].branch;
    if (!feed_is_reader(job, rank))
        return;
    if (branch >= 0) {
        job->branches[branch].reader_count -= job->branches[branch].reader_count > 0;
        return;
    }
    for (int place = 0; place < job->input.pipe_count; place++)
        if (job->here[place] == rank)
            cor_run_input_close_pipe(&job->input, place);
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

int cor_run_feed_source(const run_job *job)
{
    return feed_is_taken(job) && feed_has_readers(job) ? cor_run_input_source(&job->input) : -1;
}

void cor_run_feed_read(run_job *job)
{
    if (cor_run_input_read(&job->input))
        feed_pass(job);
}

int cor_run_feed_receive(run_job *job, const agent_frame *frame)
{
    if (!feed_is_taken(job) || cor_run_input_feed(&job->input, frame->bytes, frame->length) != 0)
        return -1;
    feed_pass(job);
    return 0;
}

void cor_run_feed_acknowledged(run_branch *branch, int is_wanted)
{
    branch->is_fed = 0;
    if (!is_wanted)
        branch->reader_count = 0;
}

void cor_run_feed_acknowledge(run_job *job)
{
    if (!job->input.is_fed || !feed_is_taken(job))
        return;
    job->input.is_fed = 0;
    cor_run_link_send(job->up, AGENT_ACK, 0, feed_has_readers(job), NULL, 0);
}
