/* How a job ends: a rank's end is judged, told once, and everybody else is ended with it. */
#define _GNU_SOURCE
#include "run/run_job.h"

#include "base/clock.h"
#include "run/run_reap.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { END_WAIT_FOR_GRAVER_MS = 200 };

void cor_run_job_say(run_job *job, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int at = snprintf(text, sizeof text, "%s: ", job->plan->speaker);
    va_start(arguments, format);
    int more = vsnprintf(text + at, sizeof text - (size_t)at - 1, format, arguments);
    va_end(arguments);
    size_t length = (size_t)(at + more) < sizeof text - 2 ? (size_t)(at + more) : sizeof text - 2;
    text[length++] = '\n';
    cor_run_sink_put(job->error_sink, job, text, length);
    cor_run_sink_flush(job->error_sink);
}

/* ---- complaints ------------------------------------------------------------------------------------------------- */

void cor_run_job_accuse(run_job *job, int gravity, int status, const char *format, ...)
{
    run_verdict *verdict = &job->verdict;
    if (job->phase != RUN_RUNNING || gravity <= verdict->gravity)
        return;
    uint64_t now_ns = cor_clock_ns();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->text, sizeof verdict->text, format, arguments);
    va_end(arguments);
    if (job->up) {
        cor_run_link_say(job->up, AGENT_FAIL, job->plan->first_host, status, verdict->text, strlen(verdict->text));
        verdict->gravity = RUN_DEADLY; /* the root has heard enough of us */
        return;
    }
    if (gravity == RUN_DEADLY || job->branch_count == 0)
        verdict->due_ns = now_ns;
    else if (verdict->gravity == 0)
        verdict->due_ns = now_ns + (uint64_t)END_WAIT_FOR_GRAVER_MS * 1000000;
    verdict->gravity = gravity;
    verdict->status = status;
}

void cor_run_job_judge(run_job *job)
{
    const run_verdict *verdict = &job->verdict;
    if (job->up || job->phase != RUN_RUNNING || verdict->gravity == 0 || cor_clock_ns() < verdict->due_ns)
        return;
    /* Without a text the rank has told it itself. */
    if (*verdict->text)
        cor_run_job_say(job, "%s; ending the job", verdict->text);
    cor_run_job_end(job, verdict->status, SIGTERM, RUN_GRACE_MS);
}

/* ---- ending ----------------------------------------------------------------------------------------------------- */

static void end_signal_here(const run_job *job, int signal)
{
    for (int i = 0; i < job->here_count; i++)
        if (job->ranks[job->here[i]].pid > 0)
            kill(-job->ranks[job->here[i]].pid, signal);
}

void cor_run_job_forward(run_job *job, int signal)
{
    end_signal_here(job, signal);
    cor_run_branches_say(job, AGENT_SIGNAL, signal, NULL, 0);
}

int cor_run_job_end(run_job *job, int status, int signal, int grace_ms)
{
    if (job->phase != RUN_RUNNING)
        return 0;
    job->phase = RUN_ENDING;
    job->status = status;
    job->kill_at_ns = cor_clock_ns() + (uint64_t)grace_ms * 1000000;
    cor_run_job_forward(job, signal);
    return 1;
}

/* What reaches the other hosts is needed until they are done. */
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
    end_signal_here(job, SIGKILL);
    /* Those whose rank has ended before them, or that left its group. */
    cor_run_signal_children(SIGKILL, end_is_spared, job);
    cor_run_branches_say(job, AGENT_KILL, 0, NULL, 0);
    job->give_up_ns = cor_clock_ns() + (uint64_t)RUN_GIVE_UP_MS * 1000000;
}

/* Somebody on this host ends an agent: the whole job ends, and the ranks here at once. */
static void end_signal_agent(run_job *job, int signal)
{
    if (signal)
        cor_run_job_accuse(job, RUN_DEADLY, 128 + signal, "the agent on host %s got signal %d (%s)",
                           job->plan->hosts[0].name, signal, strsignal(signal));
    else
        cor_run_job_accuse(job, RUN_DEADLY, 128 + SIGKILL, "the agent on host %s was killed",
                           job->plan->hosts[0].name);
    if (!signal || !cor_run_job_end(job, 1, SIGTERM, RUN_GRACE_MS))
        cor_run_job_kill(job);
}

