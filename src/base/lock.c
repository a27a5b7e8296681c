/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#include "base/futex.h"
#include "base/log.h"

void cor_lock_acquire_slow(cor_lock *lock)
{
    /* Mark the lock wanted and sleep until it was free at the moment of marking. Taking it in state 2 wakes one
     * sleeper too many at worst. acquire: as in the fast path. */
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        cor_futex_wait(&lock->state, 2, 0);
}

void cor_lock_release_slow(cor_lock *lock)
{
    cor_futex_wake(&lock->state, 1);
}

/* ---- bias ------------------------------------------------------------------------------------------------------- */

void cor_lock_bias(cor_lock *lock)
{
    if (!cor_fence_heavy_init())
        return;
    lock->is_biased = 1;
    /* relaxed: no other thread knows the lock. */
    atomic_store_explicit(&lock->biased_thread, (uintptr_t)pthread_self(), memory_order_relaxed);
}

/* By another thread, which holds `state`: end the bias for good. Wait until the biased thread is out. */
void cor_lock_unbias(cor_lock *lock)
{
    /* relaxed: the fence orders it before the read of is_inside, and for the biased thread after its own store there.
     */
    atomic_store_explicit(&lock->biased_thread, 0, memory_order_relaxed);
    int is_done = cor_fence_heavy();
    COR_ASSERT(is_done);
    /* acquire: this thread sees what the biased thread wrote. */
    while (atomic_load_explicit(&lock->is_inside, memory_order_acquire))
        cor_futex_wait(&lock->is_inside, 1, 0);
    lock->is_biased = 0;
}

/* By the formerly biased thread, when it leaves or finds the bias ended. */
void cor_lock_leave_unbiased(cor_lock *lock)
{
    /* release: as in cor_lock_release. */
    atomic_store_explicit(&lock->is_inside, 0, memory_order_release);
    cor_futex_wake(&lock->is_inside, 1);
}
