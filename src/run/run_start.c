#define _GNU_SOURCE
#include "run/run_job.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int start_fail(run_job *job, int status, const char *what)
{
    cor_run_job_say(job, "%s: %s", what, strerror(errno));
    job->status = status;
    return -1;
}

/* One sentence for a rank that could not be started, and the status a shell would give. */
static int start_refuse(run_job *job, int rank, const run_spawn_error *error)
{
    const run_plan *plan = job->plan;
    const char *cause = strerror(error->error);
    job->status = 1;
    if (error->stage == RUN_STAGE_EXEC) {
        job->status = error->error == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_EXECUTABLE;
        cor_run_job_say(job, "cannot run %s: %s", plan->argv[0], cause);
    } else if (error->stage == RUN_STAGE_WDIR) {
        cor_run_job_say(job, "cannot change to the directory %s: %s", plan->wdir, cause);
    } else if (error->stage == RUN_STAGE_BIND) {
        cor_run_job_say(job, "cannot bind rank %d to a core: %s", rank, cause);
    } else {
        cor_run_job_say(job, "cannot start rank %d of %d: %s", rank, plan->size, cause);
    }
    return -1;
}

/* Three descriptors a rank: let us have as many as the system allows. The ranks get the old limit. */
static void start_raise_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static int start_rank(run_job *job, int rank, int input_fd)
{
    run_child child;
    run_spawn_error error;
    if (cor_run_spawn(job->plan, &job->heritage, rank, input_fd, &child, &error) != 0)
        return start_refuse(job, rank, &error);
    run_rank *self = &job->ranks[rank];
    self->pid = child.pid;
    self->pmi_fd = child.pmi_fd;
    cor_run_stream_open(&self->output, child.output_fd, rank, &job->output, job->plan->tag_output);
    cor_run_stream_open(&self->error, child.error_fd, rank, job->error_sink, job->plan->tag_output);
    job->alive++;
    return 0;
}

static int start_ranks(run_job *job)
{
    int first_input, other_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (other_input < 0)
        return start_fail(job, 1, "cannot open /dev/null");
    int code = 0;
    if (cor_run_input_open(&job->input, &first_input) != 0)
        code = start_fail(job, 1, "cannot make a pipe for stdin");
    for (int rank = 0; code == 0 && rank < job->plan->size; rank++) {
        code = start_rank(job, rank, rank == 0 ? first_input : other_input);
        if (rank == 0 && first_input != 0)
            close(first_input);
    }
    close(other_input);
    return code;
}

static int start_prepare(run_job *job)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    job->child_fd = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
    if (job->child_fd < 0)
        return start_fail(job, 1, "cannot watch for ended ranks");
    job->ranks = calloc((size_t)job->plan->size, sizeof *job->ranks);
    if (!job->ranks)
        return start_fail(job, 1, "cannot start that many ranks");
    for (int rank = 0; rank < job->plan->size; rank++)
        job->ranks[rank].pmi_fd = job->ranks[rank].output.fd = job->ranks[rank].error.fd = -1;
    char name[32];
    snprintf(name, sizeof name, "corunna_%d", (int)getpid());
    cor_fault fault = {0};
    if (cor_pmi_server_create(job->plan->size, name, cor_run_job_abort, job, &job->server, &fault) != COR_OK) {
        cor_run_job_say(job, "%s", fault.text);
        job->status = 1;
        return -1;
    }
    return 0;
}

int cor_run_job_open(run_job *job, const run_plan *plan, const run_heritage *heritage, int control_fd)
{
    memset(job, 0, sizeof *job);
    job->plan = plan;
    job->heritage = *heritage;
    job->control_fd = control_fd;
    job->child_fd = -1;
    job->input.to_fd = job->input.from_fd = -1;
    gethostname(job->host, sizeof job->host - 1);
    cor_run_sink_open(&job->output, 1);
    cor_run_sink_open(&job->error, 2);
    job->error_sink = cor_run_sink_is_same(1, 2) ? &job->output : &job->error;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN);
    start_raise_limit();
    if (start_prepare(job) != 0 || start_ranks(job) != 0)
        return -1;
    if (plan->timeout_s > 0)
        job->deadline_ns = cor_clock_ns() + (uint64_t)(plan->timeout_s * 1e9);
    return 0;
}

/* What is still queued is given a moment: an unfinished last line, the sentence about the end. */
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
    for (int rank = 0; job->ranks && rank < job->plan->size; rank++) {
        cor_run_stream_close(&job->ranks[rank].output);
        cor_run_stream_close(&job->ranks[rank].error);
        if (job->ranks[rank].pmi_fd >= 0)
            close(job->ranks[rank].pmi_fd);
    }
    free(job->ranks);
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
