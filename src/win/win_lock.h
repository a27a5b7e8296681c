/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a target: shared or exclusive, fair, in memory of its host group.
 *
 * Everybody draws a ticket, `next`. `write` counts the holders that have left, `read` those that have left and the
 * readers that have come in. An exclusive ticket is served when all before it have left: write == ticket. A shared one
 * is served when no writer is before it: read == ticket; it then lets the next one in. So nobody overtakes.
 *
 * A ticket that is not served sleeps. Before that its rank writes into the target's table of sleepers, at the place of
 * the ticket, which member is to be woken, and looks at the lock once more when its bell is armed. An agent draws
 * tickets for ranks elsewhere, but does not wait for them: it writes that it is to be sent a packet. A change of a
 * count serves at most the ticket whose number the count has reached, so the rank that has made the change wakes this
 * one and no other; of readers in a row each wakes the next. The table has a place for each member, and a member has
 * one ticket of a target, so tickets that wait do not share places; a ticket clears its place before others can get
 * on.
 *
 * A holder that dies keeps the lock: waiters notice the loss of a member and give up. The tickets of those are never
 * served, nor are any after them; after a loss a window can only be freed.
 */
#ifndef COR_WIN_LOCK_H
#define COR_WIN_LOCK_H

#include "win/win_state.h"

/* Entries of the table of sleepers: 0, or twice the member (the agent: WIN_LOCK_AGENT) and a bit for an exclusive
 * ticket. */
enum { WIN_LOCK_AGENT = 1, WIN_LOCK_MEMBER = 2 /* the first member's number */ };

static inline uint32_t win_lock_entry(int member, int is_exclusive)
{
    return ((uint32_t)member + WIN_LOCK_MEMBER) << 1 | (uint32_t)(is_exclusive != 0);
}

static inline _Atomic uint32_t *win_lock_place(const cor_win *win, int target, uint32_t ticket)
{
    return &win->targets[target].sleepers[ticket & (win->sleeper_places - 1)];
}

/* acq_rel: a place that was cleared before the ticket was drawn is cleared before its rank writes into it. */
static inline uint32_t win_lock_draw(win_control *control)
{
    return atomic_fetch_add_explicit(&control->next, 1, memory_order_acq_rel);
}

/* Draw a shared ticket only if it is served at once: nobody waits, and no writer holds the lock. acquire: what holders
 * before have written is seen. `read` is never beyond `next`, so it has not changed if `next` is still the same. */
static inline int win_lock_try_shared(win_control *control)
{
    uint32_t ticket = atomic_load_explicit(&control->read, memory_order_acquire);
    return atomic_compare_exchange_strong_explicit(&control->next, &ticket, ticket + 1, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

/* acquire: what holders before have written is seen. */
static inline int win_lock_is_served(const win_control *control, uint32_t ticket, int is_exclusive)
{
    return atomic_load_explicit(is_exclusive ? &control->write : &control->read, memory_order_acquire) == ticket;
}

/* Write who sleeps. seq_cst: seen before its rank looks at the lock for the last time. */
static inline void win_lock_put_sleeper(const cor_win *win, int target, uint32_t ticket, uint32_t entry)
{
    atomic_store_explicit(win_lock_place(win, target, ticket), entry, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

/* Before the lock is entered. relaxed: the changes of the counts that follow release it. */
static inline void win_lock_clear_sleeper(const cor_win *win, int target, uint32_t ticket)
{
    atomic_store_explicit(win_lock_place(win, target, ticket), 0, memory_order_relaxed);
}

void win_lock_wake_ticket(cor_win *win, int target, uint32_t ticket);

/* A count has reached this ticket. seq_cst: the change is seen before `next` and the table are read. */
static inline void win_lock_wake(cor_win *win, int target, uint32_t ticket)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (COR_UNLIKELY(atomic_load_explicit(&win->targets[target].control->next, memory_order_relaxed) != ticket))
        win_lock_wake_ticket(win, target, ticket);
}

/* A ticket is served: a reader lets the next one in. */
static inline void win_lock_enter(cor_win *win, int target, int is_exclusive)
{
    if (is_exclusive)
        return;
    uint32_t before = atomic_fetch_add_explicit(&win->targets[target].control->read, 1, memory_order_acq_rel);
    win_lock_wake(win, target, before + 1);
}

/* release: the next holder sees what this one has written. `read` first: a writer that comes in by `write` leaves by
 * adding to both. */
static inline void win_lock_leave(cor_win *win, int target, int is_exclusive)
{
    win_control *control = win->targets[target].control;
    if (is_exclusive)
        atomic_fetch_add_explicit(&control->read, 1, memory_order_release);
    uint32_t before = atomic_fetch_add_explicit(&control->write, 1, memory_order_release);
    win_lock_wake(win, target, before + 1);
}

/* Draw a ticket and wait, with the rank's lock held. COR_ERR_PEER: a member is lost. */
int win_lock_take(cor_win *win, int target, int is_exclusive);

#endif
