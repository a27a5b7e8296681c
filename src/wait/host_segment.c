/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the local ranks: every rank makes a segment before it knows the others; when they are known, that of
 * the host's first rank gets the size for all, and all map it. Each rank has one mapping: with one for each of its
 * peers the start of 256 ranks took twice as long. */
#define _GNU_SOURCE
#include "base/segment.h"
#include "wait/host_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOST_SEGMENT_MEMFD, HOST_SEGMENT_FILE };

enum { HOST_DYING_MS = 1000 }; /* a process that ends first closes its files, then lets its memory go */

void host_segment_create(cor_host *host)
{
    if (host->options.config->segment == HOST_SEGMENT_MEMFD) {
        host->fd = memfd_create("corunna", MFD_CLOEXEC);
        if (host->fd >= 0)
            return;
        COR_LOG(host->options.log, DEBUG, "host: no memfd (%s), using a file in /dev/shm", strerror(errno));
    }
    host->is_file = 1;
    cor_segment_file_name(host->path);
}

static const cor_host_peer *host_segment_maker(const cor_host *host)
{
    return &host->peers[0];
}

static void host_segment_drop(cor_host *host)
{
    if (host->fd >= 0)
        close(host->fd);
    host->fd = -1;
    host->path[0] = 0;
}

/* A file is made as late as this: a rank that is killed before, and that may take minutes, leaves nothing. */
int host_segment_size(cor_host *host, cor_fault *fault)
{
    if (host->me != 0) {
        host_segment_drop(host);
        return COR_OK;
    }
    if (host->is_file) {
        host->fd = cor_segment_file_open(host->path, fault);
        if (host->fd < 0)
            return COR_ERR_SYSTEM;
    }
    int cause = cor_segment_size(host->fd, host->segment_bytes, host->is_file);
    if (cause != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot size the shared segment to %zu bytes: %s",
                             host->segment_bytes, strerror(cause));
    return COR_OK;
}

static int host_segment_map_fd(cor_host *host, int fd, int flags, cor_fault *fault)
{
    void *memory = mmap(NULL, host->segment_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (memory == MAP_FAILED)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map the shared segment: %s", strerror(errno));
    host->segment = memory;
    return COR_OK;
}

int host_segment_map_private(cor_host *host, cor_fault *fault)
{
    host->is_file = 0;
    host_segment_drop(host);
    return host_segment_map_fd(host, -1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fault);
}

/* The memory is not where it should be: because its process has ended, or is about to, which takes some moments? */
static int host_segment_is_orphaned(const cor_host_peer *peer, int error)
{
    if (error != ENOENT && error != ESRCH)
        return 0;
    for (int rest_ms = HOST_DYING_MS; rest_ms > 0 && !cor_process_is_gone(peer->pid, 0); rest_ms--)
        poll(NULL, 0, 1);
    return cor_process_is_gone(peer->pid, 0);
}

static int host_segment_open(const cor_host *host, int *fd_p, cor_fault *fault)
{
    const cor_host_peer *maker = host_segment_maker(host);
    char path[COR_HOST_PATH_MAX];
    if (host->maker_path[0])
        snprintf(path, sizeof path, "%s", host->maker_path);
    else
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)maker->pid, host->maker_fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    int error = errno;
    *fd_p = fd;
    if (fd < 0 && host_segment_is_orphaned(maker, error))
        return cor_fault_set(fault, COR_ERR_PEER,
                             "rank %d is lost: its process %d on this host has ended before all ranks had mapped the "
                             "memory they share",
                             maker->rank, (int)maker->pid);
    if (fd < 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot open the segment of rank %d (%s): %s%s", maker->rank,
                             path, strerror(error), host->maker_path[0] ? "" : "; sm.segment=file does without /proc");
    return COR_OK;
}

static int host_segment_check(const cor_host *host, int fd, cor_fault *fault)
{
    struct stat facts;
    int rank = host_segment_maker(host)->rank;
    if (fstat(fd, &facts) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot stat the segment of rank %d: %s", rank,
                             strerror(errno));
    if ((size_t)facts.st_size != host->segment_bytes)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "the segment of rank %d has %lld bytes, %zu are expected",
                             rank, (long long)facts.st_size, host->segment_bytes);
    return COR_OK;
}

int host_segment_map(cor_host *host, cor_fault *fault)
{
    if (host->me == 0)
        return host_segment_map_fd(host, host->fd, MAP_SHARED, fault);
    int fd, rc = host_segment_open(host, &fd, fault);
    if (rc != COR_OK)
        return rc;
    rc = host_segment_check(host, fd, fault);
    if (rc == COR_OK)
        rc = host_segment_map_fd(host, fd, MAP_SHARED, fault);
    close(fd);
    return rc;
}

void cor_host_give_back(const cor_host *host, void *memory, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page, end = ((uintptr_t)memory + bytes) / page * page;
    int is_shared = host->process_count > 0;
    if (begin >= end || (is_shared && host->maker_path[0]))
        return;
    if (madvise((void *)begin, end - begin, is_shared ? MADV_REMOVE : MADV_DONTNEED) != 0)
        COR_LOG(host->options.log, DEBUG, "host: cannot give back %zu bytes of shared memory: %s",
                (size_t)(end - begin), strerror(errno));
}

void host_segment_bury(const cor_host *host)
{
    if (host->is_settled || host->count == 0)
        return;
    const cor_host_peer *maker = host_segment_maker(host);
    if (host->maker_path[0] && !maker->is_same_memory && cor_process_is_gone(maker->pid, 0))
        unlink(host->maker_path);
}

void host_segment_settle(cor_host *host)
{
    if (host->path[0] && host->fd >= 0)
        unlink(host->path);
    host_segment_drop(host);
    host->is_settled = 1;
}
