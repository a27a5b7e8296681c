/* SPDX-License-Identifier: Apache-2.0 */
#include "win_sync.h"

static void epoch_post(const epoch *e)
{
    MPI_Group origins = test_group(e->t, e->origin_count, e->origins);
    MPI_Group targets = test_group(e->t, e->target_count, e->targets);
    CHECK_OK(MPI_Win_post(origins, 0, e->win));
    CHECK_OK(MPI_Win_start(targets, 0, e->win));
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Group_free(&targets));
}

void epoch_begin(const epoch *e)
{
    if (e->sync == SYNC_FENCE)
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, e->win));
    else if (e->sync == SYNC_PSCW)
        epoch_post(e);
    else if (e->sync >= SYNC_LOCK_ALL)
        CHECK_OK(MPI_Win_lock_all(0, e->win));
    for (int i = 0; e->sync == SYNC_LOCK_SHARED && i < e->target_count; i++)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, e->targets[i], 0, e->win));
}

void epoch_enter(const epoch *e, int number)
{
    if (e->sync == SYNC_LOCK_EXCLUSIVE)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, e->targets[number], 0, e->win));
}

void epoch_leave(const epoch *e, int number)
{
    if (e->sync == SYNC_LOCK_EXCLUSIVE)
        CHECK_OK(MPI_Win_unlock(e->targets[number], e->win));
    else if (e->sync == SYNC_FLUSH)
        CHECK_OK(MPI_Win_flush(e->targets[number], e->win));
    else if (e->sync == SYNC_FLUSH_LOCAL)
        CHECK_OK(MPI_Win_flush_local(e->targets[number], e->win));
}

void epoch_flush(const epoch *e)
{
    if (e->sync == SYNC_FLUSH_ALL)
        CHECK_OK(MPI_Win_flush_all(e->win));
    else if (e->sync == SYNC_FLUSH_LOCAL_ALL)
        CHECK_OK(MPI_Win_flush_local_all(e->win));
}

void epoch_end(const epoch *e)
{
    if (e->sync == SYNC_FENCE) {
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, e->win));
    } else if (e->sync == SYNC_PSCW) {
        CHECK_OK(MPI_Win_complete(e->win));
        CHECK_OK(MPI_Win_wait(e->win));
    } else if (e->sync >= SYNC_LOCK_ALL) {
        CHECK_OK(MPI_Win_unlock_all(e->win));
    }
    for (int i = e->target_count; e->sync == SYNC_LOCK_SHARED && i-- > 0;)
        CHECK_OK(MPI_Win_unlock(e->targets[i], e->win));
}

int epoch_has_flushed(const epoch *e)
{
    return e->sync >= SYNC_FLUSH;
}
