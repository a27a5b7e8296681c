/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: threads, and how a program ends. */
#define _GNU_SOURCE
#include "sessions.h"

#include <corunna/threads.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- thread levels ---------------------------------------------------------------------------------------------- */

static MPI_Session open_at(const char *level)
{
    MPI_Session session;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "thread_level", level));
    CHECK_OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    CHECK_OK(MPI_Info_free(&info));
    return session;
}

static void expect_level(MPI_Session session, const char *expected)
{
    MPI_Info info;
    char value[32];
    int length = sizeof value, flag;
    CHECK_OK(MPI_Session_get_info(session, &info));
    CHECK_OK(MPI_Info_get_string(info, "thread_level", &length, value, &flag));
    CHECK(flag);
    CHECK_TEXT(expected, value);
    length = sizeof value;
    CHECK_OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, value, &flag));
    CHECK_TEXT("mpi,system", flag ? value : "-");
    CHECK_OK(MPI_Info_free(&info));
}

/* The first session says that the process has one thread; so it is from then on. */
int case_levels(void)
{
    int provided;
    MPI_Session one = open_at("MPI_THREAD_SINGLE"), other = session_open(), third = open_at("MPI_THREAD_FUNNELED");
    expect_level(one, "MPI_THREAD_SINGLE");
    expect_level(other, "MPI_THREAD_SERIALIZED");
    expect_level(third, "MPI_THREAD_FUNNELED");
    CHECK_OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQUAL(MPI_THREAD_SERIALIZED, provided);
    CHECK_OK(MPI_Finalize());
    CHECK_OK(MPI_Session_finalize(&one));
    CHECK_OK(MPI_Session_finalize(&other));
    CHECK_OK(MPI_Session_finalize(&third));
    return 0;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

typedef struct helper {
    corunna_thread_rank *rank;
    const char *tag;
    MPI_Comm comm;
    int code;
    _Atomic int is_waiting;
} helper;

/* A library of its own, in a thread of its own. */
static void *use_library(void *argument)
{
    helper *self = argument;
    corunna_threads_adopt(self->rank);
    for (int i = 0; i < 50; i++) {
        library one = library_open(self->tag);
        library_use(&one);
        library_close(&one);
    }
    return NULL;
}

int case_several_threads(void)
{
    pthread_t threads[2];
    helper helpers[] = {{.rank = corunna_threads_self(), .tag = "one"},
                        {.rank = corunna_threads_self(), .tag = "two"}};
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, use_library, &helpers[i]));
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    MPI_Session session = session_open();
    expect_level(session, "MPI_THREAD_MULTIPLE");
    CHECK_OK(MPI_Session_finalize(&session));
    return 0;
}

static void *wait_for_ever(void *argument)
{
    helper *self = argument;
    int x;
    corunna_threads_adopt(self->rank);
    self->is_waiting = 1;
    self->code = MPI_Recv(&x, 1, MPI_INT, 0, 7, self->comm, MPI_STATUS_IGNORE);
    return NULL;
}

/* A session ends beside a thread that waits for a message; the thread waits on, and hurts nothing. */
int case_waiting_thread(void)
{
    static _Thread_local helper waiting; /* outlives this function, as the thread does */
    pthread_t thread;
    MPI_Session session = session_open();
    waiting = (helper){.rank = corunna_threads_self(), .comm = session_comm(session, "mpi://SELF", "one")};
    CHECK_EQUAL(0, pthread_create(&thread, NULL, wait_for_ever, &waiting));
    CHECK_UNTIL(waiting.is_waiting, check_nap());
    check_asleep(getpid());
    CHECK_OK(MPI_Session_finalize(&session));
    for (int i = 0; i < 100; i++) {
        library other = library_open("other");
        library_use(&other);
        if (i % 2)
            CHECK_OK(MPI_Comm_free(&other.comm));
        CHECK_OK(MPI_Session_finalize(&other.session));
    }
    CHECK_OK(pthread_detach(thread));
    return 0;
}

/* ---- ends ------------------------------------------------------------------------------------------------------- */

/* A child of the process is no rank, however it ends. */
int case_fork(void)
{
    int status;
    library one = library_open("one");
    library_close(&one);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        exit(7);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    one = library_open("one");
    library_use(&one);
    library_close(&one);
    return 0;
}

/* There is no world, and so none of its communicators. */
int case_world(void)
{
    int size;
    library one = library_open("one");
    if (one.rank == 0)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(one.comm);
    return 0;
}

int case_abort(void)
{
    library one = library_open("one");
    if (one.rank == 0)
        MPI_Abort(one.comm, 33);
    MPI_Barrier(one.comm);
    return 0;
}

/* The program ends without finalising its session. */
int case_open(void)
{
    library one = library_open("one");
    return one.rank == 0 ? 9 : (library_close(&one), 0);
}

/* Rank 0 dies. */
int case_death(void)
{
    int x;
    library one = library_open("one");
    if (one.rank == 0)
        raise(SIGKILL);
    MPI_Recv(&x, 1, MPI_INT, 0, 0, one.comm, MPI_STATUS_IGNORE);
    library_close(&one);
    return 0;
}

/* The status of a program that has ended its sessions is its own. */
int case_status(void)
{
    library one = library_open("one");
    library_use(&one);
    int status = one.rank == 0 ? 3 : 0;
    library_close(&one);
    return status;
}

int case_early(void)
{
    library one = library_open("one");
    MPI_Comm stale = one.comm;
    library_close(&one);
    MPI_Barrier(stale);
    return 0;
}

/* For the knob check. */
int case_check(void)
{
    MPI_Group group;
    MPI_Session left = session_open(), session = session_open();
    MPI_Comm comm = session_comm(session, "mpi://SELF", "one");
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    MPI_Session stale = session;
    CHECK_OK(MPI_Session_finalize(&session));
    CHECK_EQUAL(MPI_SUCCESS, MPI_Group_free(&group));
    CHECK(stale != left && comm != MPI_COMM_NULL);
    return 0;
}
