/* The memory of an inbox: made before anybody knows the others, sized when they are known, mapped by them. */
#define _GNU_SOURCE
#include "base/segment.h"
#include "xxdev/wire/sm/sm_state.h"

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

/* A file is made as late as this: whoever is killed before, and that may take minutes, leaves nothing. */
int sm_segment_size(sm_wire *wire, int is_private, cor_fault *fault)
{
    wire->inbox_bytes = sm_inbox_bytes(wire->peer_count, (size_t)wire->slot_mask + 1, (size_t)wire->ring_mask + 1);
    if (is_private) {
        wire->is_file = 0;
        sm_segment_settle(wire);
    } else if (wire->is_file) {
        wire->fd = cor_segment_file_open(wire->path, fault);
        if (wire->fd < 0)
            return COR_ERR_SYSTEM;
    }
    int cause = is_private ? 0 : cor_segment_size(wire->fd, wire->inbox_bytes, wire->is_file);
    if (cause != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot size the shared segment to %zu bytes: %s",
                             wire->inbox_bytes, strerror(cause));
    int flags = is_private ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *memory = mmap(NULL, wire->inbox_bytes, PROT_READ | PROT_WRITE, flags, is_private ? -1 : wire->fd, 0);
    if (memory == MAP_FAILED) {
        wire->inbox_bytes = 0;
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map the shared segment: %s", strerror(errno));
    }
    wire->inbox = memory;
    return COR_OK;
}

static int sm_segment_check(const sm_wire *wire, const sm_peer *peer, cor_fault *fault)
{
    const sm_inbox *inbox = peer->inbox;
    if (inbox->version != SM_VERSION || inbox->slots != wire->slot_mask + 1 ||
        inbox->ring_bytes != wire->ring_mask + 1 || inbox->channels != (uint32_t)wire->peer_count)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d has other settings: sm version %u (ours %d), sm.slots %u (%u), sm.ring %llu "
                             "(%llu), %u local ranks (%d)",
                             peer->rank, inbox->version, SM_VERSION, inbox->slots, wire->slot_mask + 1,
                             (unsigned long long)inbox->ring_bytes, (unsigned long long)wire->ring_mask + 1,
                             inbox->channels, wire->peer_count);
    return COR_OK;
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

int sm_segment_map(sm_wire *wire, sm_peer *peer, cor_fault *fault)
{
    char path[96];
    if (peer->path[0])
        snprintf(path, sizeof path, "%s", peer->path);
    else
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)peer->pid, peer->fd_number);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    int error = errno;
    if (fd < 0 && sm_segment_is_orphaned(peer, error))
        return cor_fault_set(fault, COR_ERR_PEER,
                             "rank %d is lost: its process %d on this host has ended before all ranks had mapped each "
                             "other's memory",
                             peer->rank, (int)peer->pid);
    if (fd < 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot open the segment of rank %d (%s): %s%s", peer->rank,
                             path, strerror(error), peer->path[0] ? "" : "; sm.segment=file does without /proc");
    struct stat facts;
    if (fstat(fd, &facts) != 0) {
        int cause = errno;
        close(fd);
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot look at the segment of rank %d: %s", peer->rank,
                             strerror(cause));
    }
    if ((size_t)facts.st_size < wire->inbox_bytes) {
        close(fd);
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "the segment of rank %d has %lld bytes, %zu are expected",
                             peer->rank, (long long)facts.st_size, wire->inbox_bytes);
    }
    void *memory = mmap(NULL, wire->inbox_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int cause = errno;
    close(fd);
    if (memory == MAP_FAILED)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map the segment of rank %d: %s", peer->rank,
                             strerror(cause));
    peer->inbox = memory;
    peer->mapped_bytes = wire->inbox_bytes;
    return sm_segment_check(wire, peer, fault);
}

void sm_segment_bury(const sm_wire *wire)
{
    int is_settled = wire->fd < 0 && !wire->path[0];
    for (int i = 0; !is_settled && i < wire->peer_count; i++) {
        const sm_peer *peer = &wire->peers[i];
        if (peer->path[0] && !peer->is_same_memory && cor_process_is_gone(peer->pid, 0))
            unlink(peer->path);
    }
}

void sm_segment_settle(sm_wire *wire)
{
    if (wire->path[0] && wire->fd >= 0)
        unlink(wire->path);
    wire->path[0] = 0;
    if (wire->fd >= 0)
        close(wire->fd);
    wire->fd = -1;
}
