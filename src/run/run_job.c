/* The worker's loop: one poll over everything that can happen to a job. */
#define _GNU_SOURCE
#include "run/run_job.h"

#include "base/clock.h"
#include "run/run_reap.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    JOB_PROMPT_MS = 100, /* an unfinished line on a terminal is shown after so long */
    JOB_LOOK_MS = 500    /* how often to look whether the terminal is ours again */
};

/* ---- PMI -------------------------------------------------------------------------------------------------------- */

static void job_pmi_close(run_job *job, int rank)
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
            job_pmi_close(job, rank);
            return;
        }
        cor_fault fault = {0};
        if (cor_pmi_server_feed(job->server, rank, bytes, (size_t)got, &fault) != COR_OK) {
            if (job->phase == RUN_RUNNING)
                cor_run_job_say(job, "rank %d on host %s sent what is no PMI-1: %s; ending the job", rank, job->host,
                                fault.text);
            cor_run_job_end(job, 1, SIGTERM, RUN_GRACE_MS);
            job_pmi_close(job, rank);
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
            job_pmi_close(job, rank);
            return;
        }
        cor_pmi_server_sent(job->server, rank, (size_t)sent);
    }
}

/* ---- what to wait for ------------------------------------------------------------------------------------------- */

/* What a pollfd belongs to. */
typedef enum job_source { JOB_CONTROL, JOB_CHILD, JOB_SINK, JOB_INPUT, JOB_PMI, JOB_STREAM } job_source;

typedef struct job_watch {
    job_source source;
    int rank;
    void *object;
} job_watch;

typedef struct job_poll {
    struct pollfd *fds;
    job_watch *watches;
    nfds_t count;
} job_poll;

static void job_watch_add(job_poll *set, int fd, short events, job_source source, int rank, void *object)
{
    if (fd < 0)
        return;
    set->fds[set->count] = (struct pollfd){.fd = fd, .events = events};
    set->watches[set->count] = (job_watch){source, rank, object};
    set->count++;
}

static void job_watch_stream(job_poll *set, run_stream *stream)
{
    /* A rank whose output nobody takes waits in its own write, as it would without us. */
    if (!cor_run_sink_is_full(stream->sink))
        job_watch_add(set, stream->fd, POLLIN, JOB_STREAM, stream->rank, stream);
}

static void job_watch_all(run_job *job, job_poll *set)
{
    set->count = 0;
    job_watch_add(set, job->control_fd, POLLIN, JOB_CONTROL, 0, NULL);
    job_watch_add(set, job->child_fd, POLLIN, JOB_CHILD, 0, NULL);
    if (!cor_run_sink_is_empty(&job->output))
        job_watch_add(set, job->output.fd, POLLOUT, JOB_SINK, 0, &job->output);
    if (!cor_run_sink_is_empty(&job->error))
        job_watch_add(set, job->error.fd, POLLOUT, JOB_SINK, 0, &job->error);
    job_watch_add(set, cor_run_input_wants_read(&job->input), POLLIN, JOB_INPUT, 0, NULL);
    job_watch_add(set, cor_run_input_wants_write(&job->input), POLLOUT, JOB_INPUT, 0, NULL);
    for (int rank = 0; rank < job->plan->size; rank++) {
        run_rank *self = &job->ranks[rank];
        size_t pending;
        cor_pmi_server_pending(job->server, rank, &pending);
        job_watch_add(set, self->pmi_fd, pending ? POLLIN | POLLOUT : POLLIN, JOB_PMI, rank, NULL);
        job_watch_stream(set, &self->output);
        job_watch_stream(set, &self->error);
    }
}

/* ---- what happened ---------------------------------------------------------------------------------------------- */

static void job_hear_control(run_job *job)
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

static void job_hear(run_job *job, const job_watch *watch, short events)
{
    struct signalfd_siginfo ended;
    switch (watch->source) {
    case JOB_CONTROL:
        job_hear_control(job);
        break;
    case JOB_CHILD:
        while (read(job->child_fd, &ended, sizeof ended) > 0)
            ;
        cor_run_job_reap(job);
        break;
    case JOB_SINK:
        cor_run_sink_flush(watch->object);
        break;
    case JOB_INPUT:
        if (cor_run_input_wants_write(&job->input) >= 0)
            cor_run_input_write(&job->input);
        else if (cor_run_input_wants_read(&job->input) >= 0)
            cor_run_input_read(&job->input);
        break;
    case JOB_PMI:
        if (events & ~POLLOUT)
            cor_run_job_pmi_read(job, watch->rank);
        break;
    case JOB_STREAM:
        cor_run_stream_read(watch->object);
        break;
    }
}

