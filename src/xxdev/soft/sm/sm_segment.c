/* The memory of the inboxes: every rank makes a segment before it knows the others; when they are known, that of the
 * host's first rank gets room for all, and all map it. One mapping a rank: with one for each of its peers the start of
 * 256 ranks took twice as long. */
#define _GNU_SOURCE
#include "base/segment.h"
#include "xxdev/soft/sm/sm_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SM_SEGMENT_MEMFD, SM_SEGMENT_FILE };

enum { SM_DYING_MS = 1000 }; /* a process that ends first closes its files, then lets its memory go */

void sm_segment_create(sm_wire *wire)
{
    if (wire->config.segment == SM_SEGMENT_MEMFD) {
        wire->fd = memfd_create("corunna", MFD_CLOEXEC);
        if (wire->fd >= 0)
            return;
        COR_LOG(wire->options.log, DEBUG, "sm: no memfd (%s), using a file in /dev/shm", strerror(errno));
    }
    wire->is_file = 1;
    cor_segment_file_name(wire->path);
}

static const sm_peer *sm_segment_maker(const sm_wire *wire)
{
    return &wire->peers[0];
}

static void sm_segment_drop(sm_wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    wire->fd = -1;
    wire->path[0] = 0;
}

/* A file is made as late as this: whoever is killed before, and that may take minutes, leaves nothing. */
int sm_segment_size(sm_wire *wire, cor_fault *fault)
{
    if (wire->me != 0) {
        sm_segment_drop(wire);
        return COR_OK;
    }
    if (wire->is_file) {
        wire->fd = cor_segment_file_open(wire->path, fault);
        if (wire->fd < 0)
            return COR_ERR_SYSTEM;
    }
    int cause = cor_segment_size(wire->fd, wire->segment_bytes, wire->is_file);
    if (cause != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot size the shared segment to %zu bytes: %s",
                             wire->segment_bytes, strerror(cause));
    return COR_OK;
}

static int sm_segment_map_fd(sm_wire *wire, int fd, int flags, cor_fault *fault)
{
    void *memory = mmap(NULL, wire->segment_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (memory == MAP_FAILED)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map the shared segment: %s", strerror(errno));
    wire->segment = memory;
    return COR_OK;
}

int sm_segment_map_private(sm_wire *wire, cor_fault *fault)
{
    wire->is_file = 0;
    sm_segment_drop(wire);
    return sm_segment_map_fd(wire, -1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fault);
}

/* The memory is not where it should be: because its process has ended, or is about to, which takes some moments? */
static int sm_segment_is_orphaned(const sm_peer *peer, int error)
{
    if (error != ENOENT && error != ESRCH)
        return 0;
    for (int rest_ms = SM_DYING_MS; rest_ms > 0 && !cor_process_is_gone(peer->pid, 0); rest_ms--)
        poll(NULL, 0, 1);
    return cor_process_is_gone(peer->pid, 0);
}

static int sm_segment_open(const sm_peer *maker, int *fd_p, cor_fault *fault)
{
    char path[96];
    if (maker->path[0])
        snprintf(path, sizeof path, "%s", maker->path);
    else
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)maker->pid, maker->fd_number);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    int error = errno;
    *fd_p = fd;
    if (fd < 0 && sm_segment_is_orphaned(maker, error))
        return cor_fault_set(fault, COR_ERR_PEER,
                             "rank %d is lost: its process %d on this host has ended before all ranks had mapped the "
                             "memory they share",
                             maker->rank, (int)maker->pid);
    if (fd < 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot open the segment of rank %d (%s): %s%s", maker->rank,
                             path, strerror(error), maker->path[0] ? "" : "; sm.segment=file does without /proc");
    return COR_OK;
}

static int sm_segment_check(const sm_wire *wire, int fd, cor_fault *fault)
{
    struct stat facts;
    int rank = sm_segment_maker(wire)->rank;
    if (fstat(fd, &facts) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot look at the segment of rank %d: %s", rank,
                             strerror(errno));
    if ((size_t)facts.st_size != wire->segment_bytes)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "the segment of rank %d has %lld bytes, %zu are expected",
                             rank, (long long)facts.st_size, wire->segment_bytes);
    return COR_OK;
}

int sm_segment_map(sm_wire *wire, cor_fault *fault)
{
    if (wire->me == 0)
        return sm_segment_map_fd(wire, wire->fd, MAP_SHARED, fault);
    int fd, rc = sm_segment_open(sm_segment_maker(wire), &fd, fault);
    if (rc != COR_OK)
        return rc;
    rc = sm_segment_check(wire, fd, fault);
    if (rc == COR_OK)
        rc = sm_segment_map_fd(wire, fd, MAP_SHARED, fault);
    close(fd);
    return rc;
}

void sm_segment_bury(const sm_wire *wire)
{
    if (wire->is_settled || wire->peer_count == 0)
        return;
    const sm_peer *maker = sm_segment_maker(wire);
    if (maker->path[0] && !maker->is_same_memory && cor_process_is_gone(maker->pid, 0))
        unlink(maker->path);
}

void sm_segment_settle(sm_wire *wire)
{
    if (wire->path[0] && wire->fd >= 0)
        unlink(wire->path);
    sm_segment_drop(wire);
    wire->is_settled = 1;
}
