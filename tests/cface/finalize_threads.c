/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads wait in calls of every kind while the thread of their rank calls MPI_Finalize: each call fails, through the
 * error handler of its communicator. unit/closing_test.c has the moments in between; here all are asleep.
 *
 * With the argument `fatal`, under the handler that a program begins with: the process ends. With one more, main does
 * not wait for that.
 */
#include "check.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 2, COUNT = 1 << 18 };

typedef struct waiting {
    corunna_thread_rank *rank;
    MPI_Comm comm;
    MPI_Datatype type; /* a vector of every other int */
    int (*call)(struct waiting *w);
    int buffer[2 * COUNT];
    pthread_t thread;
} waiting;

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static int call_recv(waiting *w)
{
    return MPI_Recv(w->buffer, 1, w->type, MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, MPI_STATUS_IGNORE);
}

static int call_ssend(waiting *w)
{
    return MPI_Ssend(w->buffer, COUNT, MPI_INT, 0, 1, w->comm);
}

static int call_sendrecv(waiting *w)
{
    MPI_Status status;
    return MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, w->buffer, 1, MPI_INT, 0, 1, w->comm, &status);
}

static int call_probe(waiting *w)
{
    MPI_Status status;
    return MPI_Probe(MPI_ANY_SOURCE, 1, w->comm, &status);
}

static int call_mprobe(waiting *w)
{
    MPI_Message message;
    return MPI_Mprobe(0, MPI_ANY_TAG, w->comm, &message, MPI_STATUS_IGNORE);
}

static int call_wait(waiting *w)
{
    MPI_Request request;
    CHECK_OK(MPI_Irecv(w->buffer, 1, MPI_INT, 0, 1, w->comm, &request));
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void start_two(waiting *w, MPI_Request requests[2])
{
    CHECK_OK(MPI_Irecv(w->buffer, 1, MPI_INT, 0, 1, w->comm, &requests[0]));
    CHECK_OK(MPI_Irecv(w->buffer + 1, 1, MPI_INT, MPI_ANY_SOURCE, 2, w->comm, &requests[1]));
}

static int call_waitall(waiting *w)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    start_two(w, requests);
    return MPI_Waitall(2, requests, statuses);
}

static int call_waitall_ignoring(waiting *w)
{
    MPI_Request requests[2];
    start_two(w, requests);
    return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static int call_waitany(waiting *w)
{
    MPI_Request requests[2];
    MPI_Status status;
    int index;
    start_two(w, requests);
    return MPI_Waitany(2, requests, &index, &status);
}

static int call_waitsome(waiting *w)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count, indices[2];
    start_two(w, requests);
    return MPI_Waitsome(2, requests, &count, indices, statuses);
}