/* Output that cannot be written: a closed pipe ends the job without a word, as it ends any program. */
static void job_check_sinks(run_job *job)
{
    if (!job->output.is_dead || job->phase != RUN_RUNNING)
        return;
    if (job->output.error != EPIPE) {
        /* stderr may lead elsewhere and still work. */
        cor_run_job_say(job, "cannot write the ranks' output: %s; ending the job", strerror(job->output.error));
    }
    cor_run_job_end(job, job->output.error == EPIPE ? 128 + SIGPIPE : 1, SIGTERM, RUN_GRACE_MS);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void job_sooner(uint64_t *when_ns, uint64_t candidate_ns)
{
    if (candidate_ns && candidate_ns < *when_ns)
        *when_ns = candidate_ns;
}

/* Show unfinished lines that have stood for a while on a terminal; *when_ns: when the next one is due. */
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

/* Do what time asks for and return how long poll may wait, in ms. */
static int job_time(run_job *job)
{
    uint64_t now_ns = cor_clock_ns();
    if (job->deadline_ns && now_ns >= job->deadline_ns && job->phase == RUN_RUNNING) {
        cor_run_job_say(job, "the job has run for %g s, its --timeout; ending the job", job->plan->timeout_s);
        cor_run_job_end(job, RUN_STATUS_TIMEOUT, SIGTERM, RUN_GRACE_MS);
    }
    /* Once the ranks themselves are gone nobody is left to be polite to. */
    if (job->phase == RUN_ENDING && (job->alive == 0 || now_ns >= job->kill_at_ns))
        cor_run_job_kill(job);
    uint64_t when_ns = UINT64_MAX;
    job_sooner(&when_ns, job->phase == RUN_RUNNING ? job->deadline_ns : 0);
    job_sooner(&when_ns, job->kill_at_ns);
    job_sooner(&when_ns, job->drain_until_ns > now_ns ? job->drain_until_ns : 0);
    if (job->input.from_fd >= 0)
        job_sooner(&when_ns, now_ns + (uint64_t)JOB_LOOK_MS * 1000000);
    for (int rank = 0; rank < job->plan->size; rank++) {
        job_prompt(&job->ranks[rank].output, now_ns, &when_ns);
        job_prompt(&job->ranks[rank].error, now_ns, &when_ns);
    }
    if (when_ns == UINT64_MAX)
        return -1;
    uint64_t wait_ms = when_ns > now_ns ? (when_ns - now_ns + 999999) / 1000000 : 0;
    return wait_ms > 60000 ? 60000 : (int)wait_ms;
}

/* The ranks have ended some time ago: what their children still write into their pipes is no longer taken. */
static void job_stop_reading(run_job *job)
{
    for (int rank = 0; rank < job->plan->size; rank++) {
        cor_run_stream_close(&job->ranks[rank].output);
        cor_run_stream_close(&job->ranks[rank].error);
    }
}

/* All ranks have ended and their output is out. When the job was ended, whoever does not read it now is waited for
 * until drain_until_ns only. */
static int job_is_over(run_job *job)
{
    if (job->alive > 0)
        return 0;
    int is_late = job->drain_until_ns && cor_clock_ns() >= job->drain_until_ns;
    if (is_late)
        job_stop_reading(job);
    for (int rank = 0; rank < job->plan->size; rank++)
        if (job->ranks[rank].output.fd >= 0 || job->ranks[rank].error.fd >= 0)
            return 0;
    int is_written = cor_run_sink_is_empty(&job->output) && cor_run_sink_is_empty(&job->error);
    return is_written || (is_late && job->phase != RUN_RUNNING);
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

static void job_round(run_job *job, job_poll *set)
{
    int wait_ms = job_time(job);
    if (job_is_over(job))
        return;
    job_watch_all(job, set);
    if (poll(set->fds, set->count, wait_ms) <= 0)
        return;
    for (nfds_t i = 0; i < set->count; i++)
        if (set->fds[i].revents)
            job_hear(job, &set->watches[i], set->fds[i].revents);
    for (int rank = 0; rank < job->plan->size; rank++)
        cor_run_job_pmi_write(job, rank);
    cor_run_sink_flush(&job->output);
    cor_run_sink_flush(&job->error);
    job_check_sinks(job);
    cor_run_job_check_missing(job);
}

int cor_run_job_main(const run_plan *plan, const run_heritage *heritage, int control_fd)
{
    run_job job;
    size_t most = 6 + 3 * (size_t)plan->size;
    job_poll set = {.fds = calloc(most, sizeof *set.fds), .watches = calloc(most, sizeof *set.watches)};
    int is_open = set.fds && set.watches && cor_run_job_open(&job, plan, heritage, control_fd) == 0;
    int status = 1;
    if (is_open)
        while (!job_is_over(&job))
            job_round(&job, &set);
    /* A rank that could not be started takes the started ones with it; a job that is over leaves nobody behind. */
    cor_run_kill_descendants();
    if (set.fds && set.watches) {
        status = job.status;
        cor_run_job_close(&job);
    }
    free(set.fds);
    free(set.watches);
    return status;
}
