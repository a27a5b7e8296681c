/*
 * The lock of a rank: a futex mutex whose owner can see that somebody else wants in.
 *
 * A thread that spins for a message keeps the lock while nobody contends (a spin round then costs no atomic at all)
 * and, when it idles, hands it over if cor_lock_is_wanted(). Not recursive, not fair, not shared between processes.
 */
#ifndef COR_BASE_LOCK_H
#define COR_BASE_LOCK_H

#include "base/cpu.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct cor_lock {
    _Atomic uint32_t state; /* 0 free, 1 held, 2 held and wanted */
} cor_lock;

void cor_lock_acquire_slow(cor_lock *lock);
void cor_lock_release_slow(cor_lock *lock);

static inline void cor_lock_acquire(cor_lock *lock)
{
    uint32_t expected = 0;
    /* acquire: what the last owner wrote is seen by this one. */
    if (COR_UNLIKELY(!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                              memory_order_relaxed)))
        cor_lock_acquire_slow(lock);
}

static inline void cor_lock_release(cor_lock *lock)
{
    /* release: the next owner sees what this one wrote. */
    if (COR_UNLIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2))
        cor_lock_release_slow(lock);
}

/* By the owner: is somebody waiting? A hint, so relaxed. */
static inline int cor_lock_is_wanted(cor_lock *lock)
{
    return atomic_load_explicit(&lock->state, memory_order_relaxed) == 2;
}

#endif
