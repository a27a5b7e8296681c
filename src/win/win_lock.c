/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_lock.h"

/* A ticket that waits. */
typedef struct lock_wait {
    win_control *control;
    uint32_t ticket;
    int is_exclusive;
    int *is_counted; /* in control->sleepers */
} lock_wait;

static int lock_is_over(const void *subject)
{
    const lock_wait *wait = subject;
    return win_lock_is_served(wait->control, wait->ticket, wait->is_exclusive);
}

/* seq_cst: the count is seen before is_over looks at the lock once more. */
static void lock_before_sleep(const void *subject)
{
    const lock_wait *wait = subject;
    if (*wait->is_counted)
        return;
    *wait->is_counted = 1;
    atomic_fetch_add_explicit(&wait->control->sleepers, 1, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
}

void win_lock_wake_sleepers(cor_win *win, int target)
{
    win_control *control = win->targets[target].control;
    if (atomic_load_explicit(&control->sleepers, memory_order_relaxed) > 0) {
        for (int i = 0; i < win->host_count; i++)
            if (win->targets[win->host_members[i]].is_rung)
                cor_comm_nudge(win->comm, win->host_members[i]);
        cor_device_wake(win->device);
    }
    if (atomic_load_explicit(&control->agents, memory_order_relaxed) == 0)
        return;
    if (target == win->me)
        win_agent_step(win);
    else
        win_message_notify(win, target, WIN_PACKET_WAKE, 0);
}

int win_lock_take(cor_win *win, int target, int is_exclusive)
{
    win_control *control = win->targets[target].control;
    int is_counted = 0, rc = COR_OK;
    lock_wait wait = {control, win_lock_draw(control), is_exclusive, &is_counted};
    cor_until until = {lock_is_over, &wait, lock_before_sleep};
    uint32_t lost_seen = 0;
    while (rc == COR_OK && !lock_is_over(&wait)) {
        if (cor_comm_lost_count(win->comm) != lost_seen) {
            lost_seen = cor_comm_lost_count(win->comm);
            rc = cor_comm_find_lost(win->comm);
        } else if (!win->is_host_rung) { /* by a device that keeps the ranks of a host apart */
            if (cor_device_progress(win->device, -1) == 0)
                cor_device_back_off(win->device);
            if (cor_device_is_closed(win->device))
                rc = COR_ERR_FINALIZED;
        } else {
            rc = cor_comm_wait_until(win->comm, until, lost_seen);
            if (rc == COR_ERR_PEER)
                rc = COR_OK; /* whom it concerns is looked up above */
        }
    }
    if (is_counted)
        atomic_fetch_sub_explicit(&control->sleepers, 1, memory_order_relaxed);
    if (rc == COR_OK)
        win_lock_enter(win, target, is_exclusive);
    return rc;
}