/* A partitioned send of which a partition is not marked, and a receive that nothing is sent to. */
static int call_partitioned_send(waiting *w)
{
    MPI_Request request;
    CHECK_OK(MPI_Psend_init(w->buffer, 2, 1, w->type, 0, 3, w->comm, MPI_INFO_NULL, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Pready(1, request));
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int call_partitioned_recv(waiting *w)
{
    MPI_Request request;
    CHECK_OK(MPI_Precv_init(w->buffer, 2, COUNT / 2, MPI_INT, 0, 4, w->comm, MPI_INFO_NULL, &request));
    CHECK_OK(MPI_Start(&request));
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1 does not come to these. */
static int call_barrier(waiting *w)
{
    return MPI_Barrier(w->comm);
}

static int call_allreduce(waiting *w)
{
    return MPI_Allreduce(MPI_IN_PLACE, w->buffer, COUNT, MPI_INT, MPI_SUM, w->comm);
}

static int call_ibarrier(waiting *w)
{
    MPI_Request request;
    CHECK_OK(MPI_Ibarrier(w->comm, &request));
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int call_dup(waiting *w)
{
    MPI_Comm dup;
    return MPI_Comm_dup(w->comm, &dup);
}

static int call_cart(waiting *w)
{
    MPI_Comm cart;
    const int dims[] = {RANKS}, periods[] = {0};
    return MPI_Cart_create(w->comm, 1, dims, periods, 0, &cart);
}

static int (*const calls[])(waiting *w) = {
    call_recv,    call_ssend,     call_sendrecv,         call_probe,
    call_mprobe,  call_wait,      call_waitall,          call_waitall_ignoring,
    call_waitany, call_waitsome,  call_partitioned_send, call_partitioned_recv,
    call_barrier, call_allreduce, call_ibarrier,         call_dup,
    call_cart,
};
enum { CALLS = sizeof calls / sizeof *calls, FIRST_COLLECTIVE = 12 };

/* ---- the threads ------------------------------------------------------------------------------------------------ */

static atomic_int begun, handled;
static waiting all[RANKS][CALLS];
static pthread_barrier_t both;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    CHECK_EQUAL(MPI_ERR_OTHER, *code);
    atomic_fetch_add(&handled, 1);
}

static void *wait_main(void *argument)
{
    waiting *w = argument;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    corunna_threads_adopt(w->rank);
    atomic_fetch_add(&begun, 1);
    CHECK_EQUAL(MPI_ERR_OTHER, w->call(w));
    CHECK_OK(MPI_Error_string(MPI_ERR_OTHER, text, &length));
    CHECK(strstr(text, "MPI has been finalised by another thread") != NULL);
    corunna_threads_adopt(NULL);
    return NULL;
}

/* All threads of the process wait for something: those of rank 1 in calls, its own in the second barrier. */
static void await_all_asleep(int threads)
{
    CHECK_UNTIL(atomic_load(&begun) == threads, check_nap());
    check_asleep(getpid());
}

static int body(int argc, char **argv)
{
    int provided, rank, count;
    MPI_Errhandler handler;
    MPI_Datatype type;
    (void)argv;
    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Comm_create_errhandler(handle, &handler));
    CHECK_OK(MPI_Type_vector(COUNT, 1, 2, MPI_INT, &type));
    CHECK_OK(MPI_Type_commit(&type));
    count = rank == 0 ? CALLS : FIRST_COLLECTIVE;
    for (int i = 0; i < CALLS; i++) {
        waiting *w = &all[rank][i];
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &w->comm));
        /* One has its error returned, the next one hears of it. */
        CHECK_OK(MPI_Comm_set_errhandler(w->comm, i % 2 ? handler : MPI_ERRORS_RETURN));
        w->rank = corunna_threads_self();
        w->type = type;
        w->call = calls[i];
    }
    CHECK_OK(MPI_Errhandler_free(&handler));
    pthread_barrier_wait(&both);
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_create(&all[rank][i].thread, NULL, wait_main, &all[rank][i]));
    if (rank == 0)
        await_all_asleep(CALLS + FIRST_COLLECTIVE);
    pthread_barrier_wait(&both);
    CHECK_OK(MPI_Finalize());
    for (int i = 0; i < count; i++)
        pthread_join(all[rank][i].thread, NULL);
    return 0;
}

/* ---- the handler that a program begins with --------------------------------------------------------------------- */

static void *fatal_main(void *argument)
{
    int word;
    (void)argument;
    atomic_fetch_add(&begun, 1);
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("the call has returned\n");
    return NULL;
}

static int fatal(int is_joined)
{
    pthread_t thread;
    int provided;
    CHECK_OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQUAL(0, pthread_create(&thread, NULL, fatal_main, NULL));
    await_all_asleep(1);
    MPI_Finalize();
    if (is_joined)
        pthread_join(thread, NULL);
    else
        for (int i = 0; i < 200; i++) /* the thread has this long to end the process */
            check_nap();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fatal") == 0)
        return fatal(argc == 2);
    pthread_barrier_init(&both, NULL, RANKS);
    CHECK_EQUAL(0, corunna_threads_run(RANKS, body, argc, argv));
    pthread_barrier_destroy(&both);
    CHECK_EQUAL(CALLS / 2 + FIRST_COLLECTIVE / 2, atomic_load(&handled));
    return 0;
}
