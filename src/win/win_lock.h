/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a target: shared or exclusive, fair, in memory of its host group.
 *
 * Everybody draws a ticket, `next`. `write` counts the holders that have left, `read` those that have left and the
 * readers that have come in. An exclusive ticket is served when all before it have left: write == ticket. A shared one
 * is served when no writer is before it: read == ticket; it then lets the next one in. So nobody overtakes.
 *
 * A ticket that is not served sleeps: the sleeper counts itself in `sleepers`, and then looks once more; whoever
 * changes the counts looks at `sleepers` afterwards, and rings the host group.
 *
 * A holder that dies keeps the lock: waiters notice the loss of a member and give up.
 */
#ifndef COR_WIN_LOCK_H
#define COR_WIN_LOCK_H

#include "win/win_state.h"

static inline uint32_t win_lock_draw(win_control *control)
{
    return atomic_fetch_add_explicit(&control->next, 1, memory_order_relaxed);
}

/* acquire: what holders before have written is seen. */
static inline int win_lock_is_served(const win_control *control, uint32_t ticket, int is_exclusive)
{
    return atomic_load_explicit(is_exclusive ? &control->write : &control->read, memory_order_acquire) == ticket;
}

/* The members of the host group that sleep look again. seq_cst: the change is seen before `sleepers` is read. */
static inline void win_lock_wake(const cor_win *win, win_control *control)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (COR_LIKELY(atomic_load_explicit(&control->sleepers, memory_order_relaxed) == 0))
        return;
    for (int i = 0; i < win->host_count; i++)
        if (win->targets[win->host_members[i]].has_lock)
            cor_comm_nudge(win->comm, win->host_members[i]);
    cor_device_wake(win->device);
}

/* A ticket is served: a reader lets the next one in. */
static inline void win_lock_enter(const cor_win *win, win_control *control, int is_exclusive)
{
    if (is_exclusive)
        return;
    atomic_fetch_add_explicit(&control->read, 1, memory_order_acq_rel);
    win_lock_wake(win, control);
}

/* release: the next holder sees what this one has written. `read` first: a writer that comes in by `write` leaves by
 * adding to both. */
static inline void win_lock_leave(const cor_win *win, win_control *control, int is_exclusive)
{
    if (is_exclusive)
        atomic_fetch_add_explicit(&control->read, 1, memory_order_release);
    atomic_fetch_add_explicit(&control->write, 1, memory_order_release);
    win_lock_wake(win, control);
}

/* Draw a ticket and wait, with the rank's lock held. COR_ERR_PEER: a member is lost. */
int win_lock_take(cor_win *win, int target, int is_exclusive);

#endif
