/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting the ranks of this host, in turns of the loop: while thousands of them start, signals, other hosts and the
 * time limit are handled as usual, and a rank that has failed ends the job.
 */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include "base/clock.h"
#include "launch/job/run_watch.h"
#include "launch/job/run_wrap.h"
#include "launch/run_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    BEGIN_TURN_MS = 20,      /* for the ranks, before something else has its turn */
    BEGIN_UNCONFIRMED = 16,  /* most ranks at a time of which it is not known whether their program runs */
    BEGIN_TELL_MS = 2000,    /* how often to print on a terminal how many have started */
    BEGIN_FILES_OF_RANK = 3, /* descriptors: PMI, stdout, stderr; while it starts, one more */
    BEGIN_FILES_OF_BRANCH = 3,
    BEGIN_FILES_BESIDE = 20, /* the pipes of a rank that is being started, and what the job itself opens */
};

/* ---- failures --------------------------------------------------------------------------------------------------- */

/* The message for a rank that could not be started, and the status a shell would return. */
static int begin_refuse(run_job *job, int rank, const run_spawn_error *error)
{
    const run_plan *plan = job->plan;
    const run_program *program = &plan->programs[cor_run_program_of(plan, rank)];
    const char *cause = strerror(error->error);
    char hint[RUN_HINT_MAX];
    if (error->stage == RUN_STAGE_EXEC) {
        run_list wrapped = {0};
        const char *name = cor_run_wrap(plan, program, rank, &wrapped)[0];
        cor_run_hint_program(name, program->wdir ? program->wdir : ".", error->error, hint);
        int code = cor_run_start_fail(job, error->error == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_EXECUTABLE,
                                      "cannot run %s: %s%s", name, cause, hint);
        cor_run_list_fini(&wrapped);
        return code;
    }
    if (error->stage == RUN_STAGE_WDIR)
        return cor_run_start_fail(job, 1, "cannot change to the directory %s: %s", program->wdir, cause);
    if (error->stage == RUN_STAGE_BIND)
        return cor_run_start_fail(job, 1, "cannot bind rank %d: %s", rank, cause);
    cor_run_limit_hint(error->error, hint);
    return cor_run_start_fail(job, 1, "cannot start rank %d of %d: %s%s", rank, plan->size, cause, hint);
}

/* The job cannot start: the loop ends, and so do the running ranks. Their messages about that are not shown. */
static void begin_break(run_job *job)
{
    job->begin.is_broken = 1;
    job->phase = RUN_KILLED;
}

/* ---- one rank --------------------------------------------------------------------------------------------------- */

static int begin_rank(run_job *job, const run_place *seat)
{
    run_child child;
    run_spawn_error error;
    if (cor_run_spawn(job->plan, &job->inherited, seat, &child, &error) != 0)
        return begin_refuse(job, seat->rank, &error);
    run_rank *self = &job->ranks[seat->rank];
    self->pid = child.pid;
    self->pmi_fd = child.pmi_fd;
    self->report_fd = child.report_fd;
    cor_run_watch_started(job, seat->rank);
    cor_run_stream_open(&self->output, child.output_fd, seat->rank, &job->output);
    cor_run_stream_open(&self->error, child.error_fd, seat->rank, cor_run_start_error_sink(job));
    if (cor_run_ready_add(job, seat->rank) != 0)
        return cor_run_start_fail(job, 1, "cannot watch rank %d: %s", seat->rank, strerror(errno));
    if (!job->up)
        return cor_run_start_dress(job, seat->rank);
    cor_run_stream_divert(&self->output, 0, cor_run_up_output, job);
    cor_run_stream_divert(&self->error, 1, cor_run_up_output, job);
    return 0;
}

/* The rank at a place. */
static int begin_at(run_job *job, int place)
{
    int input_fd = cor_run_feed_stdin(job, place, job->begin.none_fd);
    if (input_fd < 0)
        return cor_run_start_fail(job, 1, "cannot make a pipe for stdin: %s", strerror(errno));
    const run_place seat = {job->here[place], place, job->here_count, input_fd, cor_run_bind_set(&job->bound, place)};
    int code = begin_rank(job, &seat);
    if (input_fd > 0 && input_fd != job->begin.none_fd)
        close(input_fd);
    return code;
}

