/* SPDX-License-Identifier: Apache-2.0 */
#include "net/net_lock.h"

#include "base/futex.h"
#include "base/process.h"

#include <errno.h>

enum { LOCK_SPINS = 200, LOCK_LOOK_NS = 20 * 1000 * 1000 };

int net_who_is_gone(uint32_t who, uint32_t self)
{
    int saved = errno;
    int is_gone = (who & NET_WHO_SPACE) != 0 && (who & NET_WHO_SPACE) == (self & NET_WHO_SPACE) &&
                  cor_process_is_gone((pid_t)(who & NET_WHO_ID), 0);
    errno = saved;
    return is_gone;
}

static int lock_replace(net_lock *lock, uint32_t expected, uint32_t value)
{
    /* acquire: as in net_lock_acquire. */
    return atomic_compare_exchange_strong_explicit(&lock->word, &expected, value, memory_order_acquire,
                                                   memory_order_relaxed);
}

void net_lock_acquire_slow(net_lock *lock, uint32_t self)
{
    for (int i = 0; i < LOCK_SPINS; i++) {
        cor_cpu_relax();
        if (atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 && lock_replace(lock, 0, self))
            return;
    }
    for (;;) {
        uint32_t seen = atomic_load_explicit(&lock->word, memory_order_relaxed);
        if (seen == 0) {
            /* Others may wait as well: the release looks for them. */
            if (lock_replace(lock, 0, self | NET_LOCK_WANTED))
                return;
            continue;
        }
        if (!(seen & NET_LOCK_WANTED) && !lock_replace(lock, seen, seen | NET_LOCK_WANTED))
            continue;
        int saved = errno;
        cor_futex_wait(&lock->word, seen | NET_LOCK_WANTED, LOCK_LOOK_NS);
        errno = saved;
        seen = atomic_load_explicit(&lock->word, memory_order_relaxed);
        uint32_t owner = seen & ~NET_LOCK_WANTED;
        if (owner && owner != self && net_who_is_gone(owner, self) && lock_replace(lock, seen, self | NET_LOCK_WANTED))
            return;
    }
}

void net_lock_wake(net_lock *lock)
{
    int saved = errno;
    cor_futex_wake(&lock->word, 1);
    errno = saved;
}
