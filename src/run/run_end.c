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

void cor_run_job_forward(run_job *job, int signal)
{
    for (int rank = 0; rank < job->plan->size; rank++)
        if (job->ranks[rank].pid > 0)
            kill(-job->ranks[rank].pid, signal);
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

void cor_run_job_kill(run_job *job)
{
    job->phase = RUN_KILLED;
    job->kill_at_ns = 0;
    cor_run_job_forward(job, SIGKILL);
    /* Those whose rank has ended before them, or that left its group. */
    cor_run_signal_children(SIGKILL);
}

void cor_run_job_signal(run_job *job, int signal)
{
    if (signal == SIGUSR1 || signal == SIGUSR2) {
        cor_run_job_forward(job, signal);
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
    /* A shell sees only the low eight bits; a failure must not turn into success there. */
    int visible = status != 0 && (status & 255) == 0 ? 1 : status & 255;
    if (job->phase != RUN_RUNNING)
        return;
    cor_run_stream_drain(&job->ranks[rank].output);
    cor_run_stream_drain(&job->ranks[rank].error);
    /* The library tells why before it asks for the abort; once is enough. */
    if (!*reason || !cor_run_stream_has_said(&job->ranks[rank].error, reason))
        cor_run_job_say(job, "rank %d on host %s aborted the job with status %d%s%s; ending the job", rank, job->host,
                        status, *reason ? ": " : "", reason);
    cor_run_job_end(job, visible, SIGTERM, RUN_GRACE_MS);
}

/* ---- the end of a rank ------------------------------------------------------------------------------------------ */

/* How grave an end is: 0 is well. When several ranks end at once the gravest is the cause of the others. */
static int end_gravity(const run_job *job, int rank)
{
    int status = job->ranks[rank].wait_status;
    if (WIFSIGNALED(status))
        return 3;
    int is_early = cor_pmi_server_is_active(job->server, rank);
    if (WEXITSTATUS(status) != 0)
        return is_early ? 2 : 1;
    return is_early ? 2 : 0;
}

static void end_tell(run_job *job, int rank)
{
    int status = job->ranks[rank].wait_status;
    int is_early = cor_pmi_server_is_active(job->server, rank);
    if (WIFSIGNALED(status))
        cor_run_job_say(job, "rank %d on host %s was killed by signal %d (%s)%s; ending the job", rank, job->host,
                        WTERMSIG(status), strsignal(WTERMSIG(status)), WCOREDUMP(status) ? ", core dumped" : "");
    else
        cor_run_job_say(job, "rank %d on host %s exited with status %d%s; ending the job", rank, job->host,
                        WEXITSTATUS(status), is_early ? " after MPI_Init but before MPI_Finalize" : "");
    int visible = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    cor_run_job_end(job, visible ? visible : 1, SIGTERM, RUN_GRACE_MS);
}

/* A rank's process has ended: take what it left in its pipes before anybody judges. */
static void end_collect(run_job *job, int rank, int wait_status)
{
    job->ranks[rank].pid = 0;
    job->ranks[rank].wait_status = wait_status;
    job->alive--;
    cor_run_job_pmi_read(job, rank);
    cor_pmi_server_gone(job->server, rank);
    cor_run_stream_drain(&job->ranks[rank].output);
    cor_run_stream_drain(&job->ranks[rank].error);
    if (rank == 0)
        cor_run_input_close(&job->input);
}

static int end_rank_of(const run_job *job, pid_t pid)
{
    for (int rank = 0; rank < job->plan->size; rank++)
        if (job->ranks[rank].pid == pid)
            return rank;
    return -1;
}

void cor_run_job_reap(run_job *job)
{
    int gravest = -1, wait_status;
    pid_t pid;
    while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
        int rank = end_rank_of(job, pid);
        if (rank < 0)
            continue;
        end_collect(job, rank, wait_status);
        int gravity = end_gravity(job, rank);
        if (gravity > 0 && (gravest < 0 || gravity > end_gravity(job, gravest)))
            gravest = rank;
    }
    if (gravest >= 0 && job->phase == RUN_RUNNING)
        end_tell(job, gravest);
    if (job->alive == 0 && job->drain_until_ns == 0)
        job->drain_until_ns = cor_clock_ns() + (uint64_t)RUN_DRAIN_MS * 1000000;
}

void cor_run_job_check_missing(run_job *job)
{
    int missing = job->phase == RUN_RUNNING ? cor_pmi_server_missing(job->server) : -1;
    if (missing < 0)
        return;
    cor_run_job_say(job, "rank %d on host %s has ended while other ranks wait for it in MPI_Init; ending the job",
                    missing, job->host);
    cor_run_job_end(job, 1, SIGTERM, RUN_GRACE_MS);
}
