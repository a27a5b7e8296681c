/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include "base/clock.h"
#include "launch/hosts/host_here.h"
#include "launch/io/run_pattern.h"
#include "launch/job/run_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

int cor_run_start_fail(run_job *job, int status, const char *format, ...)
{
    char text[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (job->up)
        cor_run_job_fail(job, RUN_FAILED, status, "on host %s: %s", job->plan->hosts[0].name, text);
    else
        cor_run_job_print(job, "%s", text);
    job->status = status;
    return -1;
}

enum { START_HINT_BYTES = 4096 }; /* of stdout, where a JVM says why it does not start */

/* Three descriptors per rank: raise the limit to the maximum. The ranks get the old limit. */
static void start_raise_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* ---- the ranks of this host ------------------------------------------------------------------------------------- */

/* One of a rank's two streams at the root: what its lines begin with, and its file. */
static int start_dress(run_job *job, int rank, int is_error)
{
    const run_output *output = &job->plan->output;
    const char *pattern = output->prefix ? output->prefix : output->is_tagged ? "[%r] " : "";
    const char *file = is_error ? output->error_file : output->out_file;
    run_stream *stream = is_error ? &job->ranks[rank].error : &job->ranks[rank].output;
    const run_pattern_rank of = {rank, job->plan->size, job->ranks[rank].host};
    char prefix[RUN_STREAM_PREFIX_MAX], path[PATH_MAX];
    cor_run_pattern_write(pattern, &of, prefix, sizeof prefix);
    cor_run_stream_dress(stream, prefix, output->is_timed);
    stream->hint = &job->ranks[rank].hint;
    stream->hint_left = is_error ? SIZE_MAX : START_HINT_BYTES;
    if (!file)
        return 0;
    cor_run_pattern_write(file, &of, path, sizeof path);
    if (cor_run_stream_file(stream, path, output->is_only_filed, &job->files) == 0)
        return 0;
    return cor_run_start_fail(job, 1, "cannot write %s: %s", path, strerror(errno));
}

int cor_run_start_dress(run_job *job, int rank)
{
    return start_dress(job, rank, 0) != 0 || start_dress(job, rank, 1) != 0 ? -1 : 0;
}

run_sink *cor_run_start_error_sink(run_job *job)
{
    return job->plan->output.is_merged ? &job->output : job->error_sink;
}

void cor_run_start_tell(run_job *job, int rank, const char *text)
{
    char *line;
    int length = asprintf(&line, "%s: %s\n", job->plan->command_name, text);
    if (length < 0)
        return;
    if (job->up) {
        cor_run_up_output(job, rank, 1, line, (size_t)length);
    } else {
        cor_run_sink_put(job->error_sink, job, line, (size_t)length);
        cor_run_sink_flush(job->error_sink);
    }
    free(line);
}

/* Which CPUs the ranks here are bound to; with --report-bindings, print it. */
static int start_bind(run_job *job)
{
    cor_fault fault = {0};
    char text[650];
    if (cor_run_bind_open(job->plan, job->here_count, &job->bound, &fault) != COR_OK)
        return cor_run_start_fail(job, RUN_STATUS_USAGE, "%s", fault.text);
    if (job->bound.notice[0]) {
        snprintf(text, sizeof text, "on host %.100s: %s", job->ranks[job->here[0]].host, job->bound.notice);
        cor_run_start_tell(job, job->here[0], text);
    }
    for (int i = 0; job->plan->binding.report_bindings && i < job->here_count; i++) {
        int rank = job->here[i];
        char *report = cor_run_bind_report(&job->bound, i, rank, job->ranks[rank].host);
        if (report)
            cor_run_start_tell(job, rank, report);
        free(report);
    }
    return 0;
}

/* ---- all ranks -------------------------------------------------------------------------------------------------- */

/* A rank of this host or one below. */
static int start_place(run_job *job, int rank, const char *host, int is_here)
{
    run_rank *self = &job->ranks[rank];
    self->host = host;
    self->is_alive = 1;
    job->alive++;
    if (is_here || job->up)
        return 0;
    cor_run_stream_open_fed(&self->output, rank, &job->output);
    cor_run_stream_open_fed(&self->error, rank, cor_run_start_error_sink(job));
    return cor_run_start_dress(job, rank);
}

static int start_place_all(run_job *job)
{
    const run_plan *plan = job->plan;
    job->ranks = calloc((size_t)plan->size, sizeof *job->ranks);
    job->here_count = plan->host_count ? plan->hosts[0].rank_count : plan->size;
    job->here = calloc((size_t)job->here_count + 1, sizeof *job->here);
    if (!job->ranks || !job->here)
        return cor_run_start_fail(job, 1, "cannot allocate the ranks: %s", strerror(errno));
    for (int rank = 0; rank < plan->size; rank++)
        job->ranks[rank].pmi_fd = job->ranks[rank].report_fd = job->ranks[rank].output.fd = job->ranks[rank].error.fd =
            -1;
    for (int i = 0; i < job->here_count; i++) {
        job->here[i] = plan->host_count ? plan->hosts[0].ranks[i] : i;
        start_place(job, job->here[i], job->up ? plan->hosts[0].name : job->host, 1);
    }
    for (int host = 1; host < plan->host_count; host++)
        for (int i = 0; i < plan->hosts[host].rank_count; i++)
            if (start_place(job, plan->hosts[host].ranks[i], plan->hosts[host].name, 0) != 0)
                return -1;
    return 0;
}

/* A name is looked up on its own host. */
static void start_interface(run_job *job)
{
    const run_plan *plan = job->plan;
    const char *name = plan->host_count ? plan->hosts[0].interface : NULL;
    job->inherited.interface[0] = '\0';
    if (name && *name)
        cor_host_here_addresses(name, job->inherited.interface, sizeof job->inherited.interface);
}

static int start_prepare(run_job *job)
{
    const run_plan *plan = job->plan;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    job->child_fd = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
    if (job->child_fd < 0)
        return cor_run_start_fail(job, 1, "cannot watch for ended ranks: %s", strerror(errno));
    if (start_place_all(job) != 0)
        return -1;
    cor_fault fault = {0};
    if (cor_pmi_server_create(plan->size, job->inherited.job, cor_run_job_abort, job, &job->server, &fault) != COR_OK)
        return cor_run_start_fail(job, 1, "%s", fault.text);
    for (int rank = 0; rank < plan->size; rank++)
        cor_pmi_server_set_appnum(job->server, rank, cor_run_program_of(plan, rank));
    cor_pmi_server_set_universe(job->server, plan->universe);
    cor_pmi_server_announce_failures(job->server);
    job->inherited.table_fd = cor_pmi_server_open_table(job->server);
    return 0;
}

static int start_record(run_job *job)
{
    if (cor_run_watch_open(job) == 0)
        return 0;
    job->status = 1;
    return -1;
}

int cor_run_job_open(run_job *job, const run_plan *plan, const run_inherited *inherited, int control_fd)
{
    memset(job, 0, sizeof *job);
    job->plan = plan;
    job->inherited = *inherited;
    job->record.fd = job->inherited.record_fd = job->inherited.table_fd = -1;
    job->control_fd = control_fd;
    job->child_fd = -1;
    job->begin.none_fd = -1;
    job->up = plan->up;
    job->null_sink.is_dead = 1;
    job->watched_ns = cor_clock_ns();
    cor_run_input_init(&job->input);
    for (int kind = 0; kind < RUN_READY_KINDS; kind++)
        job->ready.fds[kind] = -1;
    gethostname(job->host, sizeof job->host - 1);
    if (job->up)
        job->output = job->null_sink;
    else
        cor_run_sink_open(&job->output, 1);
    cor_run_sink_open(&job->error, 2);
    job->error_sink = !job->up && cor_run_sink_is_same(1, 2) ? &job->output : &job->error;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN);
    start_raise_limit();
    start_interface(job);
    if (plan->timeout_s > 0)
        job->deadline_ns = cor_clock_ns() + (uint64_t)(plan->timeout_s * 1e9);
    job->foreign.start_ns = cor_clock_ns();
    return cor_run_begin_check(job) != 0 || start_prepare(job) != 0 || start_bind(job) != 0 ||
                   start_record(job) != 0 || cor_run_branches_open(job) != 0 || cor_run_begin_open(job) != 0
               ? -1
               : 0;
}

