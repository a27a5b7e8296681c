/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher without failure handling: it serves PMI-1 to its ranks, and whichever rank dies or aborts the job, the
 * others stay.
 *
 *     careless RANKS SECONDS PROGRAM [ARGUMENT...]
 *
 * With CARELESS_REUSE in its environment the number of the process of rank RANKS - 1, once that has ended, is given to
 * another one at once. That takes a space of process ids of its own, and root.
 *
 * Writes `ended RANK STATUS MILLISECONDS` for each rank when it ends, in milliseconds since rank RANKS - 1 did (the
 * one that dies in these tests). Exits with 1 if ranks still run SECONDS after the start, having killed them.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "pmi/pmi_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CARELESS_RANKS_MAX = 256,
    CARELESS_POLL_MS = 10,
    CARELESS_TICK_MS = 20 /* the kernel tells when a process started in ticks of 10 ms */
};

typedef struct careless_rank {
    pid_t pid; /* 0: has ended */
    int fd;    /* our end of its PMI socket, -1 */
    int status;
    uint64_t ended_ns;
} careless_rank;

typedef struct careless_job {
    int size;
    careless_rank ranks[CARELESS_RANKS_MAX];
    cor_pmi_server *server;
} careless_job;

static _Noreturn void careless_fail(const char *what)
{
    fprintf(stderr, "careless: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void careless_ignore(void *context, int rank, int status, const char *reason)
{
    (void)context;
    (void)rank;
    (void)status;
    (void)reason;
}

static void careless_start(careless_job *job, int rank, char **command)
{
    int ends[2];
    char text[16];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        careless_fail("socketpair");
    pid_t pid = fork();
    if (pid < 0)
        careless_fail("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < rank; i++)
            close(job->ranks[i].fd);
        close(ends[0]);
        snprintf(text, sizeof text, "%d", ends[1]);
        setenv("PMI_FD", text, 1);
        snprintf(text, sizeof text, "%d", rank);
        setenv("PMI_RANK", text, 1);
        snprintf(text, sizeof text, "%d", job->size);
        setenv("PMI_SIZE", text, 1);
        execvp(command[0], command);
        careless_fail(command[0]);
    }
    close(ends[1]);
    job->ranks[rank] = (careless_rank){.pid = pid, .fd = ends[0]};
}

static void careless_close(careless_rank *rank)
{
    close(rank->fd);
    rank->fd = -1;
}

static void careless_serve(careless_job *job, int number)
{
    careless_rank *rank = &job->ranks[number];
    char bytes[4096];
    cor_fault fault;
    ssize_t got = recv(rank->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
        (got > 0 && cor_pmi_server_feed(job->server, number, bytes, (size_t)got, &fault) != COR_OK))
        careless_close(rank);
}

static void careless_answer(careless_job *job, int number)
{
    careless_rank *rank = &job->ranks[number];
    size_t length;
    const char *bytes;
    while (rank->fd >= 0 && (bytes = cor_pmi_server_pending(job->server, number, &length)) != NULL) {
        ssize_t sent = send(rank->fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0) {
            careless_close(rank);
            return;
        }
        cor_pmi_server_sent(job->server, number, (size_t)sent);
    }
}

/* The next process gets this id, unless others start at the same time. */
static pid_t careless_reuse(const careless_job *job, pid_t number)
{
    for (int tries = 0; tries < 100; tries++) {
        FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "we");
        if (!last || fprintf(last, "%d", (int)number - 1) < 0 || fclose(last) != 0)
            careless_fail("ns_last_pid");
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (int i = 0; i < job->size; i++)
                close(job->ranks[i].fd);
            for (;;)
                pause();
        }
        if (pid == number)
            return pid;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    errno = EAGAIN;
    careless_fail("the number of a process");
}

/* A rank that has ended is not reaped at once: peers must also notice a zombie. */
static int careless_reap(careless_job *job)
{
    int running = 0;
    for (int i = 0; i < job->size; i++) {
        careless_rank *rank = &job->ranks[i];
        siginfo_t info = {0};
        if (rank->ended_ns)
            continue;
        if (waitid(P_PID, (id_t)rank->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == rank->pid) {
            rank->ended_ns = cor_clock_ns();
            rank->status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
            if (i == job->size - 1 && getenv("CARELESS_REUSE")) {
                waitpid(rank->pid, NULL, 0);
                poll(NULL, 0, CARELESS_TICK_MS); /* all numbers are never used up within one */
                careless_reuse(job, rank->pid);
                printf("reused %d\n", (int)rank->pid);
            }
        } else {
            running++;
        }
    }
    return running;
}

static void careless_turn(careless_job *job)
{
    struct pollfd fds[CARELESS_RANKS_MAX];
    for (int i = 0; i < job->size; i++)
        fds[i] = (struct pollfd){.fd = job->ranks[i].fd, .events = POLLIN};
    poll(fds, (nfds_t)job->size, CARELESS_POLL_MS);
    for (int i = 0; i < job->size; i++)
        if (fds[i].revents && job->ranks[i].fd >= 0)
            careless_serve(job, i);
    for (int i = 0; i < job->size; i++)
        careless_answer(job, i);
}

int main(int count, char **arguments)
{
    static careless_job job;
    cor_fault fault;
    if (count < 4 || (job.size = atoi(arguments[1])) < 1 || job.size > CARELESS_RANKS_MAX) {
        fprintf(stderr, "usage: careless RANKS SECONDS PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (cor_pmi_server_create(job.size, "careless", careless_ignore, NULL, &job.server, &fault) != COR_OK)
        careless_fail(fault.text);
    for (int i = 0; i < job.size; i++)
        careless_start(&job, i, arguments + 3);
    uint64_t limit_ns = cor_clock_ns() + (uint64_t)atoi(arguments[2]) * 1000000000u;
    int running;
    while ((running = careless_reap(&job)) > 0 && cor_clock_ns() < limit_ns)
        careless_turn(&job);
    uint64_t death_ns = job.ranks[job.size - 1].ended_ns;
    for (int i = 0; i < job.size; i++) {
        careless_rank *rank = &job.ranks[i];
        if (rank->ended_ns) {
            printf("ended %d %d %lld\n", i, rank->status, (long long)(rank->ended_ns - death_ns) / 1000000);
        } else {
            printf("hangs %d\n", i);
        }
        /* Ended, or ours under the number of one that has. */
        kill(rank->pid, SIGKILL);
        waitpid(rank->pid, NULL, 0);
    }
    cor_pmi_server_destroy(job.server);
    return running > 0;
}
