/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* From linux/membarrier.h, which older kernel headers lack. */
enum { FENCE_GLOBAL_EXPEDITED = 1 << 1, FENCE_REGISTER_GLOBAL_EXPEDITED = 1 << 2 };

void cor_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    struct timespec limit = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT, expected, timeout_ns ? &limit : NULL, NULL, 0);
}

/* From newer kernel headers. */
enum { FUTEX_SYS_WAITV = 449, FUTEX_SIZE_32 = 2 };

typedef struct futex_one {
    uint64_t expected, word;
    uint32_t flags, reserved;
} futex_one;

void cor_futex_wait_as_call(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    futex_one one = {expected, (uintptr_t)word, FUTEX_SIZE_32, 0};
    struct timespec limit = {0, 0};
    if (timeout_ns) {
        clock_gettime(CLOCK_MONOTONIC, &limit);
        uint64_t end_ns = (uint64_t)limit.tv_nsec + timeout_ns;
        limit.tv_sec += (time_t)(end_ns / 1000000000u);
        limit.tv_nsec = (long)(end_ns % 1000000000u);
    }
    errno = 0;
    /* Unlike a wait of one futex that has a limit, this one is begun again after a handler with SA_RESTART. */
    if (syscall(FUTEX_SYS_WAITV, &one, 1, 0, timeout_ns ? &limit : NULL, CLOCK_MONOTONIC) < 0 &&
        (errno == ENOSYS || errno == EPERM)) {
        errno = 0;
        cor_futex_wait(word, expected, timeout_ns);
    }
}

int cor_futex_can_wait_as_call(void)
{
    int saved = errno;
    /* Of no word at all: a system that knows the call refuses that. */
    int can_wait = syscall(FUTEX_SYS_WAITV, NULL, 0, 0, NULL, CLOCK_MONOTONIC) < 0 && errno == EINVAL;
    errno = saved;
    return can_wait;
}

void cor_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

int cor_fence_heavy_init(void)
{
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, FENCE_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
#else
    return 0;
#endif
}

int cor_fence_heavy(void)
{
    int is_done = 0;
#ifdef SYS_membarrier
    is_done = syscall(SYS_membarrier, FENCE_GLOBAL_EXPEDITED, 0, 0) == 0;
#endif
    /* Also for this thread, and for the compiler: what follows is read after what precedes is visible. */
    atomic_thread_fence(memory_order_seq_cst);
    return is_done;
}
