/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member of a window dies while the others wait (tests/alive/survivor.c): for it, for a lock that it holds, or for
 * what it does no more. Each wait ends with MPI_ERR_PROC_ABORTED. Every case is there for a window over memory of the
 * program, which processes reach by messages, and for one with memory of its own, which they reach by themselves.
 */
#include "survivor.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

void survivor_prepare(survivor *m)
{
    m->bases[0] = calloc(COUNT, sizeof(int));
    MPI_Win_create(m->bases[0], COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &m->wins[0]);
    MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &m->bases[1], &m->wins[1]);
}

/* Windows have the handler of MPI_COMM_WORLD, which depends on how the program was called. */
static MPI_Win win_of(survivor *m, int number)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Win_set_errhandler(m->wins[number], handler);
    MPI_Errhandler_free(&handler);
    return m->wins[number];
}

static MPI_Group group_of(int rank)
{
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

/* The error must say that a process is lost. */
static int told(const survivor *m, int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS && class != MPI_ERR_PROC_ABORTED) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        fprintf(stderr, "win_deaths: rank %d: error class %d, not MPI_ERR_PROC_ABORTED: %s\n", m->rank, class, text);
        exit(4);
    }
    return code;
}

/* ---- collective calls ------------------------------------------------------------------------------------------- */

static int fence(survivor *m, int number)
{
    return told(m, MPI_Win_fence(0, win_of(m, number)));
}

