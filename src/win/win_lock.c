/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_lock.h"

/* A ticket that waits. */
typedef struct lock_wait {
    const cor_win *win;
    int target, is_exclusive;
    uint32_t ticket;
} lock_wait;

static int lock_is_over(const void *subject)
{
    const lock_wait *wait = subject;
    return win_lock_is_served(wait->win->targets[wait->target].control, wait->ticket, wait->is_exclusive);
}

static void lock_before_sleep(const void *subject)
{
    const lock_wait *wait = subject;
    win_lock_put_sleeper(wait->win, wait->target, wait->ticket, win_lock_entry(wait->win->me, wait->is_exclusive));
}

/* Only a ticket that is served: a reader that comes in does not wake a writer behind it. */
void win_lock_wake_ticket(cor_win *win, int target, uint32_t ticket)
{
    /* relaxed: see win_lock_wake. An entry that is not there yet is written by a rank that then looks at the lock. */
    uint32_t entry = atomic_load_explicit(win_lock_place(win, target, ticket), memory_order_relaxed);
    if (entry == 0 || !win_lock_is_served(win->targets[target].control, ticket, (int)(entry & 1)))
        return;
    int member = (int)(entry >> 1) - WIN_LOCK_MEMBER;
    if (entry >> 1 == WIN_LOCK_AGENT && target == win->me)
        win_agent_step(win);
    else if (entry >> 1 == WIN_LOCK_AGENT)
        win_message_notify(win, target, WIN_PACKET_WAKE, 0);
    else if (member == win->me) /* another thread of this rank */
        cor_device_wake(win->device);
    else if (win->targets[member].is_rung)
        cor_comm_nudge(win->comm, member);
}

static int lock_wait_for(cor_win *win, const lock_wait *wait)
{
    cor_until until = {lock_is_over, wait, lock_before_sleep};
    uint32_t lost_seen = 0;
    int rc = COR_OK;
    while (rc == COR_OK && !lock_is_over(wait)) {
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
    win_lock_clear_sleeper(win, wait->target, wait->ticket);
    return rc;
}

int win_lock_take(cor_win *win, int target, int is_exclusive)
{
    lock_wait wait = {win, target, is_exclusive, win_lock_draw(win->targets[target].control)};
    int rc = lock_is_over(&wait) ? COR_OK : lock_wait_for(win, &wait);
    if (rc == COR_OK)
        win_lock_enter(win, target, is_exclusive);
    return rc;
}
