/* SPDX-License-Identifier: Apache-2.0 */
/* Passive targets: locks and flushes. */
#include "win/win_check.h"
#include "win/win_lock.h"

static void passive_fence_memory(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* A program may wait for a value in its own memory by calls that need nobody else. Some of them make progress: more
 * where others need this member's agent. Budget of the rest: one count. */
static void passive_poll(cor_win *win)
{
    enum { CALLS_A_POLL = 32, CALLS_A_POLL_DIVIDED = 8 };
    if (++win->calls % (win->is_divided ? CALLS_A_POLL_DIVIDED : CALLS_A_POLL) == 0)
        cor_device_poll(win->device);
}

static int passive_check(cor_win *win, const char *call)
{
    if (win->options.is_without_locks)
        return win_fail(win, COR_ERR_RMA_SYNC, "%s of a window whose info says no_locks", call);
    if (win->access)
        return win_fail(win, COR_ERR_RMA_SYNC, "%s inside of an epoch of start", call);
    if (win->has_fenced_ops)
        return win_fail(win, COR_ERR_RMA_SYNC, "%s inside of an epoch of fences", call);
    if (win->is_locked_all)
        return win_fail(win, COR_ERR_RMA_SYNC, "%s while all ranks are locked", call);
    return COR_OK;
}

static int passive_take(cor_win *win, int target, int is_exclusive)
{
    return win->targets[target].control ? win_lock_take(win, target, is_exclusive)
                                        : win_message_ask(win, target, WIN_PACKET_LOCK, is_exclusive);
}

int cor_win_lock(cor_win *win, int target, int is_exclusive, int asserts)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    win_target *t = target == COR_PROC_NULL ? NULL : &win->targets[target];
    rc = passive_check(win, "lock");
    if (rc == COR_OK && t && t->locked)
        rc = win_fail(win, COR_ERR_RMA_SYNC, "lock of rank %d, which this rank has locked before", target);
    if (rc == COR_OK && t) {
        t->is_nocheck = (asserts & COR_WIN_NOCHECK) != 0;
        t->locked = is_exclusive ? WIN_LOCKED_EXCLUSIVE : WIN_LOCKED_SHARED; /* another thread gets an error */
        win->locked_count++;
        rc = t->is_nocheck ? COR_OK : passive_take(win, target, is_exclusive);
        if (rc != COR_OK) {
            t->locked = WIN_UNLOCKED;
            win->locked_count--;
        }
        passive_fence_memory();
    }
    return win_leave(win, rc);
}

/* Complete everything at the target and give its lock back. */
static int passive_release(cor_win *win, int target, int is_exclusive)
{
    win_target *t = &win->targets[target];
    passive_fence_memory();
    win_check_complete(win, target);
    if (!t->is_nocheck && !t->control) {
        int failed = win_message_complete_copies(win, target);
        int asked = win_message_ask(win, target, WIN_PACKET_UNLOCK, is_exclusive);
        return failed != COR_OK ? failed : asked;
    }
    int rc = win_message_flush(win, target);
    if (!t->is_nocheck)
        win_lock_leave(win, target, is_exclusive);
    return rc;
}

int cor_win_unlock(cor_win *win, int target)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    win_target *t = target == COR_PROC_NULL ? NULL : &win->targets[target];
    if (t && !t->locked) {
        rc = win_fail(win, COR_ERR_RMA_SYNC, "unlock of rank %d, which this rank has not locked", target);
    } else if (t) {
        int is_exclusive = t->locked == WIN_LOCKED_EXCLUSIVE;
        t->locked = WIN_UNLOCKED; /* first: another thread that unlocks meanwhile gets an error */
        win->locked_count--;
        rc = passive_release(win, target, is_exclusive);
        passive_poll(win);
    }
    return win_leave(win, rc);
}

/* Ask for the locks of targets from `first` to before `end`, of all at once, if they are free. *busy_p is the first
 * that is not, or `end`; locks behind it are given back. */
static int passive_try_some(cor_win *win, int first, int end, int *busy_p)
{
    int rc = COR_OK, failed, busy = end;
    for (int i = first; i < end && rc == COR_OK; i++) {
        win_target *t = &win->targets[i];
        t->is_busy = t->control && !win_lock_try_shared(t->control);
        if (!t->control)
            rc = win_message_ask_later(win, i, WIN_PACKET_LOCK_IF_FREE, 0);
        else if (!t->is_busy)
            win_lock_enter(win, i, 0);
    }
    failed = win_message_settle(win, COR_WIN_ALL);
    if (rc == COR_OK)
        rc = failed;
    for (int i = end - 1; i >= first; i--)
        busy = win->targets[i].is_busy ? i : busy;
    for (int i = busy + 1; i < end && rc == COR_OK; i++) {
        if (win->targets[i].is_busy)
            continue;
        if (win->targets[i].control)
            win_lock_leave(win, i, 0);
        else
            rc = win_message_ask_later(win, i, WIN_PACKET_UNLOCK, 0);
    }
    *busy_p = busy;
    return rc;
}

