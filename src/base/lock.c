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

/* ---- the favourite ---------------------------------------------------------------------------------------------- */

void cor_lock_favour(cor_lock *lock)
{
    if (!cor_fence_heavy_init())
        return;
    lock->is_favoured = 1;
    /* relaxed: nobody else knows the lock. */
    atomic_store_explicit(&lock->favourite, (uintptr_t)pthread_self(), memory_order_relaxed);
}

/* By another thread, which has `state`: from now on that is all there is. Wait until the favourite is out. */
void cor_lock_disfavour(cor_lock *lock)
{
    /* relaxed: the fence orders it before the look at is_inside, and for the favourite after its own store there. */
    atomic_store_explicit(&lock->favourite, 0, memory_order_relaxed);
    int is_done = cor_fence_heavy();
    COR_ASSERT(is_done);
    /* acquire: what the favourite wrote is seen by us. */
    while (atomic_load_explicit(&lock->is_inside, memory_order_acquire))
        cor_futex_wait(&lock->is_inside, 1, 0);
    lock->is_favoured = 0;
}

/* By the thread that was the favourite, when it is out or should never have got in. */
void cor_lock_leave_disfavoured(cor_lock *lock)
{
    /* release: as in cor_lock_release. */
    atomic_store_explicit(&lock->is_inside, 0, memory_order_release);
    cor_futex_wake(&lock->is_inside, 1);
}
