/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "xxdev/soft/ibv/ibv_mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif
#ifndef UFFDIO_REGISTER_MODE_MINOR
#define UFFDIO_REGISTER_MODE_MINOR ((__u64)1 << 2)
#endif

/* ---- events ----------------------------------------------------------------------------------------------------- */

void ibw_mappings_remove(ibw_mappings *mappings, uintptr_t start, size_t bytes)
{
    struct uffdio_range range = {.start = start, .len = bytes};
    ioctl(mappings->fd, UFFDIO_UNREGISTER, &range); /* of what is gone there is nothing to remove */
}

/* A thread waits for a page that is missing: it goes on, with a page of zeros. */
static void mappings_fault(ibw_mappings *mappings, uintptr_t address)
{
    uintptr_t page = address & ~(mappings->page_bytes - 1);
    struct uffdio_range range = {.start = page, .len = mappings->page_bytes};
    mappings->gone(mappings->subject, page, page + mappings->page_bytes);
    if (ioctl(mappings->fd, UFFDIO_UNREGISTER, &range) != 0)
        ioctl(mappings->fd, UFFDIO_WAKE, &range);
}

static void mappings_event(ibw_mappings *mappings, const struct uffd_msg *event)
{
    uintptr_t start = event->arg.remove.start, end = event->arg.remove.end;
    uintptr_t from = event->arg.remap.from, to = event->arg.remap.to;
    size_t bytes = event->arg.remap.len;
    switch (event->event) {
    case UFFD_EVENT_UNMAP:
        mappings->gone(mappings->subject, start, end);
        break;
    case UFFD_EVENT_REMOVE:
        mappings->gone(mappings->subject, start, end);
        ibw_mappings_remove(mappings, start, end - start);
        break;
    case UFFD_EVENT_REMAP: /* the new place is watched as the old one was */
        mappings->gone(mappings->subject, from, from + bytes);
        mappings->gone(mappings->subject, to, to + bytes);
        ibw_mappings_remove(mappings, to, bytes);
        break;
    case UFFD_EVENT_PAGEFAULT:
        mappings_fault(mappings, event->arg.pagefault.address);
        break;
    default:
        break;
    }
}

/* Without allocating: this thread must never wait for an event. */
static void *mappings_main(void *argument)
{
    ibw_mappings *mappings = argument;
    struct pollfd fds[] = {{.fd = mappings->fd, .events = POLLIN}, {.fd = mappings->stop_fd, .events = POLLIN}};
    struct uffd_msg event;
    while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
        if (fds[1].revents || fds[0].revents & ~POLLIN)
            break;
        pthread_mutex_lock(mappings->lock);
        while (read(mappings->fd, &event, sizeof event) == sizeof event)
            mappings_event(mappings, &event);
        pthread_mutex_unlock(mappings->lock);
    }
    return NULL;
}

/* ---- watching --------------------------------------------------------------------------------------------------- */

static int mappings_register(ibw_mappings *mappings, uintptr_t start, size_t bytes, uint64_t mode)
{
    struct uffdio_register asked = {.range = {.start = start, .len = bytes}, .mode = mode};
    return ioctl(mappings->fd, UFFDIO_REGISTER, &asked) == 0;
}

int ibw_mappings_add(ibw_mappings *mappings, uintptr_t start, size_t bytes)
{
    /* Only shared memory and that of hugetlbfs have minor faults. */
    if (mappings_register(mappings, start, bytes, UFFDIO_REGISTER_MODE_MINOR)) {
        ibw_mappings_remove(mappings, start, bytes);
        return 0;
    }
    return mappings_register(mappings, start, bytes, mappings->mode);
}

/* The kernel refuses to fill pages while mappings change, until the event was read; else it complains of the range,
 * which is empty. */
int ibw_mappings_are_changing(const ibw_mappings *mappings)
{
    struct uffdio_zeropage nothing = {.range = {.start = 0, .len = 0}};
    return ioctl(mappings->fd, UFFDIO_ZEROPAGE, &nothing) == 0 || errno != EINVAL;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static int mappings_descriptor(int *is_user_only_p)
{
    int flags = O_CLOEXEC | O_NONBLOCK;
    *is_user_only_p = 0;
    int fd = (int)syscall(SYS_userfaultfd, flags);
    if (fd >= 0)
        return fd;
    int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    if (device >= 0) {
        fd = ioctl(device, USERFAULTFD_IOC_NEW, flags);
        close(device);
        if (fd >= 0)
            return fd;
    }
    *is_user_only_p = 1;
    return (int)syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY);
}

static int mappings_begin(ibw_mappings *mappings, int may_protect, cor_fault *fault)
{
    int is_user_only;
    struct uffdio_api api = {
        .api = UFFD_API, .features = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE};
    mappings->fd = mappings_descriptor(&is_user_only);
    if (mappings->fd < 0)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "this process may not use userfaultfd: %s", strerror(errno));
    if (ioctl(mappings->fd, UFFDIO_API, &api) != 0)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "the kernel's userfaultfd tells nothing of lost mappings: %s",
                             strerror(errno));
    int can_protect = may_protect && api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP;
    if (!can_protect && is_user_only)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "on this kernel userfaultfd needs a privilege (sysctl vm.unprivileged_userfaultfd=1, or "
                             "access to /dev/userfaultfd)");
    mappings->mode = can_protect ? UFFDIO_REGISTER_MODE_WP : UFFDIO_REGISTER_MODE_MISSING;
    mappings->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (mappings->stop_fd < 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "no event descriptor: %s", strerror(errno));
    /* Signals are for the program's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&mappings->thread, NULL, mappings_main, mappings);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "no thread to read of lost mappings: %s", strerror(error));
    return COR_OK;
}

static void mappings_free(ibw_mappings *mappings)
{
    if (mappings->stop_fd >= 0)
        close(mappings->stop_fd);
    if (mappings->fd >= 0)
        close(mappings->fd);
    free(mappings);
}

int ibw_mappings_open(pthread_mutex_t *lock, ibw_mapping_gone_fn gone, void *subject, int may_protect,
                      ibw_mappings **mappings_p, cor_fault *fault)
{
    ibw_mappings *mappings = malloc(sizeof *mappings);
    if (!mappings)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to watch mappings");
    *mappings = (ibw_mappings){.lock = lock,
                               .gone = gone,
                               .subject = subject,
                               .fd = -1,
                               .stop_fd = -1,
                               .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    int rc = mappings_begin(mappings, may_protect, fault);
    if (rc != COR_OK) {
        mappings_free(mappings);
        return rc;
    }
    *mappings_p = mappings;
    return COR_OK;
}

void ibw_mappings_close(ibw_mappings *mappings)
{
    uint64_t one = 1;
    ssize_t written = write(mappings->stop_fd, &one, sizeof one);
    if (written == sizeof one)
        pthread_join(mappings->thread, NULL);
    mappings_free(mappings);
}
