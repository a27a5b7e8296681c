/* SPDX-License-Identifier: Apache-2.0 */
/* How a job ends: a rank's failure is reported once, and all other ranks are ended. */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include "base/clock.h"
#include "launch/job/run_foreign.h"
#include "launch/job/run_reap.h"
#include "launch/job/run_watch.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { END_WAIT_FOR_GRAVER_MS = 200 };

void cor_run_job_print(run_job *job, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int at = snprintf(text, sizeof text, "%s: ", job->plan->command_name);
    va_start(arguments, format);
    int more = vsnprintf(text + at, sizeof text - (size_t)at - 1, format, arguments);
    va_end(arguments);
    size_t length = (size_t)(at + more) < sizeof text - 2 ? (size_t)(at + more) : sizeof text - 2;
    text[length++] = '\n';
    cor_run_sink_put(job->error_sink, job, text, length);
    cor_run_sink_flush(job->error_sink);
}

/* ---- complaints ------------------------------------------------------------------------------------------------- */

void cor_run_job_fail(run_job *job, int severity, int status, const char *format, ...)
{
    run_failure *failure = &job->failure;
    if (job->phase != RUN_RUNNING || severity <= failure->severity)
        return;
    uint64_t now_ns = cor_clock_ns();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    if (job->up) {
        cor_run_link_send(job->up, AGENT_FAIL, job->plan->first_host, status, failure->text, strlen(failure->text));
        failure->severity = RUN_FATAL; /* the root has our first failure already */
        return;
    }
    if (severity == RUN_FATAL || job->branch_count == 0)
        failure->due_ns = now_ns;
    else if (failure->severity == 0)
        failure->due_ns = now_ns + (uint64_t)END_WAIT_FOR_GRAVER_MS * 1000000;
    failure->severity = severity;
    failure->status = status;
}

void cor_run_job_end_if_failed(run_job *job)
{
    const run_failure *failure = &job->failure;
    if (job->up || job->phase != RUN_RUNNING || failure->severity == 0 || cor_clock_ns() < failure->due_ns)
        return;
    /* Without a text the rank has reported it itself. */
    if (*failure->text)
        cor_run_job_print(job, "%s; ending the job", failure->text);
    cor_run_job_end(job, failure->status, SIGTERM, RUN_GRACE_MS);
}

/* ---- ending ----------------------------------------------------------------------------------------------------- */

/* What a rank has started, first: it is found by its parents. */
static void end_signal_here(const run_job *job, int signal)
{
    for (int i = 0; i < job->here_count; i++) {
        pid_t pid = job->ranks[job->here[i]].pid;
        if (pid <= 0)
            continue;
        cor_run_signal_groups_below(pid, signal);
        kill(-pid, signal);
    }
}

/* Does a program usually continue after this signal? */
static int end_is_survived(int signal)
{
    return signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGSTOP || signal == SIGCONT;
}

/* The time of a job does not run while its ranks are stopped, and none is started. */
static void end_note_stop(run_job *job, int signal)
{
    if (signal == SIGSTOP && !job->stopped_ns)
        job->stopped_ns = cor_clock_ns();
    if (signal != SIGCONT)
        return;
    if (job->stopped_ns && job->deadline_ns)
        job->deadline_ns += cor_clock_ns() - job->stopped_ns;
    job->stopped_ns = 0;
    cor_run_watch_continued(job);
}

void cor_run_job_forward(run_job *job, int signal)
{
    if (!end_is_survived(signal))
        cor_run_begin_stop(job, signal);
    end_note_stop(job, signal);
    end_signal_here(job, signal);
    cor_run_branches_send(job, AGENT_SIGNAL, signal, NULL, 0);
}

int cor_run_job_end(run_job *job, int status, int signal, int grace_ms)
{
    if (job->phase != RUN_RUNNING)
        return 0;
    job->phase = RUN_ENDING;
    job->status = status;
    job->kill_at_ns = cor_clock_ns() + (uint64_t)grace_ms * 1000000;
    cor_run_job_forward(job, signal);
    if (job->stopped_ns) /* else the signal stays pending */
        cor_run_job_forward(job, SIGCONT);
    return 1;
}