/* Write the rest of the queue for a short time: an unfinished last line, the message about the end. */
static void start_flush_last(run_sink *sink)
{
    for (int round = 0; round < 50; round++) {
        cor_run_sink_flush(sink);
        if (cor_run_sink_is_empty(sink))
            return;
        poll(NULL, 0, 10);
    }
}

void cor_run_job_close(run_job *job)
{
    cor_run_branches_close(job);
    for (int rank = 0; job->ranks && rank < job->plan->size; rank++) {
        cor_run_stream_close(&job->ranks[rank].output);
        cor_run_stream_close(&job->ranks[rank].error);
        if (job->ranks[rank].report_fd >= 0)
            close(job->ranks[rank].report_fd);
        if (job->ranks[rank].pmi_fd >= 0)
            close(job->ranks[rank].pmi_fd);
    }
    cor_run_begin_close(job);
    cor_run_ready_close(&job->ready);
    free(job->ranks);
    free(job->here);
    cor_run_bind_close(&job->bound);
    cor_run_input_close(&job->input);
    if (job->server)
        cor_pmi_server_destroy(job->server);
    start_flush_last(&job->output);
    start_flush_last(&job->error);
    cor_run_sink_close(&job->output);
    cor_run_sink_close(&job->error);
    if (job->child_fd >= 0)
        close(job->child_fd);
}
