/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's loop: one poll over all events of a job; the ranks' descriptors are in sets of their own
 * (run_ready.h). */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include "base/clock.h"
#include "launch/job/run_foreign.h"
#include "launch/job/run_reap.h"
#include "launch/job/run_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    JOB_PROMPT_MS = 100, /* an unfinished line on a terminal is shown after this time */
    JOB_LOOK_MS = 500    /* how often to check whether we are in the foreground again */
};

/* ---- what to wait for ------------------------------------------------------------------------------------------- */

/* What a pollfd belongs to. */
typedef enum job_source {
    JOB_CONTROL,
    JOB_CHILD,
    JOB_REPORT,
    JOB_SINK,
    JOB_INPUT,
    JOB_PIPE,
    JOB_READY,
    JOB_ANSWER,
    JOB_STREAM,
    JOB_BRANCH,
    JOB_UP,
    JOB_LINK_OUT
} job_source;

typedef struct job_watch {
    job_source source;
    int number; /* a rank; of JOB_READY, which set; of JOB_PIPE, its place */
    void *object;
} job_watch;

typedef struct job_poll {
    struct pollfd *fds;
    job_watch *watches;
    nfds_t count;
} job_poll;

static void job_watch_add(job_poll *set, int fd, short events, job_source source, int number, void *object)
{
    if (fd < 0)
        return;
    set->fds[set->count] = (struct pollfd){.fd = fd, .events = events};
    set->watches[set->count] = (job_watch){source, number, object};
    set->count++;
}

int cor_run_job_is_full(const run_job *job, const run_sink *sink)
{
    if (job->up)
        return cor_run_link_is_full(job->up);
    return sink ? cor_run_sink_is_full(sink) : cor_run_sink_is_full(&job->output) || cor_run_sink_is_full(&job->error);
}

/* The ranks of this host. */
static void job_watch_ranks(const run_job *job, job_poll *set)
{
    const int *fds = job->ready.fds;
    const run_sink *error = job->plan->output.is_merged ? &job->output : job->error_sink;
    job_watch_add(set, fds[RUN_READY_PMI], POLLIN, JOB_READY, RUN_READY_PMI, NULL);
    /* A rank whose output is not read waits in its own write, as without a launcher. */
    if (!cor_run_job_is_full(job, &job->output))
        job_watch_add(set, fds[RUN_READY_OUTPUT], POLLIN, JOB_READY, RUN_READY_OUTPUT, NULL);
    if (!cor_run_job_is_full(job, error))
        job_watch_add(set, fds[RUN_READY_ERROR], POLLIN, JOB_READY, RUN_READY_ERROR, NULL);
    for (int i = 0; i < job->here_count && cor_pmi_server_has_pending(job->server); i++) {
        size_t pending;
        cor_pmi_server_pending(job->server, job->here[i], &pending);
        if (pending)
            job_watch_add(set, job->ranks[job->here[i]].pmi_fd, POLLOUT, JOB_ANSWER, job->here[i], NULL);
    }
}

static void job_watch_link(job_poll *set, run_link *link, job_source source, void *object)
{
    job_watch_add(set, link->in_fd, POLLIN, source, 0, object);
    if (!cor_run_link_is_empty(link))
        job_watch_add(set, link->out_fd, POLLOUT, JOB_LINK_OUT, 0, link);
}

static void job_watch_all(run_job *job, job_poll *set)
{
    set->count = 0;
    job_watch_add(set, job->control_fd, POLLIN, JOB_CONTROL, 0, NULL);
    job_watch_add(set, job->child_fd, POLLIN, JOB_CHILD, 0, NULL);
    job_watch_add(set, cor_run_begin_report(job), POLLIN, JOB_REPORT, 0, NULL);
    if (!cor_run_sink_is_empty(&job->output))
        job_watch_add(set, job->output.fd, POLLOUT, JOB_SINK, 0, &job->output);
    if (!cor_run_sink_is_empty(&job->error))
        job_watch_add(set, job->error.fd, POLLOUT, JOB_SINK, 0, &job->error);
    job_watch_add(set, cor_run_feed_source(job), POLLIN, JOB_INPUT, 0, NULL);
    for (int place = 0; place < job->input.pipe_count; place++)
        job_watch_add(set, cor_run_input_wants_write(&job->input, place), POLLOUT, JOB_PIPE, place, NULL);
    if (job->up)
        job_watch_link(set, job->up, JOB_UP, NULL);
    job_watch_ranks(job, set);
    for (int i = 0; i < job->branch_count; i++) {
        job_watch_link(set, &job->branches[i].link, JOB_BRANCH, &job->branches[i]);
        job_watch_add(set, job->branches[i].words.fd, POLLIN, JOB_STREAM, 0, &job->branches[i].words);
    }
}