static int fence_with_put(survivor *m, int number)
{
    static const int values[COUNT];
    MPI_Win win = win_of(m, number);
    int rc = MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Put(values, COUNT, MPI_INT, m->victim, 0, COUNT, MPI_INT, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_fence(0, win);
    return told(m, rc);
}

static int end(survivor *m, int number)
{
    win_of(m, number);
    return told(m, MPI_Win_free(&m->wins[number]));
}

/* Another window, of that kind. */
static int begin(survivor *m, int number)
{
    int memory;
    void *base;
    MPI_Win win;
    return told(m, number ? MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)
                          : MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
}

/* ---- post, start, complete, wait -------------------------------------------------------------------------------- */

static int start(survivor *m, int number)
{
    static const int value = 1;
    MPI_Win win = win_of(m, number);
    MPI_Group group = group_of(m->victim);
    int rc = MPI_Win_start(group, 0, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Put(&value, 1, MPI_INT, m->victim, 0, 1, MPI_INT, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_complete(win);
    MPI_Group_free(&group);
    return told(m, rc);
}

static int wait(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    MPI_Group group = group_of(m->victim);
    int rc = MPI_Win_post(group, 0, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_wait(win);
    MPI_Group_free(&group);
    return told(m, rc);
}

static int test(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    MPI_Group group = group_of(m->victim);
    int flag = 0, rc = MPI_Win_post(group, 0, win);
    while (rc == MPI_SUCCESS && !flag)
        rc = MPI_Win_test(win, &flag);
    MPI_Group_free(&group);
    return told(m, rc);
}

/* ---- locks ------------------------------------------------------------------------------------------------------ */

/* The victim dies with locks of rank 0. */
static void hold_exclusive(survivor *m)
{
    for (int i = 0; i < 2; i++)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, m->wins[i]);
    survivor_say(m, "holds");
}

static void hold_shared(survivor *m)
{
    for (int i = 0; i < 2; i++)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, m->wins[i]);
    survivor_say(m, "holds");
}

static int lock(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    int value = 0;
    survivor_await(m, "holds", m->victim, 60000, 1);
    int rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_unlock(0, win);
    return told(m, rc);
}

static int lock_shared(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    int value = 0;
    survivor_await(m, "holds", m->victim, 60000, 1);
    int rc = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_unlock(0, win);
    return told(m, rc);
}

static int lock_all(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    int value = 0;
    survivor_await(m, "holds", m->victim, 60000, 1);
    int rc = MPI_Win_lock_all(0, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_unlock_all(win);
    return told(m, rc);
}

/* The victim dies while it waits itself: its ticket is never given back. Rank 0 has the lock and waits for the
 * victim. */
static int turn_queue(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    int value = 0, rc = MPI_SUCCESS;
    if (m->rank == 0) {
        rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        survivor_say(m, "holds");
        if (rc == MPI_SUCCESS)
            rc = MPI_Recv(&value, 1, MPI_INT, m->victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return told(m, rc);
    }
    survivor_await(m, "holds", 0, 60000, 1);
    rc = MPI_Win_lock(m->rank % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    return told(m, rc);
}

/* The target lives, but is outside of the library, when another member dies: its origins do not wait for it. */
static int flush_busy(survivor *m, int number)
{
    static const int values[COUNT];
    MPI_Win win = win_of(m, number);
    if (m->rank == 0) {
        for (int i = 1; i < m->victim; i++)
            survivor_await(m, "told", i, 60000, 0);
        return told(m, MPI_Win_fence(0, win));
    }
    int rc = MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Accumulate(values, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, MPI_SUM, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_flush(0, win);
    survivor_say(m, "told");
    return told(m, rc);
}

/* ---- again and again, until one dies in the midst --------------------------------------------------------------- */

static int turn_fence(survivor *m, int number)
{
    return fence_with_put(m, number);
}

static int turn_lock(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    int value = m->turn, rc = MPI_Win_lock(m->turn % 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, m->victim, 0, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Put(&value, 1, MPI_INT, m->victim, 0, 1, MPI_INT, win);
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_unlock(m->victim, win);
    return told(m, rc);
}

/* Operations and flushes in one epoch, with the victim as the target. */
static int turn_flush(survivor *m, int number)
{
    static const int values[COUNT];
    MPI_Win win = win_of(m, number);
    int old = 0, rc = m->turn == 0 ? MPI_Win_lock_all(0, win) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS && m->turn % 2)
        rc = MPI_Accumulate(values, COUNT, MPI_INT, m->victim, 0, COUNT, MPI_INT, MPI_SUM, win);
    else if (rc == MPI_SUCCESS)
        rc = MPI_Fetch_and_op(&values[0], &old, MPI_INT, m->victim, 0, MPI_SUM, win);
    if (rc == MPI_SUCCESS)
        rc = m->turn % 3 ? MPI_Win_flush(m->victim, win) : MPI_Win_flush_all(win);
    return told(m, rc);
}

static int turn_request(survivor *m, int number)
{
    MPI_Win win = win_of(m, number);
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = m->turn == 0 ? MPI_Win_lock_all(0, win) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS)
        rc = MPI_Rget(m->data, COUNT, MPI_INT, m->victim, 0, COUNT, MPI_INT, win, &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return told(m, rc);
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

/* Where an origin needs nothing of its target, it need not notice its death: there is no turn_lock_allocated. */
#define IN_CREATED(name)                                                                                              \
    static int name##_created(survivor *m)                                                                            \
    {                                                                                                                 \
        return name(m, 0);                                                                                            \
    }
#define IN_BOTH(name)                                                                                                 \
    IN_CREATED(name)                                                                                                  \
    static int name##_allocated(survivor *m)                                                                          \
    {                                                                                                                 \
        return name(m, 1);                                                                                            \
    }
IN_BOTH(fence)
IN_BOTH(fence_with_put)
IN_BOTH(end)
IN_BOTH(begin)
IN_BOTH(start)
IN_BOTH(wait)
IN_BOTH(test)
IN_BOTH(lock)
IN_BOTH(lock_shared)
IN_BOTH(lock_all)
IN_BOTH(turn_queue)
IN_CREATED(flush_busy)
IN_BOTH(turn_fence)
IN_CREATED(turn_lock)
IN_CREATED(turn_flush)
IN_CREATED(turn_request)

const survivor_case survivor_cases[] = {
    {"fence_created", fence_created, NULL, 0},
    {"fence_allocated", fence_allocated, NULL, 0},
    {"fence_with_put_created", fence_with_put_created, NULL, 0},
    {"fence_with_put_allocated", fence_with_put_allocated, NULL, 0},
    {"end_created", end_created, NULL, 0},
    {"end_allocated", end_allocated, NULL, 0},
    {"begin_created", begin_created, NULL, 0},
    {"begin_allocated", begin_allocated, NULL, 0},
    {"start_created", start_created, NULL, 0},
    {"start_allocated", start_allocated, NULL, 0},
    {"wait_created", wait_created, NULL, 0},
    {"wait_allocated", wait_allocated, NULL, 0},
    {"test_created", test_created, NULL, 0},
    {"test_allocated", test_allocated, NULL, 0},
    {"lock_created", lock_created, hold_exclusive, 0},
    {"lock_allocated", lock_allocated, hold_exclusive, 0},
    {"lock_of_shared_created", lock_created, hold_shared, 0},
    {"lock_of_shared_allocated", lock_allocated, hold_shared, 0},
    {"lock_shared_created", lock_shared_created, hold_exclusive, 0},
    {"lock_shared_allocated", lock_shared_allocated, hold_exclusive, 0},
    {"lock_all_created", lock_all_created, hold_exclusive, 0},
    {"lock_all_allocated", lock_all_allocated, hold_exclusive, 0},
    {"turn_queue_created", turn_queue_created, NULL, 1},
    {"turn_queue_allocated", turn_queue_allocated, NULL, 1},
    {"flush_busy_created", flush_busy_created, NULL, 0},
    {"turn_fence_created", turn_fence_created, NULL, 1},
    {"turn_fence_allocated", turn_fence_allocated, NULL, 1},
    {"turn_lock_created", turn_lock_created, NULL, 1},
    {"turn_flush_created", turn_flush_created, NULL, 1},
    {"turn_request_created", turn_request_created, NULL, 1},
};
const int survivor_case_count = sizeof survivor_cases / sizeof *survivor_cases;
