/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two ranks can have from one TCP connection with nothing above it: the floor under what goes by TCP. See mpi.h.
 */
#define _GNU_SOURCE
#include "mpi.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process is one rank here, so the rank may be global. */
static struct {
    int rank;
    int fd;
    pid_t child; /* rank 1, known to rank 0 */
} bare;

static _Noreturn void bare_fail(const char *what)
{
    fprintf(stderr, "bench: bare socket: rank %d: %s: %s\n", bare.rank, what, strerror(errno));
    exit(1);
}

/* ---- becoming two connected processes --------------------------------------------------------------------------- */

static void bare_bind(int rank)
{
    const char *text = getenv("BARE_CPUS");
    int cpus[2];
    cpu_set_t set;
    if (!text || sscanf(text, "%d %d", &cpus[0], &cpus[1]) != 2)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpus[rank], &set);
    if (sched_setaffinity(0, sizeof set, &set))
        bare_fail("cannot be bound to its CPU");
}

/* Where rank 0 listens. */
static struct sockaddr_in bare_place(void)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void bare_set_up(int fd)
{
    const char *wait_how = getenv("BARE_WAIT");
    int on = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        bare_fail("TCP_NODELAY");
    if (!(wait_how && strcmp(wait_how, "block") == 0) && fcntl(fd, F_SETFL, O_NONBLOCK))
        bare_fail("O_NONBLOCK");
    bare.fd = fd;
}

/* Rank 0 listens before there is a rank 1, so the call cannot come too early. */
int MPI_Init(int *argc_p, char ***argv_p)
{
    (void)argc_p;
    (void)argv_p;
    struct sockaddr_in place = bare_place();
    socklen_t length = sizeof place;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&place, &length))
        bare_fail("cannot listen");
    bare.child = fork();
    if (bare.child < 0)
        bare_fail("fork");
    if (bare.child == 0) {
        bare.rank = 1;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(listener);
        bare_place();
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&place, sizeof place))
            bare_fail("cannot connect");
        bare_set_up(fd);
    } else {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            bare_fail("accept");
        close(listener);
        bare_set_up(fd);
    }
    bare_bind(bare.rank);
    return 0;
}

int MPI_Finalize(void)
{
    int status = 0;
    close(bare.fd);
    if (bare.child > 0 && waitpid(bare.child, &status, 0) == bare.child && status != 0)
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    return 0;
}

/* The other process finds the connection closed and ends as well. */
int MPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    exit(status);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank_p)
{
    (void)comm;
    *rank_p = bare.rank;
    return 0;
}

int MPI_Comm_size(MPI_Comm comm, int *size_p)
{
    (void)comm;
    *size_p = 2;
    return 0;
}

/* ---- bytes there and back --------------------------------------------------------------------------------------- */

/* To be told that nothing is there costs a system call, which takes long enough: no pause between two of them. */
static void bare_again(ssize_t moved, const char *what)
{
    if (moved == 0) {
        errno = ECONNRESET;
        bare_fail(what);
    }
    if (errno != EAGAIN && errno != EINTR)
        bare_fail(what);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    (void)peer, (void)tag, (void)comm;
    const char *at = buffer;
    size_t left = (size_t)count * (size_t)type;
    while (left > 0) {
        ssize_t moved = send(bare.fd, at, left, MSG_NOSIGNAL);
        if (moved > 0) {
            at += moved;
            left -= (size_t)moved;
        } else {
            bare_again(moved, "cannot send");
        }
    }
    return 0;
}

static void bare_receive(char *at, size_t left)
{
    while (left > 0) {
        ssize_t moved = recv(bare.fd, at, left, 0);
        if (moved > 0) {
            at += moved;
            left -= (size_t)moved;
        } else {
            bare_again(moved, "cannot receive");
        }
    }
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)peer, (void)tag, (void)comm, (void)status;
    bare_receive(buffer, (size_t)count * (size_t)type);
    return 0;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    *request = (MPI_Request){NULL, 0};
    return MPI_Send(buffer, count, type, peer, tag, comm);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    (void)peer, (void)tag, (void)comm;
    *request = (MPI_Request){buffer, (size_t)count * (size_t)type};
    return 0;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    (void)statuses;
    for (int i = 0; i < count; i++)
        bare_receive(requests[i].buffer, requests[i].bytes);
    return 0;
}