/* A member that waits for a lock holds only locks of targets before it, in the order that all members use. If two
 * members had each a lock that the other waits for, and an exclusive ticket were in front of both, nobody would go
 * on. Locks that are free need no order: of these a member that does not wait asks for as many as it likes at once.
 * Where one is not, it gives those behind it back, waits for this one, and then tries fewer, so that it gives back
 * no more than it takes. */
static int passive_take_all(cor_win *win)
{
    int rc = COR_OK, batch = win->size, is_here = win->host_count == win->size;
    for (int first = 0, end, busy; first < win->size && rc == COR_OK; first = busy < end ? busy + 1 : end) {
        end = win->size - first > batch ? first + batch : win->size;
        busy = first;
        if (!is_here)
            rc = passive_try_some(win, first, end, &busy);
        if (rc == COR_OK && busy < end)
            rc = passive_take(win, busy, 0);
        batch = busy < end ? 1 : 2 * batch;
    }
    return rc;
}

int cor_win_lock_all(cor_win *win, int asserts)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    rc = passive_check(win, "lock_all");
    if (rc == COR_OK && win->locked_count > 0)
        rc = win_fail(win, COR_ERR_RMA_SYNC, "lock_all while %d ranks are locked", win->locked_count);
    if (rc == COR_OK) {
        int is_nocheck = (asserts & COR_WIN_NOCHECK) != 0;
        for (int i = 0; i < win->size; i++)
            win->targets[i].is_nocheck = (uint8_t)is_nocheck;
        win->is_locked_all = 1;
        rc = is_nocheck ? COR_OK : passive_take_all(win);
        win->is_locked_all = rc == COR_OK;
        passive_fence_memory();
    }
    return win_leave(win, rc);
}

static int passive_release_all(cor_win *win)
{
    int rc = win_message_flush(win, COR_WIN_ALL);
    int has_asked = 0;
    win_check_complete(win, COR_WIN_ALL);
    passive_fence_memory();
    for (int i = 0; i < win->size; i++) {
        win_target *t = &win->targets[i];
        int failed = COR_OK;
        if (t->is_nocheck)
            continue;
        has_asked |= !t->control;
        if (t->control)
            win_lock_leave(win, i, 0);
        else
            failed = win_message_ask_later(win, i, WIN_PACKET_UNLOCK, 0);
        if (rc == COR_OK)
            rc = failed;
    }
    int failed = has_asked ? win_message_settle(win, COR_WIN_ALL) : COR_OK;
    return rc != COR_OK ? rc : failed;
}

int cor_win_unlock_all(cor_win *win)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (win->is_locked_all) {
        win->is_locked_all = 0;
        rc = passive_release_all(win);
    } else {
        rc = win_fail(win, COR_ERR_RMA_SYNC, "unlock_all without lock_all");
    }
    return win_leave(win, rc);
}

/* ---- flushes ---------------------------------------------------------------------------------------------------- */

static int passive_check_flush(cor_win *win, int target)
{
    if (win->is_locked_all || (target == COR_WIN_ALL ? win->locked_count > 0 : win->targets[target].locked))
        return COR_OK;
    if (target == COR_WIN_ALL)
        return win_fail(win, COR_ERR_RMA_SYNC, "flush of a window that is not locked");
    return win_fail(win, COR_ERR_RMA_SYNC, "flush of rank %d, which this rank has not locked", target);
}

static int passive_flush(cor_win *win, int target, int is_local)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK || target == COR_PROC_NULL)
        return rc == COR_OK ? win_leave(win, rc) : rc;
    rc = passive_check_flush(win, target);
    passive_fence_memory();
    if (rc == COR_OK && win_is_settled(win))
        passive_poll(win);
    else if (rc == COR_OK)
        rc = is_local ? win_message_settle(win, target) : win_message_flush(win, target);
    if (is_local)
        win_check_complete_local(win, target);
    else
        win_check_complete(win, target);
    return win_leave(win, rc);
}

int cor_win_flush(cor_win *win, int target)
{
    return passive_flush(win, target, 0);
}

int cor_win_flush_local(cor_win *win, int target)
{
    return passive_flush(win, target, 1);
}

/* Also lets others make progress: programs poll their memory with it in a loop. */
int cor_win_sync(cor_win *win)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    passive_fence_memory();
    cor_device_poll(win->device);
    passive_fence_memory();
    return win_leave(win, COR_OK);
}
