/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization of windows: active targets, passive targets, completion. */
#include "mpi/face_comm.h"
#include "mpi/face_win.h"

_Static_assert((int)COR_WIN_NOCHECK == MPI_MODE_NOCHECK && (int)COR_WIN_NOPRECEDE == MPI_MODE_NOPRECEDE &&
                   (int)COR_WIN_NOPUT == MPI_MODE_NOPUT && (int)COR_WIN_NOSTORE == MPI_MODE_NOSTORE &&
                   (int)COR_WIN_NOSUCCEED == MPI_MODE_NOSUCCEED,
               "the engine takes the assertions of the ABI");

/* ---- arguments -------------------------------------------------------------------------------------------------- */

/* The assertions that a call allows, and how to name them. */
#define SYNC_LOCK MPI_MODE_NOCHECK, "0 or MPI_MODE_NOCHECK"
#define SYNC_POST                                                                                                     \
    MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT,                                                             \
        "0 or made of MPI_MODE_NOCHECK, MPI_MODE_NOSTORE and MPI_MODE_NOPUT"
#define SYNC_FENCE                                                                                                    \
    MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,                                      \
        "0 or made of MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED"

static int sync_check_assert(const char *call, face_win *win, int assert, int allowed, const char *words)
{
    if (COR_LIKELY(!(assert & ~allowed)))
        return MPI_SUCCESS;
    return face_fail(call, &win->as, MPI_ERR_ASSERT, "assert is %d, but must be %s", assert, words);
}

static int sync_check_rank(const char *call, face_win *win, int rank)
{
    if (COR_LIKELY((unsigned)rank < (unsigned)win->as.size || rank == MPI_PROC_NULL))
        return MPI_SUCCESS;
    return face_fail_rank(call, &win->as, MPI_ERR_RANK, "rank", rank);
}

/* ---- active targets --------------------------------------------------------------------------------------------- */

static int sync_fence(const char *call, int assert, face_win *win)
{
    return sync_check_assert(call, win, assert, SYNC_FENCE)
               ?: face_win_outcome(call, win, cor_win_fence(win->win, assert));
}

FACE_API(Win_fence, sync_fence)

static int sync_post(const char *call, cor_group *group, int assert, face_win *win)
{
    return sync_check_assert(call, win, assert, SYNC_POST)
               ?: face_group_check(call, &win->as, group)
               ?: face_win_outcome(call, win, cor_win_post(win->win, group, assert));
}

FACE_API(Win_post, sync_post)

static int sync_start(const char *call, cor_group *group, int assert, face_win *win)
{
    return sync_check_assert(call, win, assert, SYNC_LOCK)
               ?: face_group_check(call, &win->as, group)
               ?: face_win_outcome(call, win, cor_win_begin(win->win, group, assert));
}

FACE_API(Win_start, sync_start)

static int sync_test(const char *call, face_win *win, int *flag)
{
    int is_over = 0;
    int error = face_win_outcome(call, win, cor_win_test(win->win, &is_over));
    if (error == MPI_SUCCESS)
        *flag = is_over;
    return error;
}

FACE_API(Win_test, sync_test)

/* ---- passive targets -------------------------------------------------------------------------------------------- */

/* A lock of MPI_PROC_NULL is none. */
static int sync_lock(const char *call, int lock_type, int rank, int assert, face_win *win)
{
    if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
        return face_fail(call, &win->as, MPI_ERR_LOCKTYPE,
                         "lock_type is %d, but must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", lock_type);
    int error = sync_check_rank(call, win, rank) ?: sync_check_assert(call, win, assert, SYNC_LOCK);
    if (error != MPI_SUCCESS || rank == MPI_PROC_NULL)
        return error;
    return face_win_outcome(call, win, cor_win_lock(win->win, rank, lock_type == MPI_LOCK_EXCLUSIVE, assert));
}

FACE_API(Win_lock, sync_lock)

static int sync_lock_all(const char *call, int assert, face_win *win)
{
    return sync_check_assert(call, win, assert, SYNC_LOCK)
               ?: face_win_outcome(call, win, cor_win_lock_all(win->win, assert));
}

FACE_API(Win_lock_all, sync_lock_all)

/* ---- calls with a target, and without arguments ------------------------------------------------------------------ */

typedef int (*sync_target_fn)(cor_win *win, int target);
typedef int (*sync_fn)(cor_win *win);

static inline __attribute__((always_inline)) int sync_target(const char *call, int rank, face_win *win,
                                                             sync_target_fn run)
{
    int error = sync_check_rank(call, win, rank);
    if (COR_UNLIKELY(error != MPI_SUCCESS || rank == MPI_PROC_NULL))
        return error;
    return face_win_outcome(call, win, run(win->win, rank));
}

FACE_API(Win_unlock, sync_target, cor_win_unlock)
FACE_API(Win_flush, sync_target, cor_win_flush)
FACE_API(Win_flush_local, sync_target, cor_win_flush_local)

static inline __attribute__((always_inline)) int sync_all_targets(const char *call, face_win *win, sync_target_fn run)
{
    return face_win_outcome(call, win, run(win->win, COR_WIN_ALL));
}

FACE_API(Win_flush_all, sync_all_targets, cor_win_flush)
FACE_API(Win_flush_local_all, sync_all_targets, cor_win_flush_local)

static inline __attribute__((always_inline)) int sync_whole(const char *call, face_win *win, sync_fn run)
{
    return face_win_outcome(call, win, run(win->win));
}

FACE_API(Win_unlock_all, sync_whole, cor_win_unlock_all)
FACE_API(Win_complete, sync_whole, cor_win_complete)
FACE_API(Win_wait, sync_whole, cor_win_wait)
FACE_API(Win_sync, sync_whole, cor_win_sync)