void cor_run_job_signal(run_job *job, int signal)
{
    if (signal == SIGUSR1 || signal == SIGUSR2) {
        cor_run_job_forward(job, signal);
        return;
    }
    if (job->up) {
        end_signal_agent(job, signal);
        return;
    }
    int status = 128 + (signal ? signal : SIGKILL);
    /* The first one asks, the second one no longer does; nor does a front that has been killed. */
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
        cor_run_link_say(job->up, AGENT_ABORT, rank, status, reason, strlen(reason));
        return;
    }
    /* A shell sees only the low eight bits; a failure must not turn into success there. */
    int visible = status != 0 && (status & 255) == 0 ? 1 : status & 255;
    /* The library tells why before it asks for the abort; once is enough. */
    if (*reason && cor_run_stream_has_said(&self->error, reason))
        reason = NULL;
    if (!reason)
        cor_run_job_accuse(job, RUN_BROKEN, visible, "%s", "");
    else
        cor_run_job_accuse(job, RUN_BROKEN, visible, "rank %d on host %s aborted the job with status %d%s%s", rank,
                           self->host, status, *reason ? ": " : "", reason);
}

/* ---- the end of a rank ------------------------------------------------------------------------------------------ */

static void end_judge_rank(run_job *job, int rank, int wait_status, int is_early)
{
    const char *host = job->ranks[rank].host;
    if (WIFSIGNALED(wait_status))
        cor_run_job_accuse(job, RUN_DEADLY, 128 + WTERMSIG(wait_status),
                           "rank %d on host %s was killed by signal %d (%s)%s", rank, host, WTERMSIG(wait_status),
                           strsignal(WTERMSIG(wait_status)), WCOREDUMP(wait_status) ? ", core dumped" : "");
    else if (WEXITSTATUS(wait_status) != 0 || is_early)
        cor_run_job_accuse(job, is_early ? RUN_BROKEN : RUN_FAILED,
                           WEXITSTATUS(wait_status) ? WEXITSTATUS(wait_status) : 1,
                           "rank %d on host %s exited with status %d%s", rank, host, WEXITSTATUS(wait_status),
                           is_early ? " after MPI_Init but before MPI_Finalize" : "");
}

void cor_run_job_finish(run_job *job)
{
    if (job->is_finishing)
        return;
    job->is_finishing = 1;
    job->drain_until_ns = cor_clock_ns() + (uint64_t)RUN_DRAIN_MS * 1000000;
    job->give_up_ns = cor_clock_ns() + (uint64_t)RUN_GIVE_UP_MS * 1000000;
    cor_run_branches_say(job, AGENT_FINISH, 0, NULL, 0);
    job->verdict.due_ns = cor_clock_ns(); /* nothing graver can come */
}

void cor_run_job_ended(run_job *job, int rank, int wait_status, int is_early)
{
    if (!job->ranks[rank].is_alive)
        return;
    job->ranks[rank].is_alive = 0;
    job->alive--;
    cor_pmi_server_gone(job->server, rank);
    if (rank == 0)
        cor_run_input_close(&job->input);
    if (job->up)
        cor_run_link_say(job->up, AGENT_EXIT, rank, (wait_status & 0xffff) | (is_early ? AGENT_EXIT_EARLY : 0), NULL,
                         0);
    else
        end_judge_rank(job, rank, wait_status, is_early);
    if (job->alive == 0 && !job->up)
        cor_run_job_finish(job);
}

/* A rank's process has ended: take what it left in its pipes before anybody judges. */
static void end_collect(run_job *job, int rank, int wait_status)
{
    job->ranks[rank].pid = 0;
    cor_run_job_pmi_read(job, rank);
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
    cor_run_job_judge(job);
}

void cor_run_job_check_missing(run_job *job)
{
    int missing = job->phase == RUN_RUNNING ? cor_pmi_server_missing(job->server) : -1;
    if (missing >= 0)
        cor_run_job_accuse(job, RUN_FAILED, 1,
                           "rank %d on host %s has ended while other ranks wait for it in MPI_Init", missing,
                           job->ranks[missing].host);
}
