/* SPDX-License-Identifier: Apache-2.0 */
/* The process the user started. It only forwards signals, stops on SIGTSTP, and cleans up after a worker that was
 * killed. */
#define _GNU_SOURCE
#include "launch/job/run_front.h"

#include "base/clock.h"
#include "base/sha256.h"
#include "launch/job/run_job.h"
#include "launch/job/run_reap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const int front_passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

/* Descriptors 0, 1 and 2 must be open, or a pipe of the launcher could get one of these numbers. */
static int front_fill_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    return fd < 0 ? -1 : close(fd);
}

/* SIGHUP stays ignored under nohup, and SIGTSTP where a shell has no jobs. An agent is not stopped. */
static int front_is_wanted(const run_plan *plan, int signal)
{
    struct sigaction now;
    if (plan->up && (signal == SIGTSTP || signal == SIGCONT))
        return 0;
    return (signal != SIGHUP && signal != SIGTSTP) || sigaction(signal, NULL, &now) != 0 || now.sa_handler != SIG_IGN;
}

static void front_signals(const run_plan *plan, sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof front_passed_on / sizeof front_passed_on[0]; i++)
        if (front_is_wanted(plan, front_passed_on[i]))
            sigaddset(set, front_passed_on[i]);
}

/* Has the worker ended? Other processes become our children only when it dies. */
static int front_worker_ended(pid_t worker, int *wait_status_p)
{
    int wait_status;
    pid_t pid;
    while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0)
        if (pid == worker) {
            *wait_status_p = wait_status;
            return 1;
        }
    return pid < 0 && errno == ECHILD;
}

/* Unique among jobs, whose files are in one folder; process ids are reused. */
static void front_name(const run_plan *plan, run_inherited *inherited)
{
    uint64_t random = cor_clock_ns();
    if (plan->name) {
        snprintf(inherited->job, sizeof inherited->job, "%s", plan->name);
        return;
    }
    cor_random_bytes(&random, sizeof random);
    snprintf(inherited->job, sizeof inherited->job, "%d_%012llx", (int)getpid(),
             (unsigned long long)random & 0xffffffffffffu);
}

/* Ctrl-Z is handled as the kernel does, which stops no process that no shell would continue: a container's first one,
 * or one of an orphaned process group, as under `ssh -t`. A signal sent by a process always stops, unless SIGCONT has
 * followed it, which a stop would discard. */
static void front_stop(const siginfo_t *info)
{
    sigset_t stop, before, pending;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigemptyset(&pending);
    sigpending(&pending);
    if (sigismember(&pending, SIGCONT))
        return;
    if (info->si_code != SI_KERNEL) {
        kill(getpid(), SIGSTOP);
        return;
    }
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The worker stops the ranks and stays awake, for the other hosts. The shell that started us sees us stop. */
static void front_pass_on(int control_fd, const siginfo_t *info)
{
    char byte = (char)info->si_signo, on = SIGCONT;
    send(control_fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (info->si_signo != SIGTSTP)
        return;
    front_stop(info);
    send(control_fd, &on, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int front_wait(const run_plan *plan, const char *job, pid_t worker, int control_fd, const sigset_t *set)
{
    int wait_status = 0;
    while (!front_worker_ended(worker, &wait_status)) {
        siginfo_t info = {0};
        if (sigwaitinfo(set, &info) > 0 && info.si_signo != SIGCHLD)
            front_pass_on(control_fd, &info);
    }
    if (WIFEXITED(wait_status))
        return WEXITSTATUS(wait_status);
    cor_run_kill_descendants();
    cor_segment_sweep(job);
    if (!plan->up) /* an agent's parent reports it */
        fprintf(stderr, "%s: the launcher was killed by signal %d (%s); the job has ended\n", plan->command_name,
                WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    return 128 + WTERMSIG(wait_status);
}

static int front_fail(const run_plan *plan, const char *what)
{
    char hint[RUN_HINT_MAX];
    int error = errno;
    cor_run_limit_hint(error, hint);
    fprintf(stderr, "%s: %s: %s%s\n", plan->command_name, what, strerror(error), hint);
    return 1;
}

/* A launcher below a rank of ours, which has started it or another job by it (MPI_Comm_spawn), gets the signals of that
 * job as the leader of a group (cor_run_signal_groups_below). What stops the rank's own group would stop it before it
 * has stopped its ranks. */
static void front_leave_rank(const run_plan *plan)
{
    if (!plan->up && getenv(COR_SEGMENT_JOB))
        setpgid(0, 0);
}

int cor_run_plan(const run_plan *plan)
{
    int control[2];
    sigset_t set;
    run_inherited inherited;
    if (front_fill_standard() != 0)
        return front_fail(plan, "cannot open /dev/null");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0)
        return front_fail(plan, "cannot make a socket pair");
    if (getrlimit(RLIMIT_NOFILE, &inherited.files) != 0)
        return front_fail(plan, "cannot read the limit of open files");
    front_name(plan, &inherited);
    front_leave_rank(plan);
    signal(SIGCHLD, SIG_DFL); /* if it were ignored, children would be reaped unseen */
    front_signals(plan, &set);
    sigprocmask(SIG_BLOCK, &set, &inherited.mask);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    pid_t worker = fork();
    if (worker < 0)
        return front_fail(plan, "cannot start a process");
    if (worker == 0) {
        close(control[1]);
        /* In its own process group it outlives a kill -9 of the front's group, and cleans up, but it cannot read the
         * terminal. */
        if (!isatty(0))
            setpgid(0, 0);
        signal(SIGTTOU, SIG_IGN);
        /* A stopped worker would look dead to other hosts. */
        signal(SIGTSTP, SIG_IGN);
        _exit(cor_run_job_main(plan, &inherited, control[0]));
    }
    close(control[0]);
    return front_wait(plan, inherited.job, worker, control[1], &set);
}
