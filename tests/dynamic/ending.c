/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI_Finalize while threads wait, in calls on a communicator with another job and in those that would meet one more:
 * each call fails, and nothing that it reads is gone. Two ranks, each of which meets the other one as a stranger.
 */
#include "check.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUND_BYTES = 1 << 20 };

typedef struct waiting {
    int (*call)(struct waiting *w);
    char *buffer;
    pthread_t thread;
} waiting;

static int rank;
static MPI_Comm joined; /* an intercommunicator with the other rank */
static char own_port[MPI_MAX_PORT_NAME], other_port[MPI_MAX_PORT_NAME];
static atomic_int begun;

/* ---- calls in the joined job
 * -------------------------------------------------------------------------------------- */

static int call_recv(waiting *w)
{
    return MPI_Recv(w->buffer, 1, MPI_INT, MPI_ANY_SOURCE, 1, joined, MPI_STATUS_IGNORE);
}

static int call_ssend(waiting *w)
{
    return MPI_Ssend(w->buffer, ROUND_BYTES, MPI_BYTE, 0, 2, joined);
}

static int call_probe(waiting *w)
{
    (void)w;
    return MPI_Probe(0, 3, joined, MPI_STATUS_IGNORE);
}

static int call_wait(waiting *w)
{
    MPI_Request request;
    CHECK_OK(MPI_Irecv(w->buffer, 1, MPI_INT, 0, 4, joined, &request));
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void start_two(waiting *w, MPI_Comm first, MPI_Comm second, MPI_Request requests[2])
{
    CHECK_OK(MPI_Irecv(w->buffer, 1, MPI_INT, 0, 5, first, &requests[0]));
    CHECK_OK(MPI_Irecv(w->buffer + sizeof(int), 1, MPI_INT, 0, 5, second, &requests[1]));
}

static int call_waitany(waiting *w)
{
    MPI_Request requests[2];
    int index;
    start_two(w, joined, joined, requests);
    return MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

/* Requests of both jobs. */
static int call_waitsome(waiting *w)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count, indices[2];
    start_two(w, joined, MPI_COMM_WORLD, requests);
    return MPI_Waitsome(2, requests, &count, indices, statuses);
}

static int call_waitall(waiting *w)
{
    MPI_Request requests[2];
    start_two(w, MPI_COMM_WORLD, joined, requests);
    return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* ---- calls that would meet another job
 * ---------------------------------------------------------------------------- */

static int call_accept(waiting *w)
{
    MPI_Comm inter;
    (void)w;
    return MPI_Comm_accept(own_port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
}

/* The other rank has opened this port and does not accept there. */
static int call_connect(waiting *w)
{
    MPI_Comm inter;
    (void)w;
    return MPI_Comm_connect(other_port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
}

/* What is started is no MPI program. */
static int call_spawn(waiting *w)
{
    MPI_Comm inter;
    char *arguments[] = {"100000", NULL};
    (void)w;
    return MPI_Comm_spawn("sleep", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
}

static int (*const calls[])(waiting *w) = {call_recv,     call_ssend,   call_probe,  call_wait,    call_waitany,
                                           call_waitsome, call_waitall, call_accept, call_connect, call_spawn};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- the threads ------------------------------------------------------------------------------------------------ */

static void *wait_main(void *argument)
{
    waiting *w = argument;
    atomic_fetch_add(&begun, 1);
    CHECK_EQUAL(MPI_ERR_OTHER, w->call(w));
    return NULL;
}

static void open_port(char port[MPI_MAX_PORT_NAME])
{
    memset(port, 0, MPI_MAX_PORT_NAME);
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
}

/* Each rank by itself meets the other one. */
static void meet(void)
{
    char port[MPI_MAX_PORT_NAME];
    if (rank == 0) {
        open_port(port);
        CHECK_OK(MPI_Send(port, sizeof port, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &joined));
        CHECK_OK(MPI_Close_port(port));
    } else {
        CHECK_OK(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &joined));
    }
}

int main(int argc, char **argv)
{
    static waiting all[CALLS];
    char silent_port[MPI_MAX_PORT_NAME];
    int provided;
    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    meet();
    CHECK_OK(MPI_Comm_set_errhandler(joined, MPI_ERRORS_RETURN));
    open_port(own_port);
    open_port(silent_port);
    CHECK_OK(MPI_Sendrecv(silent_port, sizeof silent_port, MPI_CHAR, 1 - rank, 0, other_port, sizeof other_port,
                          MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < CALLS; i++) {
        all[i].call = calls[i];
        all[i].buffer = calloc(1, ROUND_BYTES);
        CHECK_EQUAL(0, pthread_create(&all[i].thread, NULL, wait_main, &all[i]));
    }
    CHECK_UNTIL(atomic_load(&begun) == CALLS, check_nap());
    /* Those of a family nap in turns, so there is no moment when all sleep: they get time to come to their waits. */
    for (int i = 0; i < 200; i++)
        check_nap();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Finalize());
    for (int i = 0; i < CALLS; i++) {
        pthread_join(all[i].thread, NULL);
        free(all[i].buffer);
    }
    return 0;
}
