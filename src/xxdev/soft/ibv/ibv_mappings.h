/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notification of mappings that change: memory that the program, its C library or a JVM unmaps, moves or discards.
 *
 * The kernel notifies by userfaultfd, for calls from any library; a munmap() of Corunna's own instead of the C
 * library's would miss the calls inside the C library and those of libraries that were loaded first. Each change is an
 * event. The call that changes the mapping returns only when the event was read; a thread reads events under the
 * caller's lock and calls `gone` under it. So what the caller looks up under the same lock is current if
 * ibw_mappings_are_changing() returns 0: between the change and its event another thread may already have mapped the
 * same addresses.
 *
 * userfaultfd reports events only for memory whose page faults it handles as well. It has two modes:
 *
 *   writes     faults on write-protected pages. No page is ever protected, so there are no faults. Preferred.
 *   missing    faults on missing pages, where the kernel does not have the first mode (arm64 before Linux 6.10).
 *              Watched memory is registered, so no page of it is missing, except after it was discarded: then the range
 *              is no longer watched, and the kernel resolves the fault. A system call that touches such a page in
 *              between fails unless userfaultfd handles faults of the kernel, for which a process needs a privilege.
 *              Without that privilege there is no notification.
 *
 * Only private anonymous memory is watched. Shared memory may be truncated by another process, which is not reported,
 * and files cannot be watched.
 *
 * After a fork nothing in the child is watched; the parent is unaffected.
 */
#ifndef COR_IBV_MAPPINGS_H
#define COR_IBV_MAPPINGS_H

#include "base/error.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Called under the lock; must not allocate, free or unmap, since the calling thread would deadlock. */
typedef void (*ibw_mapping_gone_fn)(void *subject, uintptr_t start, uintptr_t end);

typedef struct ibw_mappings {
    pthread_mutex_t *lock;
    ibw_mapping_gone_fn gone;
    void *subject;
    int fd, stop_fd;
    uint64_t mode; /* UFFDIO_REGISTER_MODE_... */
    size_t page_bytes;
    pthread_t thread;
} ibw_mappings;

/* `lock` and `gone` outlive it. may_protect 0: use missing pages even where write protection works, for tests. The
 * fault of a failure says why there is no notification. Starts a thread. */
int ibw_mappings_open(pthread_mutex_t *lock, ibw_mapping_gone_fn gone, void *subject, int may_protect,
                      ibw_mappings **mappings_p, cor_fault *fault);
void ibw_mappings_close(ibw_mappings *mappings);

/* Whole pages, all of them in memory. 0: they cannot be watched, or something else watches them. */
int ibw_mappings_add(ibw_mappings *mappings, uintptr_t start, size_t bytes);
void ibw_mappings_remove(ibw_mappings *mappings, uintptr_t start, size_t bytes);

/* Has some watched mapping changed for which `gone` was not called yet? Under the lock. */
int ibw_mappings_are_changing(const ibw_mappings *mappings);

#endif