/* ---- what happened ---------------------------------------------------------------------------------------------- */

static void job_read_control(run_job *job)
{
    char signals[16];
    ssize_t got = recv(job->control_fd, signals, sizeof signals, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        job->control_fd = -1;
        cor_run_job_signal(job, 0);
    }
    for (ssize_t i = 0; i < got; i++)
        cor_run_job_signal(job, signals[i]);
}

static void job_handle(run_job *job, const job_watch *watch)
{
    struct signalfd_siginfo ended;
    switch (watch->source) {
    case JOB_CONTROL:
        job_read_control(job);
        break;
    case JOB_CHILD:
        while (read(job->child_fd, &ended, sizeof ended) > 0)
            ;
        cor_run_job_reap(job);
        break;
    case JOB_REPORT:
        cor_run_begin_confirm(job);
        break;
    case JOB_SINK:
        cor_run_sink_flush(watch->object);
        break;
    case JOB_INPUT:
        if (cor_run_feed_source(job) >= 0) /* a rank that has just ended may have been the last reader */
            cor_run_feed_read(job);
        break;
    case JOB_PIPE:
        if (cor_run_input_wants_write(&job->input, watch->number) >= 0)
            cor_run_input_write(&job->input, watch->number);
        break;
    case JOB_READY:
        cor_run_ready_handle(job, (run_ready_kind)watch->number);
        break;
    case JOB_ANSWER:
        cor_run_job_pmi_write(job, watch->number);
        break;
    case JOB_STREAM:
        cor_run_stream_read(watch->object);
        break;
    case JOB_BRANCH:
        cor_run_branch_receive(job, watch->object);
        break;
    case JOB_UP:
        cor_run_up_receive(job);
        break;
    case JOB_LINK_OUT:
        cor_run_link_flush(watch->object);
        break;
    }
}

