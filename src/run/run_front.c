/* The process the user sees. It does nothing but pass signals on and clean up after a worker that was killed. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/sha256.h"
#include "run/run_job.h"
#include "run/run_plan.h"
#include "run/run_reap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const int front_passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* Descriptors 0, 1 and 2 must be taken, lest a pipe of ours ends up there. */
static int front_fill_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    return fd < 0 ? -1 : close(fd);
}

/* SIGHUP stays ignored where nohup has asked for it. */
static int front_is_wanted(int signal)
{
    struct sigaction now;
    return signal != SIGHUP || sigaction(signal, NULL, &now) != 0 || now.sa_handler != SIG_IGN;
}

static void front_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof front_passed_on / sizeof front_passed_on[0]; i++)
        if (front_is_wanted(front_passed_on[i]))
            sigaddset(set, front_passed_on[i]);
}

/* Has the worker ended? Others can be our children only if it died and left them to us. */
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

/* Unlike that of any other job, whose files lie beside ours: process ids come again. */
static void front_name(const run_plan *plan, run_heritage *heritage)
{
    uint64_t random = cor_clock_ns();
    if (plan->name) {
        snprintf(heritage->job, sizeof heritage->job, "%s", plan->name);
        return;
    }
    cor_random_bytes(&random, sizeof random);
    snprintf(heritage->job, sizeof heritage->job, "%d_%012llx", (int)getpid(),
             (unsigned long long)random & 0xffffffffffffu);
}

static int front_wait(const run_plan *plan, const char *job, pid_t worker, int control_fd, const sigset_t *set)
{
    int wait_status = 0;
    while (!front_worker_ended(worker, &wait_status)) {
        int signal = sigwaitinfo(set, NULL);
        char byte = (char)signal;
        if (signal > 0 && signal != SIGCHLD)
            send(control_fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (WIFEXITED(wait_status))
        return WEXITSTATUS(wait_status);
    cor_run_kill_descendants();
    cor_segment_sweep(job);
    if (!plan->up) /* an agent's parent tells it */
        fprintf(stderr, "%s: the launcher was killed by signal %d (%s); the job has ended\n", plan->speaker,
                WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    return 128 + WTERMSIG(wait_status);
}

static int front_fail(const run_plan *plan, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", plan->speaker, what, strerror(errno));
    return 1;
}

int cor_run_plan(const run_plan *plan)
{
    int control[2];
    sigset_t set;
    run_heritage heritage;
    if (front_fill_standard() != 0)
        return front_fail(plan, "cannot open /dev/null");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0)
        return front_fail(plan, "cannot make a socket pair");
    if (getrlimit(RLIMIT_NOFILE, &heritage.files) != 0)
        return front_fail(plan, "cannot read the limit of open files");
    front_name(plan, &heritage);
    signal(SIGCHLD, SIG_DFL); /* ignored, it would take our children away unseen */
    front_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &heritage.mask);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    pid_t worker = fork();
    if (worker < 0)
        return front_fail(plan, "cannot start a process");
    if (worker == 0) {
        close(control[1]);
        /* In a group of its own it outlives a kill -9 of ours, and cleans up. It can only not read a terminal then. */
        if (!isatty(0))
            setpgid(0, 0);
        signal(SIGTTOU, SIG_IGN);
        /* Other hosts would take a stopped launcher for a dead one; the ranks run on in either case. */
        if (plan->host_count > 1)
            signal(SIGTSTP, SIG_IGN);
        _exit(cor_run_job_main(plan, &heritage, control[0]));
    }
    close(control[0]);
    return front_wait(plan, heritage.job, worker, control[1], &set);
}
