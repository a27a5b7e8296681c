/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for processes that share a connection since a fork. Its owner is a process, since the death of one must not
 * stop the others: a process that waits takes the lock of a dead one. It lies in memory that only forked processes
 * share, never in the segment.
 */
#ifndef COR_NET_NET_LOCK_H
#define COR_NET_NET_LOCK_H

#include "base/cpu.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct net_lock {
    _Atomic uint32_t word; /* 0: free; the owner (net_who) and NET_LOCK_WANTED */
} net_lock;

#define NET_LOCK_WANTED 0x80000000u

/* A process or thread: its id, and the number of the namespace of that id, which says nothing in another one: whether
 * an owner there has ended is not known, and it is waited for. */
#define NET_WHO_ID 0x003fffffu
#define NET_WHO_SPACE 0x7fc00000u

enum { NET_SPACES = 511 };

/* Namespaces of process ids, by inode, in memory that forked processes share: the place of one, from 1 on, is its
 * number. */
typedef struct net_spaces {
    _Atomic uint32_t inodes[NET_SPACES];
} net_spaces;

/* 0: there are too many, or `inode` is 0: it is not known. */
uint32_t net_spaces_number(net_spaces *spaces, uint32_t inode);

static inline uint32_t net_who(uint32_t space, uint32_t id)
{
    return space << 22 | (id & NET_WHO_ID);
}

/* A process, or a thread of one, has ended, or is a zombie, as far as `self` can know. By system calls alone: a
 * preloaded close() takes locks. */
int net_is_gone(uint32_t who, uint32_t self);
void net_lock_acquire_slow(net_lock *lock, uint32_t self);
void net_lock_wake(net_lock *lock);

static inline void net_lock_acquire(net_lock *lock, uint32_t self)
{
    uint32_t expected = 0;
    /* acquire: this owner sees what the last one wrote. */
    if (COR_UNLIKELY(!atomic_compare_exchange_strong_explicit(&lock->word, &expected, self, memory_order_acquire,
                                                              memory_order_relaxed)))
        net_lock_acquire_slow(lock, self);
}

static inline void net_lock_release(net_lock *lock)
{
    /* release: the next owner sees what this one wrote. */
    if (COR_UNLIKELY(atomic_exchange_explicit(&lock->word, 0, memory_order_release) & NET_LOCK_WANTED))
        net_lock_wake(lock);
}

#endif
