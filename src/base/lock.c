#include "base/lock.h"

#include "base/futex.h"

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