/* The commands that reach the other hosts are needed until these are done. */
static int end_is_spared(const void *context, int pid)
{
    const run_job *job = context;
    for (int i = 0; i < job->branch_count; i++)
        if (job->branches[i].pid == pid)
            return 1;
    return 0;
}

void cor_run_job_kill(run_job *job)
{
    job->phase = RUN_KILLED;
    job->kill_at_ns = 0;
    cor_run_begin_stop(job, SIGKILL);
    end_signal_here(job, SIGKILL);
    /* Children of ranks that have ended, and those that left the group of their rank. */
    cor_run_signal_children(SIGKILL, end_is_spared, job);
    cor_run_branches_send(job, AGENT_KILL, 0, NULL, 0);
    job->give_up_ns = cor_clock_ns() + (uint64_t)RUN_GIVE_UP_MS * 1000000;
}

/* The agent got a signal on its own host: the whole job ends, and the ranks here at once. */
static void end_signal_agent(run_job *job, int signal)
{
    if (signal)
        cor_run_job_fail(job, RUN_FATAL, 128 + signal, "the agent on host %s got signal %d (%s)",
                         job->plan->hosts[0].name, signal, strsignal(signal));
    else
        cor_run_job_fail(job, RUN_FATAL, 128 + SIGKILL, "the agent on host %s was killed", job->plan->hosts[0].name);
    if (!signal || !cor_run_job_end(job, 1, SIGTERM, RUN_GRACE_MS))
        cor_run_job_kill(job);
}

void cor_run_job_signal(run_job *job, int signal)
{
    if (signal == SIGUSR1 || signal == SIGUSR2) {
        cor_run_job_forward(job, signal);
        return;
    }
    if (signal == SIGTSTP || signal == SIGCONT) {
        if (signal == SIGCONT || job->phase == RUN_RUNNING)
            cor_run_job_forward(job, signal == SIGTSTP ? SIGSTOP : SIGCONT);
        return;
    }
    if (signal == SIGQUIT && !job->up) {
        cor_run_watch_picture(job);
        return;
    }
    if (job->up) {
        end_signal_agent(job, signal);
        return;
    }
    int status = 128 + (signal ? signal : SIGKILL);
    /* The first signal asks the ranks to end; a second one, or the death of the front, kills them. */
    if (signal == 0 || !cor_run_job_end(job, status, signal, RUN_SIGNAL_GRACE_MS)) {
        job->status = job->phase == RUN_RUNNING ? status : job->status;
        cor_run_job_kill(job);
    }
}

void cor_run_job_abort(void *context, int rank, int status, const char *reason)
{
    run_job *job = context;
    run_rank *self = &job->ranks[rank];
    if (job->phase != RUN_RUNNING)
        return;
    cor_run_stream_drain(&self->output);
    cor_run_stream_drain(&self->error);
    if (job->up) {
        cor_run_link_send(job->up, AGENT_ABORT, rank, status, reason, strlen(reason));
        return;
    }
    /* A shell gets only the low eight bits, in which a failure must not become success. */
    int visible = status != 0 && (status & 255) == 0 ? 1 : status & 255;
    /* The library prints the reason before it asks for the abort; do not repeat it. */
    if (*reason && cor_run_stream_ends_with(&self->error, reason))
        reason = NULL;
    if (!reason)
        cor_run_job_fail(job, RUN_BROKEN, visible, "%s", "");
    else
        cor_run_job_fail(job, RUN_BROKEN, visible, "rank %d on host %s aborted the job with status %d%s%s", rank,
                         self->host, status, *reason ? ": " : "", reason);
}

/* ---- the end of a rank ------------------------------------------------------------------------------------------ */