/* Output that cannot be written: a closed pipe ends the job without a message, as it ends any program. */
static void job_check_sinks(run_job *job)
{
    if (job->files.error && job->phase == RUN_RUNNING) {
        cor_run_job_print(job, "cannot write %s: %s; ending the job", job->files.path, strerror(job->files.error));
        cor_run_job_end(job, 1, SIGTERM, RUN_GRACE_MS);
    }
    if (job->up || !job->output.is_dead || job->phase != RUN_RUNNING)
        return;
    if (job->output.error != EPIPE) {
        /* stderr may be another file and still work. */
        cor_run_job_print(job, "cannot write the ranks' output: %s; ending the job", strerror(job->output.error));
    }
    cor_run_job_end(job, job->output.error == EPIPE ? 128 + SIGPIPE : 1, SIGTERM, RUN_GRACE_MS);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void job_sooner(uint64_t *when_ns, uint64_t candidate_ns)
{
    if (candidate_ns && candidate_ns < *when_ns)
        *when_ns = candidate_ns;
}

/* Show unfinished lines on a terminal after some time; *when_ns: when the next one is due. */
static void job_prompt(run_stream *stream, uint64_t now_ns, uint64_t *when_ns)
{
    if (stream->filled == 0 || !stream->sink->is_terminal)
        return;
    uint64_t due_ns = stream->since_ns + (uint64_t)JOB_PROMPT_MS * 1000000;
    if (due_ns <= now_ns) {
        cor_run_stream_flush(stream);
        cor_run_sink_flush(stream->sink);
    } else {
        job_sooner(when_ns, due_ns);
    }
}

/* Time without messages from the other hosts, counted only while this process runs. */
static void job_watch_silence(run_job *job, uint64_t now_ns, uint64_t *when_ns)
{
    if (job->branch_count == 0 && !job->up)
        return;
    uint64_t passed = (now_ns - job->watched_ns) / 1000000;
    int passed_ms = passed > 1500 ? 1500 : (int)passed;
    cor_run_branches_time(job, now_ns, passed_ms, when_ns);
    if (job->up)
        cor_run_up_time(job, now_ns, passed_ms, when_ns);
    if (passed_ms > 0)
        job->watched_ns = now_ns;
}

/* Do what is due and return how long poll may wait, in ms. */
static int job_time(run_job *job)
{
    uint64_t now_ns = cor_clock_ns();
    uint64_t when_ns = UINT64_MAX;
    if (job->deadline_ns && now_ns >= job->deadline_ns && job->phase == RUN_RUNNING && !job->stopped_ns) {
        if (job->plan->has_timeout_report)
            cor_run_watch_picture(job);
        cor_run_job_print(job, "the job has run for %g s (--timeout); ending the job", job->plan->timeout_s);
        cor_run_job_end(job, RUN_STATUS_TIMEOUT, SIGTERM, RUN_GRACE_MS);
    }
    cor_run_job_end_if_failed(job);
    job_watch_silence(job, now_ns, &when_ns);
    cor_run_watch_time(job, now_ns, &when_ns);
    cor_run_foreign_time(job, now_ns, &when_ns);
    /* Once the ranks have ended, their children need no grace period. */
    if (job->phase == RUN_ENDING && (job->alive == 0 || now_ns >= job->kill_at_ns))
        cor_run_job_kill(job);
    job_sooner(&when_ns, job->phase == RUN_RUNNING && !job->stopped_ns ? job->deadline_ns : 0);
    if (job->phase == RUN_RUNNING && !job->up && job->failure.severity > 0)
        job_sooner(&when_ns, job->failure.due_ns);
    job_sooner(&when_ns, job->kill_at_ns);
    job_sooner(&when_ns, job->drain_until_ns > now_ns ? job->drain_until_ns : 0);
    job_sooner(&when_ns, job->branch_count > 0 && job->give_up_ns > now_ns ? job->give_up_ns : 0);
    if (job->input.from_fd >= 0 && job->input.is_terminal)
        job_sooner(&when_ns, now_ns + (uint64_t)JOB_LOOK_MS * 1000000);
    int has_prompts = !job->up && (job->output.is_terminal || job->error.is_terminal);
    for (int rank = 0; has_prompts && rank < job->plan->size; rank++) {
        job_prompt(&job->ranks[rank].output, now_ns, &when_ns);
        job_prompt(&job->ranks[rank].error, now_ns, &when_ns);
    }
    if (when_ns == UINT64_MAX)
        return -1;
    uint64_t wait_ms = when_ns > now_ns ? (when_ns - now_ns + 999999) / 1000000 : 0;
    return wait_ms > 60000 ? 60000 : (int)wait_ms;
}

/* The ranks have ended some time ago: what their children still write into their pipes is no longer read. */
static void job_stop_reading(run_job *job)
{
    for (int rank = 0; rank < job->plan->size; rank++) {
        cor_run_stream_close(&job->ranks[rank].output);
        cor_run_stream_close(&job->ranks[rank].error);
    }
}

static int job_has_streams(const run_job *job)
{
    for (int rank = 0; rank < job->plan->size; rank++)
        if (cor_run_stream_is_open(&job->ranks[rank].output) || cor_run_stream_is_open(&job->ranks[rank].error))
            return 1;
    return 0;
}

/* All ranks have ended and their output is written. When the job was ended, a reader of the output has until
 * drain_until_ns. */
static int job_is_over(run_job *job)
{
    int is_late = job->drain_until_ns && cor_clock_ns() >= job->drain_until_ns;
    if (job->give_up_ns && cor_clock_ns() >= job->give_up_ns)
        cor_run_branches_give_up(job);
    if (job->begin.is_broken)
        return 1;
    if (job->alive > 0 || !job->is_finishing || (!job->up && job->phase == RUN_RUNNING && job->failure.severity > 0))
        return 0;
    if (is_late)
        job_stop_reading(job);
    if (job_has_streams(job) || !cor_run_branches_are_done(job))
        return 0;
    int is_written = cor_run_sink_is_empty(&job->output) && cor_run_sink_is_empty(&job->error);
    return is_written || (is_late && job->phase != RUN_RUNNING);
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

static void job_flush(run_job *job)
{
    for (int i = 0; i < job->here_count && cor_pmi_server_has_pending(job->server); i++)
        cor_run_job_pmi_write(job, job->here[i]);
    if (job->up)
        cor_run_feed_acknowledge(job);
    cor_run_sink_flush(&job->output);
    cor_run_sink_flush(&job->error);
    for (int i = 0; i < job->branch_count; i++) {
        if (!cor_run_job_is_full(job, NULL))
            cor_run_link_ack(&job->branches[i].link);
        cor_run_link_flush(&job->branches[i].link);
    }
    if (job->up)
        cor_run_link_flush(job->up);
}

static void job_round(run_job *job, job_poll *set)
{
    int has_more = cor_run_begin_turn(job);
    int wait_ms = job_time(job);
    if (job_is_over(job))
        return;
    job_watch_all(job, set);
    if (poll(set->fds, set->count, has_more ? 0 : wait_ms) <= 0) {
        job_flush(job);
        return;
    }
    for (nfds_t i = 0; i < set->count; i++)
        if (set->fds[i].revents)
            job_handle(job, &set->watches[i]);
    job_flush(job);
    job_check_sinks(job);
    cor_run_job_check_missing(job);
    cor_run_job_end_if_failed(job);
}

/* The front has passed on signals, or has ended. */
static void job_on_control(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    char passed_on[16];
    ssize_t count = recv(info->si_fd, passed_on, sizeof passed_on, MSG_DONTWAIT);
    int is_end = count == 0;
    for (ssize_t i = 0; i < count; i++)
        is_end |= passed_on[i] == SIGTERM || passed_on[i] == SIGINT || passed_on[i] == SIGHUP;
    if (is_end)
        _exit(128 + SIGTERM);
}

/* The job is over, and what is left to do may wait for the reader of a pipe: from now on a signal that ends jobs ends
 * this process. What came before was for the job. */
static void job_obey(const run_job *job)
{
    struct sigaction control = {.sa_sigaction = job_on_control, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t ends;
    sigemptyset(&control.sa_mask);
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGIO);
    signal(SIGTERM, SIG_IGN); /* forgets one that is pending */
    signal(SIGTERM, SIG_DFL);
    if (job->control_fd >= 0 && sigaction(SIGIO, &control, NULL) == 0 &&
        fcntl(job->control_fd, F_SETOWN, getpid()) == 0 && fcntl(job->control_fd, F_SETSIG, SIGIO) == 0 &&
        fcntl(job->control_fd, F_SETFL, fcntl(job->control_fd, F_GETFL) | O_ASYNC) == 0)
        sigprocmask(SIG_UNBLOCK, &ends, NULL);
}

int cor_run_job_main(const run_plan *plan, const run_inherited *inherited, int control_fd)
{
    run_job job;
    size_t most = 11 + 4 * (size_t)plan->size + 3 * (size_t)plan->host_count;
    job_poll set = {.fds = calloc(most, sizeof *set.fds), .watches = calloc(most, sizeof *set.watches)};
    int is_open = set.fds && set.watches && cor_run_job_open(&job, plan, inherited, control_fd) == 0;
    int status = 1;
    if (is_open)
        while (!job_is_over(&job))
            job_round(&job, &set);
    if (set.fds && set.watches) {
        cor_run_branches_close(&job);
        /* If a rank could not be started, the started ones are ended; a job that is over leaves no process behind. */
        cor_run_kill_descendants();
        /* A rank that was killed during its start may have left files. */
        cor_segment_sweep(inherited->job);
        status = job.status;
        if (job.up) {
            cor_run_watch_send_all(&job);
            cor_run_link_send(job.up, AGENT_DONE, 0, 0, NULL, 0);
            cor_run_link_flush_wait(job.up, 1000);
        }
        cor_run_job_close(&job);
        job_obey(&job);
        status = cor_run_watch_report(&job, status);
        cor_run_watch_close(&job);
    }
    free(set.fds);
    free(set.watches);
    return status;
}
