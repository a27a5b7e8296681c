/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One start of a command: its output line by line, a time limit, and an end of everything that it has started.
 *
 * Launchers start processes in groups of their own, and one that is ended by force leaves them. This process takes in
 * whatever loses its parent (PR_SET_CHILD_SUBREAPER), so all that a job has left behind are our children, and are
 * ended.
 */
#define _GNU_SOURCE
#include "tools/bench/bench.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOB_LINE_MAX = 1024, JOB_LOOK_MS = 100, JOB_GRACE_MS = 2000, JOB_NOT_STARTED = 127 };

/* ---- interrupts ------------------------------------------------------------------------------------------------- */

int bench_interrupts_open(bench_interrupts *interrupts)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    *interrupts = (bench_interrupts){.fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
    return interrupts->fd < 0 ? -1 : 0;
}

int bench_interrupts_look(bench_interrupts *interrupts)
{
    struct signalfd_siginfo signal_info;
    if (!interrupts->number && read(interrupts->fd, &signal_info, sizeof signal_info) == sizeof signal_info)
        interrupts->number = (int)signal_info.ssi_signo;
    return interrupts->number;
}

/* ---- leftovers -------------------------------------------------------------------------------------------------- */

/* The parent of a process, or 0. */
static pid_t job_parent_of(const char *pid)
{
    char path[64], text[512];
    pid_t parent = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (bytes <= 0)
        return 0;
    text[bytes] = '\0';
    const char *after_name = strrchr(text, ')'); /* ") S 1234": a name may hold anything */
    if (after_name && strlen(after_name) > 4)
        parent = (pid_t)strtol(after_name + 4, NULL, 10);
    return parent;
}

/* End all children, which are what the job has left, and theirs as they become ours. */
static void job_end_leftovers(void)
{
    for (int found = 1; found;) {
        DIR *all = opendir("/proc");
        struct dirent *entry;
        found = 0;
        while (all && (entry = readdir(all)))
            if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && job_parent_of(entry->d_name) == getpid()) {
                pid_t child = (pid_t)strtol(entry->d_name, NULL, 10);
                kill(child, SIGKILL);
                waitpid(child, NULL, 0);
                found = 1;
            }
        if (all)
            closedir(all);
    }
}

/* ---- one start -------------------------------------------------------------------------------------------------- */

typedef struct job_stream {
    int fd;
    char text[JOB_LINE_MAX];
    size_t bytes;
} job_stream;

typedef struct job {
    pid_t pid;
    job_stream out, err;
    char complaint[BENCH_WHY_MAX]; /* the line of stderr that tells most */
    void (*line)(void *context, char *text);
    void *context;
    bench_interrupts *interrupts;
} job;

/* The first line that speaks of an error, or else the last one. */
static void job_complaint(job *j, const char *line)
{
    static const char *const words[] = {"error",  "Error",  "exception", "Exception",
                                        "cannot", "bench:", "corunna:",  "fail"};
    int speaks = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        speaks |= strstr(j->complaint, words[i]) != NULL;
    if (!speaks && *line)
        snprintf(j->complaint, sizeof j->complaint, "%.*s", (int)sizeof j->complaint - 1, line);
}

static void job_line(job *j, job_stream *stream)
{
    stream->text[stream->bytes] = '\0';
    stream->bytes = 0;
    if (stream == &j->err)
        job_complaint(j, stream->text);
    else
        j->line(j->context, stream->text);
}

/* 0: the stream has ended. A line that is too long comes in parts. */
static int job_read(job *j, job_stream *stream)
{
    char some[4096];
    ssize_t got = read(stream->fd, some, sizeof some);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    for (ssize_t i = 0; i < got; i++) {
        if (some[i] == '\n' || stream->bytes == sizeof stream->text - 1)
            job_line(j, stream);
        if (some[i] != '\n')
            stream->text[stream->bytes++] = some[i];
    }
    if (got == 0 && stream->bytes > 0)
        job_line(j, stream);
    return got > 0;
}

static void job_child(const bench_words *command, const bench_words *environment, int out, int err)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    sigset_t none_blocked;
    sigemptyset(&none_blocked);
    sigprocmask(SIG_SETMASK, &none_blocked, NULL);
    int none = open("/dev/null", O_RDONLY);
    dup2(none, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    for (int i = 0; environment && i < environment->count; i++)
        putenv(environment->words[i]);
    execvp(command->words[0], command->words);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", command->words[0], strerror(errno));
    _exit(JOB_NOT_STARTED);
}

static int job_start(job *j, const bench_words *command, const bench_words *environment, char why[BENCH_WHY_MAX])
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 || (j->pid = fork()) < 0) {
        snprintf(why, BENCH_WHY_MAX, "cannot start %s: %s", command->words[0], strerror(errno));
        for (int i = 0; i < 2; i++) {
            close(out[i]);
            close(err[i]);
        }
        return 0;
    }
    if (j->pid == 0)
        job_child(command, environment, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    j->out.fd = out[0];
    j->err.fd = err[0];
    return 1;
}

/* Reads until the command has ended, or is to end. 0: time is up, or ^C. */
static int job_follow(job *j, int seconds, int *status_p)
{
    uint64_t deadline = cor_clock_ns() + (uint64_t)seconds * 1000000000u;
    int has_ended = 0;
    for (;;) {
        struct pollfd fds[2] = {{.fd = j->out.fd, .events = POLLIN}, {.fd = j->err.fd, .events = POLLIN}};
        poll(fds, 2, has_ended ? 0 : JOB_LOOK_MS);
        int is_open = (fds[0].revents && job_read(j, &j->out)) | (fds[1].revents && job_read(j, &j->err));
        if (has_ended && !is_open)
            return 1;
        if (!has_ended && waitpid(j->pid, status_p, WNOHANG) == j->pid)
            has_ended = 1;
        if (cor_clock_ns() > deadline || bench_interrupts_look(j->interrupts))
            return 0;
        if (!has_ended && !is_open && (fds[0].revents | fds[1].revents))
            poll(NULL, 0, 1); /* it has closed its output and goes on */
    }
}

static void job_stop(job *j)
{
    uint64_t deadline = cor_clock_ns() + JOB_GRACE_MS * 1000000ull;
    kill(-j->pid, SIGTERM);
    while (waitpid(j->pid, NULL, WNOHANG) == 0 && cor_clock_ns() < deadline)
        poll(NULL, 0, 10);
    kill(-j->pid, SIGKILL);
}

int bench_job_run(const bench_words *command, const bench_words *environment, bench_interrupts *interrupts,
                  int seconds, void (*line)(void *context, char *text), void *context, char why[BENCH_WHY_MAX])
{
    job j = {.line = line, .context = context, .interrupts = interrupts};
    int status = 0;
    if (!job_start(&j, command, environment, why))
        return 0;
    int has_ended = job_follow(&j, seconds, &status);
    if (!has_ended)
        job_stop(&j);
    job_end_leftovers();
    close(j.out.fd);
    close(j.err.fd);
    if (has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 1;
    if (interrupts->number)
        snprintf(why, BENCH_WHY_MAX, "it was interrupted");
    else if (!has_ended)
        snprintf(why, BENCH_WHY_MAX, "it did not end within %d s", seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, BENCH_WHY_MAX, "it was ended by signal %d: %.400s", WTERMSIG(status), j.complaint);
    else
        snprintf(why, BENCH_WHY_MAX, "it ended with status %d: %.400s", WEXITSTATUS(status), j.complaint);
    return 0;
}