static void end_check_rank(run_job *job, int rank, int wait_status, int is_early)
{
    const char *host = job->ranks[rank].host;
    if (WIFSIGNALED(wait_status))
        cor_run_job_fail(job, RUN_FATAL, 128 + WTERMSIG(wait_status),
                         "rank %d on host %s was killed by signal %d (%s)%s", rank, host, WTERMSIG(wait_status),
                         strsignal(WTERMSIG(wait_status)), WCOREDUMP(wait_status) ? ", core dumped" : "");
    else if (WEXITSTATUS(wait_status) != 0 || is_early) {
        char hint[RUN_HINT_MAX];
        cor_run_hint_write(&job->ranks[rank].hint, hint);
        cor_run_job_fail(job, is_early ? RUN_BROKEN : RUN_FAILED,
                         WEXITSTATUS(wait_status) ? WEXITSTATUS(wait_status) : 1,
                         "rank %d on host %s exited with status %d%s%s", rank, host, WEXITSTATUS(wait_status),
                         is_early ? " after MPI_Init but before MPI_Finalize" : "", hint);
    }
}

void cor_run_job_finish(run_job *job)
{
    if (job->is_finishing)
        return;
    job->is_finishing = 1;
    job->drain_until_ns = cor_clock_ns() + (uint64_t)RUN_DRAIN_MS * 1000000;
    job->give_up_ns = cor_clock_ns() + (uint64_t)RUN_GIVE_UP_MS * 1000000;
    cor_run_branches_send(job, AGENT_FINISH, 0, NULL, 0);
    job->failure.due_ns = cor_clock_ns(); /* no more severe failure can follow */
}

/* Print how a rank has ended, if the user requested that. */
static void end_report(run_job *job, int rank, int wait_status)
{
    if (!job->plan->has_exit_report)
        return;
    if (WIFSIGNALED(wait_status))
        cor_run_job_print(job, "rank %d: signal %d", rank, WTERMSIG(wait_status));
    else
        cor_run_job_print(job, "rank %d: status %d", rank, WEXITSTATUS(wait_status));
}

void cor_run_job_ended(run_job *job, int rank, int wait_status, int is_early)
{
    if (!job->ranks[rank].is_alive)
        return;
    job->ranks[rank].is_alive = 0;
    job->alive--;
    cor_run_watch_ended(job, rank);
    cor_pmi_server_rank_ended(job->server, rank);
    cor_run_feed_ended(job, rank);
    if (job->up)
        cor_run_link_send(job->up, AGENT_EXIT, rank, (wait_status & 0xffff) | (is_early ? AGENT_EXIT_EARLY : 0), NULL,
                          0);
    else {
        end_report(job, rank, wait_status);
        end_check_rank(job, rank, wait_status, is_early);
    }
    if (job->alive == 0 && !job->up)
        cor_run_job_finish(job);
}

/* A rank's process has ended: read the rest of its pipes before its status is examined. */
static void end_collect(run_job *job, int rank, int wait_status)
{
    job->ranks[rank].pid = 0;
    if (cor_run_begin_test(job, rank) < 0)
        return;
    cor_run_job_pmi_read(job, rank);
    cor_run_foreign_ended(job, rank);
    cor_run_stream_drain(&job->ranks[rank].output);
    cor_run_stream_drain(&job->ranks[rank].error);
    cor_run_job_ended(job, rank, wait_status, cor_pmi_server_is_active(job->server, rank));
}

static int end_rank_of(const run_job *job, pid_t pid)
{
    for (int i = 0; i < job->here_count; i++)
        if (job->ranks[job->here[i]].pid == pid)
            return job->here[i];
    return -1;
}

void cor_run_job_reap(run_job *job)
{
    int wait_status;
    pid_t pid;
    while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
        int rank = end_rank_of(job, pid);
        if (rank >= 0)
            end_collect(job, rank, wait_status);
        else
            cor_run_branch_reaped(job, pid, wait_status);
    }
    cor_run_job_end_if_failed(job);
}

void cor_run_job_check_missing(run_job *job)
{
    int missing = job->phase == RUN_RUNNING ? cor_pmi_server_missing(job->server) : -1;
    if (missing >= 0)
        cor_run_job_fail(job, RUN_FAILED, 1, "rank %d on host %s has ended while other ranks wait for it in MPI_Init",
                         missing, job->ranks[missing].host);
}
