/* SPDX-License-Identifier: Apache-2.0 */
/* Active targets: fences, and the four of post, start, complete and wait. */
#include "win/win_check.h"

#include "coll/coll.h"

/* What this rank has done to memory that others read directly is visible to them, and the reverse. */
static void epoch_fence_memory(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

static int epoch_check_passive(cor_win *win, const char *call)
{
    if (win->locked_count > 0 || win->is_locked_all)
        return win_fail(win, COR_ERR_RMA_SYNC, "%s while the window is locked", call);
    return COR_OK;
}

/* ---- fence ------------------------------------------------------------------------------------------------------ */

int cor_win_fence(cor_win *win, int asserts)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    rc = epoch_check_passive(win, "a fence");
    if (rc == COR_OK && (win->access || win->exposure))
        rc = win_fail(win, COR_ERR_RMA_SYNC, "a fence inside of an epoch of %s", win->access ? "start" : "post");
    if (rc != COR_OK)
        return win_leave(win, rc);
    if (!win_is_settled(win))
        rc = win_message_flush(win, COR_WIN_ALL);
    epoch_fence_memory();
    int had_ops = win->has_fenced_ops;
    win->is_fenced = !(asserts & COR_WIN_NOSUCCEED);
    win->has_fenced_ops = 0;
    win_leave(win, rc);
    /* Whatever has failed here, the others wait for this rank. */
    int conflict = win->check ? win_check_fence(win, asserts, had_ops) : COR_OK;
    int failed = cor_barrier(win->comm);
    if (rc == COR_OK)
        rc = failed;
    return rc != COR_OK ? rc : conflict;
}

/* ---- post and wait ---------------------------------------------------------------------------------------------- */

static int epoch_member(const cor_win *win, const cor_group *group, int index)
{
    return cor_group_find(cor_comm_group(win->comm), group, index);
}

int cor_win_post(cor_win *win, cor_group *group, int asserts)
{
    (void)asserts;
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (win->exposure)
        rc = win_fail(win, COR_ERR_RMA_SYNC, "post after a post without a wait");
    if (rc == COR_OK && win->has_fenced_ops)
        rc = win_fail(win, COR_ERR_RMA_SYNC, "post inside of an epoch of fences");
    if (rc != COR_OK)
        return win_leave(win, rc);
    win->is_fenced = 0;
    epoch_fence_memory();
    for (int i = 0; i < group->size && rc == COR_OK; i++)
        rc = win_message_notify(win, epoch_member(win, group, i), WIN_PACKET_POST, 0);
    if (rc == COR_OK) {
        cor_group_ref(group);
        win->exposure = group;
    }
    return win_leave(win, rc);
}

static int epoch_is_completed(const cor_win *win, int target)
{
    (void)target;
    for (int i = 0; win->exposure && i < win->exposure->size; i++) /* another thread may have ended it */
        if (win->targets[epoch_member(win, win->exposure, i)].completes == 0)
            return 0;
    return 1;
}

static void epoch_unexpose(cor_win *win)
{
    for (int i = 0; i < win->exposure->size; i++) {
        win_target *target = &win->targets[epoch_member(win, win->exposure, i)];
        if (target->completes > 0) /* else it is lost, or has failed because of a loss */
            target->completes--;
    }
    cor_group_unref(win->exposure);
    win->exposure = NULL;
    epoch_fence_memory();
}

int cor_win_wait(cor_win *win)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (!win->exposure)
        rc = win_fail(win, COR_ERR_RMA_SYNC, "wait without a post");
    else
        rc = win_wait(win, COR_WIN_ALL, epoch_is_completed);
    if (win->exposure) /* also when it has failed: it cannot be completed any more */
        epoch_unexpose(win);
    return win_leave(win, rc);
}

int cor_win_test(cor_win *win, int *flag_p)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (!win->exposure)
        rc = win_fail(win, COR_ERR_RMA_SYNC, "test without a post");
    if (rc == COR_OK && !epoch_is_completed(win, COR_WIN_ALL)) {
        cor_device_poll(win->device);
        if (cor_comm_lost_count(win->comm) > 0)
            rc = cor_comm_find_lost(win->comm);
    }
    if (rc == COR_OK)
        *flag_p = epoch_is_completed(win, COR_WIN_ALL);
    if (win->exposure && (rc != COR_OK || *flag_p))
        epoch_unexpose(win);
    return win_leave(win, rc);
}

/* ---- start and complete ----------------------------------------------------------------------------------------- */

static int epoch_has_posted(const cor_win *win, int target)
{
    return win->targets[target].posts > 0;
}

/* Operations before the target's post would find its memory in use: wait for all targets here. */
static int epoch_await_posts(cor_win *win, const cor_group *group)
{
    int rc = COR_OK;
    for (int i = 0; i < group->size && rc == COR_OK; i++)
        rc = win_wait(win, epoch_member(win, group, i), epoch_has_posted);
    for (int i = 0; i < group->size && rc == COR_OK; i++)
        win->targets[epoch_member(win, group, i)].posts--;
    return rc;
}

int cor_win_begin(cor_win *win, cor_group *group, int asserts)
{
    (void)asserts; /* notices are sent with MPI_MODE_NOCHECK, too, and have arrived then */
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    rc = epoch_check_passive(win, "start");
    if (rc == COR_OK && (win->access || win->has_fenced_ops))
        rc = win_fail(win, COR_ERR_RMA_SYNC, "start inside of an epoch of %s", win->access ? "start" : "fences");
    if (rc == COR_OK) {
        win->is_fenced = 0;
        rc = epoch_await_posts(win, group);
    }
    if (rc == COR_OK) {
        for (int i = 0; i < group->size; i++)
            win->targets[epoch_member(win, group, i)].is_started = 1;
        cor_group_ref(group);
        win->access = group;
    }
    epoch_fence_memory();
    return win_leave(win, rc);
}

int cor_win_complete(cor_win *win)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (!win->access)
        return win_leave(win, win_fail(win, COR_ERR_RMA_SYNC, "complete without a start"));
    epoch_fence_memory();
    cor_group *group = win->access;
    for (int i = 0; i < group->size; i++) {
        int target = epoch_member(win, group, i);
        int failed = win_message_complete_copies(win, target);
        if (rc == COR_OK)
            rc = failed;
        win_check_complete(win, target);
        failed = win_message_notify(win, target, WIN_PACKET_COMPLETE, 0);
        win->targets[target].is_started = 0;
        win_set_unacked(win, target, 0); /* the target's wait completes them */
        if (rc == COR_OK)
            rc = failed;
    }
    for (int i = 0; i < group->size; i++) {
        int failed = win_message_settle(win, epoch_member(win, group, i));
        if (rc == COR_OK)
            rc = failed;
    }
    cor_group_unref(group);
    win->access = NULL;
    return win_leave(win, rc);
}