int cor_run_begin_test(run_job *job, int rank)
{
    run_rank *self = &job->ranks[rank];
    run_spawn_error error;
    int code = self->report_fd < 0 ? 0 : cor_run_spawn_test(self->report_fd, &error);
    if (code == 1)
        return 1;
    self->report_fd = -1;
    if (code != 0 && job->phase == RUN_RUNNING) {
        begin_refuse(job, rank, &error);
        begin_break(job);
    }
    return job->begin.is_broken ? -1 : 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

int cor_run_begin_check(run_job *job)
{
    const run_plan *plan = job->plan;
    cor_fault fault = {0};
    int count = plan->host_count ? plan->hosts[0].rank_count : plan->size;
    int below = plan->host_count > 1 ? plan->host_count - 1 : 0;
    int beside = BEGIN_FILES_BESIDE + (count < BEGIN_UNCONFIRMED ? count : BEGIN_UNCONFIRMED) +
                 BEGIN_FILES_OF_BRANCH * (below < plan->reach.fan ? below : plan->reach.fan);
    int each = BEGIN_FILES_OF_RANK + (plan->input_rank == RUN_INPUT_ALL);
    return cor_run_limit_check(count, each, beside, job->begin.doubt, &fault) == COR_OK
               ? 0
               : cor_run_start_fail(job, 1, "%s", fault.text);
}

int cor_run_begin_open(run_job *job)
{
    job->begin.none_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (job->begin.none_fd < 0)
        return cor_run_start_fail(job, 1, "cannot open /dev/null: %s", strerror(errno));
    if (cor_run_feed_open(job) != 0)
        return cor_run_start_fail(job, 1, "no memory for the pipes to %d ranks", job->here_count);
    if (cor_run_ready_open(&job->ready) != 0)
        return cor_run_start_fail(job, 1, "cannot watch the ranks: %s", strerror(errno));
    if (job->begin.doubt[0] && job->here_count > 0)
        cor_run_start_tell(job, job->here[0], job->begin.doubt);
    job->begin.told_ns = cor_clock_ns();
    return 0;
}

void cor_run_begin_close(run_job *job)
{
    if (job->begin.none_fd >= 0)
        close(job->begin.none_fd);
    job->begin.none_fd = -1;
}

static int begin_may_start(const run_job *job)
{
    const run_begin *begin = &job->begin;
    return begin->started < job->here_count && begin->started - begin->confirmed < BEGIN_UNCONFIRMED &&
           job->phase == RUN_RUNNING && !job->stopped_ns;
}

static void begin_tell(run_job *job, uint64_t now_ns)
{
    run_begin *begin = &job->begin;
    if (job->up || !job->error_sink->is_terminal || begin->started == job->here_count ||
        now_ns < begin->told_ns + (uint64_t)BEGIN_TELL_MS * 1000000)
        return;
    begin->told_ns = now_ns;
    cor_run_job_print(job, "%d of %d ranks have started", begin->started, job->here_count);
}

int cor_run_begin_turn(run_job *job)
{
    run_begin *begin = &job->begin;
    uint64_t now_ns = cor_clock_ns(), end_ns = now_ns + (uint64_t)BEGIN_TURN_MS * 1000000;
    for (; begin_may_start(job) && now_ns < end_ns; now_ns = cor_clock_ns()) {
        if (begin_at(job, begin->started++) != 0)
            begin_break(job);
    }
    if (begin->started == job->here_count)
        cor_run_bind_close(&job->bound);
    begin_tell(job, now_ns);
    return begin_may_start(job);
}

int cor_run_begin_report(const run_job *job)
{
    const run_begin *begin = &job->begin;
    return begin->confirmed < begin->started ? job->ranks[job->here[begin->confirmed]].report_fd : -1;
}

void cor_run_begin_confirm(run_job *job)
{
    run_begin *begin = &job->begin;
    while (begin->confirmed < begin->started && cor_run_begin_test(job, job->here[begin->confirmed]) == 0)
        begin->confirmed++;
}

void cor_run_begin_stop(run_job *job, int signal)
{
    int first = job->begin.started;
    job->begin.started = job->here_count;
    for (int place = first; place < job->here_count; place++)
        cor_run_job_ended(job, job->here[place], signal, 0);
}
