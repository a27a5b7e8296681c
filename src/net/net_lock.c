/* SPDX-License-Identifier: Apache-2.0 */
#include "net/net_lock.h"

#include "base/futex.h"
#include "net/net_sys.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { LOCK_SPINS = 200, LOCK_LOOK_NS = 20 * 1000 * 1000, LOCK_STAT_BYTES = 1024, LOCK_PATH_MAX = 64 };

uint32_t net_spaces_number(net_spaces *spaces, uint32_t inode)
{
    for (uint32_t i = 0; inode != 0 && i < NET_SPACES; i++) {
        uint32_t seen = 0;
        if (atomic_compare_exchange_strong(&spaces->inodes[i], &seen, inode) || seen == inode)
            return i + 1;
    }
    return 0;
}

/* 0: there is none, or /proc is not readable. */
static size_t lock_read_stat(uint32_t thread, char text[LOCK_STAT_BYTES])
{
    char path[LOCK_PATH_MAX];
    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)thread);
    int fd = net_sys_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : net_sys_read(fd, text, LOCK_STAT_BYTES - 1);
    if (fd >= 0)
        net_sys_close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

int net_is_gone(uint32_t who, uint32_t self)
{
    uint32_t thread = who & NET_WHO_ID;
    char text[LOCK_STAT_BYTES], state;
    long threads;
    int saved = errno;
    if ((who & NET_WHO_SPACE) == 0 || (who & NET_WHO_SPACE) != (self & NET_WHO_SPACE))
        return 0;
    int is_gone = 0;
    const char *rest = lock_read_stat(thread, text) ? strrchr(text, ')') : NULL;
    if (rest && sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &state,
                       &threads) == 2)
        is_gone = (state == 'Z' || state == 'X') && threads <= 1;
    else
        is_gone = kill((pid_t)thread, 0) != 0 && errno == ESRCH;
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
        if (owner && owner != self && net_is_gone(owner, self) && lock_replace(lock, seen, self | NET_LOCK_WANTED))
            return;
    }
}

void net_lock_wake(net_lock *lock)
{
    int saved = errno;
    cor_futex_wake(&lock->word, 1);
    errno = saved;
}
