/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a target: shared or exclusive, fair, in memory of its host group.
 *
 * Everybody draws a ticket, `next`. `write` counts the holders that have left, `read` those that have left and the
 * readers that have come in. An exclusive ticket is served when all before it have left: write == ticket. A shared one
 * is served when no writer is before it: read == ticket; it then lets the next one in. So nobody overtakes.
 *
 * A ticket that is not served sleeps: its rank counts it in `sleepers`, after its bell is armed, and looks once more; a
 * rank that changes the lock reads `sleepers` afterwards, and rings the host group. An agent draws tickets for ranks
 * elsewhere, but does not wait for them: they are counted in `agents`, and a rank that changes the lock then sends the
 * agent a packet.
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

void win_lock_wake_sleepers(cor_win *win, int target);

/* Tickets that are not served look again. seq_cst: the change is seen before the counts are read. */
static inline void win_lock_wake(cor_win *win, int target)
{
    const win_control *control = win->targets[target].control;
    atomic_thread_fence(memory_order_seq_cst);
    if (COR_UNLIKELY(atomic_load_explicit(&control->sleepers, memory_order_relaxed) > 0 ||
                     atomic_load_explicit(&control->agents, memory_order_relaxed) > 0))
        win_lock_wake_sleepers(win, target);
}

/* A ticket is served: a reader lets the next one in. */
static inline void win_lock_enter(cor_win *win, int target, int is_exclusive)
{
    if (is_exclusive)
        return;
    atomic_fetch_add_explicit(&win->targets[target].control->read, 1, memory_order_acq_rel);
    win_lock_wake(win, target);
}

/* release: the next holder sees what this one has written. `read` first: a writer that comes in by `write` leaves by
 * adding to both. */
static inline void win_lock_leave(cor_win *win, int target, int is_exclusive)
{
    win_control *control = win->targets[target].control;
    if (is_exclusive)
        atomic_fetch_add_explicit(&control->read, 1, memory_order_release);
    atomic_fetch_add_explicit(&control->write, 1, memory_order_release);
    win_lock_wake(win, target);
}

/* Draw a ticket and wait, with the rank's lock held. COR_ERR_PEER: a member is lost. */
int win_lock_take(cor_win *win, int target, int is_exclusive);

#endif
