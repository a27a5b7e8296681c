/*
 * The lock of a rank: a futex mutex whose owner can see that somebody else wants in.
 *
 * A thread that spins for a message keeps the lock while nobody contends (a spin round then costs no atomic at all)
 * and, when it idles, hands it over if cor_lock_is_wanted(). Not recursive, not fair, not shared between processes.
 *
 * Most ranks have one thread that ever calls. A lock may favour it: until another thread comes, this one takes and
 * gives the lock with plain stores, where an atomic exchange would also wait until all it has written before has
 * reached the other cores. The first other thread ends that for good, and pays for it with a heavy fence (futex.h).
 */
#ifndef COR_BASE_LOCK_H
#define COR_BASE_LOCK_H

#include "base/cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* All zero is a free lock that favours nobody. */
typedef struct cor_lock {
    _Atomic uint32_t state;      /* 0 free, 1 held, 2 held and wanted */
    _Atomic uint32_t is_inside;  /* the favourite has the lock, or tries; written by that thread alone */
    _Atomic uintptr_t favourite; /* a thread, or 0; from a thread to 0 by whoever holds `state`, and never back */
    int is_favoured;             /* under the lock: its owner is the favourite and has not `state` */
} cor_lock;

/* Favour the calling thread, if the system can; before anybody else knows the lock. */
void cor_lock_favour(cor_lock *lock);

void cor_lock_acquire_slow(cor_lock *lock);
void cor_lock_release_slow(cor_lock *lock);
void cor_lock_disfavour(cor_lock *lock);
void cor_lock_leave_disfavoured(cor_lock *lock);

/* Try to get in as the favourite. Budget: about 3 ns. */
static inline int cor_lock_enter_favoured(cor_lock *lock)
{
    uintptr_t self = (uintptr_t)pthread_self();
    /* relaxed: nobody else writes our name here. */
    if (atomic_load_explicit(&lock->favourite, memory_order_relaxed) != self)
        return 0;
    atomic_store_explicit(&lock->is_inside, 1, memory_order_relaxed);
    /* We are inside before we look whether we may. Whoever takes our name away looks the other way round and has a
     * heavy fence in between, so that here a fence for the compiler is enough. */
    atomic_signal_fence(memory_order_seq_cst);
    if (COR_LIKELY(atomic_load_explicit(&lock->favourite, memory_order_relaxed) == self))
        return 1;
    cor_lock_leave_disfavoured(lock);
    return 0;
}

static inline void cor_lock_acquire(cor_lock *lock)
{
    if (COR_LIKELY(cor_lock_enter_favoured(lock)))
        return;
    uint32_t expected = 0;
    /* acquire: what the last owner wrote is seen by this one. */
    if (COR_UNLIKELY(!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                              memory_order_relaxed)))
        cor_lock_acquire_slow(lock);
    /* relaxed: it changes only under `state`. */
    if (COR_UNLIKELY(atomic_load_explicit(&lock->favourite, memory_order_relaxed) != 0))
        cor_lock_disfavour(lock);
}

static inline void cor_lock_release(cor_lock *lock)
{
    if (COR_LIKELY(lock->is_favoured)) {
        /* release: whoever takes our name away sees what we wrote. */
        atomic_store_explicit(&lock->is_inside, 0, memory_order_release);
        /* As in cor_lock_enter_favoured: out before we look whether somebody waits for that. */
        atomic_signal_fence(memory_order_seq_cst);
        if (COR_UNLIKELY(atomic_load_explicit(&lock->favourite, memory_order_relaxed) == 0))
            cor_lock_leave_disfavoured(lock);
        return;
    }
    /* release: the next owner sees what this one wrote. */
    if (COR_UNLIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2))
        cor_lock_release_slow(lock);
}

/* By the owner: is somebody waiting? A hint, so relaxed. Who holds `state` while the favourite is inside waits. */
static inline int cor_lock_is_wanted(cor_lock *lock)
{
    return atomic_load_explicit(&lock->state, memory_order_relaxed) +
               atomic_load_explicit(&lock->is_inside, memory_order_relaxed) >=
           2;
}

#endif
