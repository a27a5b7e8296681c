/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a rank: a futex mutex whose owner can see that another thread wants it.
 *
 * A thread that spins for a message keeps the lock while no other thread contends (a spin round then costs no atomic
 * at all) and, when it idles, hands it over if cor_lock_is_wanted(). The lock is not recursive, not fair, not shared
 * between processes.
 *
 * Most ranks are called by one thread only. The lock can be biased towards it: until another thread uses it, this one
 * acquires and releases the lock with plain stores, where an atomic exchange would also wait until all its earlier
 * stores have reached the other cores. The first other thread ends the bias for good, and pays for it with a heavy
 * fence (futex.h).
 */
#ifndef COR_BASE_LOCK_H
#define COR_BASE_LOCK_H

#include "base/cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* All zero is a free lock without bias. */
typedef struct cor_lock {
    _Atomic uint32_t state;          /* 0 free, 1 held, 2 held and wanted */
    _Atomic uint32_t is_inside;      /* the biased thread has the lock, or tries to; only that thread writes it */
    _Atomic uintptr_t biased_thread; /* a thread, or 0; set to 0 by a holder of `state`, and never back */
    int is_biased;                   /* under the lock: its owner is the biased thread and does not hold `state` */
} cor_lock;

/* Bias the lock towards the calling thread, if the system supports it; before another thread uses the lock. */
void cor_lock_bias(cor_lock *lock);

void cor_lock_acquire_slow(cor_lock *lock);
void cor_lock_release_slow(cor_lock *lock);
void cor_lock_unbias(cor_lock *lock);
void cor_lock_leave_unbiased(cor_lock *lock);

/* Try to acquire as the biased thread. Budget: about 3 ns. */
static inline int cor_lock_enter_biased(cor_lock *lock)
{
    uintptr_t self = (uintptr_t)pthread_self();
    /* relaxed: no other thread stores this thread's id here. */
    if (atomic_load_explicit(&lock->biased_thread, memory_order_relaxed) != self)
        return 0;
    atomic_store_explicit(&lock->is_inside, 1, memory_order_relaxed);
    /* Store is_inside before reading the bias again. The thread that ends the bias does both in the opposite order,
     * with a heavy fence in between, so that a compiler fence is enough here. */
    atomic_signal_fence(memory_order_seq_cst);
    if (COR_LIKELY(atomic_load_explicit(&lock->biased_thread, memory_order_relaxed) == self))
        return 1;
    cor_lock_leave_unbiased(lock);
    return 0;
}

static inline void cor_lock_acquire(cor_lock *lock)
{
    if (COR_LIKELY(cor_lock_enter_biased(lock)))
        return;
    uint32_t expected = 0;
    /* acquire: this owner sees what the last one wrote. */
    if (COR_UNLIKELY(!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                              memory_order_relaxed)))
        cor_lock_acquire_slow(lock);
    /* relaxed: it changes only under `state`. */
    if (COR_UNLIKELY(atomic_load_explicit(&lock->biased_thread, memory_order_relaxed) != 0))
        cor_lock_unbias(lock);
}

/* Acquire it if that takes no waiting. Returns 1 if it was acquired. Ending the bias of another thread is a wait, but
 * only once. */
static inline int cor_lock_try(cor_lock *lock)
{
    uint32_t expected = 0;
    if (COR_LIKELY(cor_lock_enter_biased(lock)))
        return 1;
    if (COR_UNLIKELY(atomic_load_explicit(&lock->biased_thread, memory_order_relaxed) != 0)) {
        cor_lock_acquire(lock);
        return 1;
    }
    /* acquire: this owner sees what the last one wrote. */
    return atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline void cor_lock_release(cor_lock *lock)
{
    if (COR_LIKELY(lock->is_biased)) {
        /* release: the thread that ends the bias sees what this one wrote. */
        atomic_store_explicit(&lock->is_inside, 0, memory_order_release);
        /* As in cor_lock_enter_biased: out before reading whether a thread waits for that. */
        atomic_signal_fence(memory_order_seq_cst);
        if (COR_UNLIKELY(atomic_load_explicit(&lock->biased_thread, memory_order_relaxed) == 0))
            cor_lock_leave_unbiased(lock);
        return;
    }
    /* release: the next owner sees what this one wrote. */
    if (COR_UNLIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2))
        cor_lock_release_slow(lock);
}

/* By the owner: is another thread waiting? A hint, so relaxed. A thread that holds `state` while the biased one is
 * inside waits. */
static inline int cor_lock_is_wanted(cor_lock *lock)
{
    return atomic_load_explicit(&lock->state, memory_order_relaxed) +
               atomic_load_explicit(&lock->is_inside, memory_order_relaxed) >=
           2;
}

#endif
