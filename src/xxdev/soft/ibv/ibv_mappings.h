/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notice of mappings that change: memory that the program, its C library or a JVM unmaps, moves or discards.
 *
 * The kernel tells by userfaultfd, for calls from any library; an own munmap() in place of the C library's would see
 * neither the calls inside the C library nor those of libraries that were loaded first. Each change is an event. The
 * call that changes the mapping returns only when the event was read, and a thread reads events under a lock of the
 * caller's and calls `gone` under it. What the caller looks up under the same lock is therefore right, if
 * ibw_mappings_are_changing() says no: between the change and its event another thread may already have mapped the same
 * addresses.
 *
 * userfaultfd tells of events only for memory whose page faults it handles as well. Which of them:
 *
 *   writes     to pages that are protected against them. None ever is, so no fault is seen. Preferred.
 *   missing    pages, where the kernel has none of these (arm64 before Linux 6.10). Watched memory is registered, so no
 *              page of it is missing, except after it was discarded: then the range is watched no longer, which lets
 *              the fault go on. A system call that touches such a page in between fails if faults of the kernel are not
 *              handled, and for that a process needs a privilege. Without it there is no notice.
 *
 * Only private anonymous memory is watched. Shared memory may be cut by another process, of which nothing is told, and
 * files cannot be watched.
 *
 * After a fork nothing in the child is watched; in the parent all goes on.
 */
#ifndef COR_IBV_MAPPINGS_H
#define COR_IBV_MAPPINGS_H

#include "base/error.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Called under the lock; must not allocate, free or unmap, since the calling thread would wait for itself. */
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

/* `lock` and `gone` outlive it. may_protect 0: watch for missing pages even where there is better, for tests. A failure
 * says why there is no notice. Starts a thread. */
int ibw_mappings_open(pthread_mutex_t *lock, ibw_mapping_gone_fn gone, void *subject, int may_protect,
                      ibw_mappings **mappings_p, cor_fault *fault);
void ibw_mappings_close(ibw_mappings *mappings);

/* Whole pages, all of them in memory. 0: they cannot be watched, or another watches them. */
int ibw_mappings_add(ibw_mappings *mappings, uintptr_t start, size_t bytes);
void ibw_mappings_remove(ibw_mappings *mappings, uintptr_t start, size_t bytes);

/* Has some mapping that is watched changed, of which `gone` has not been told? Under the lock. */
int ibw_mappings_are_changing(const ibw_mappings *mappings);

#endif
