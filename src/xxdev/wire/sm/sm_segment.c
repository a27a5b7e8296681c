/* The memory of an inbox: made before anybody knows the others, sized when they are known, mapped by them. */
#define _GNU_SOURCE
#include "xxdev/wire/sm/sm_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SM_SEGMENT_MEMFD, SM_SEGMENT_FILE };

static int sm_segment_create_file(sm_wire *wire, cor_fault *fault)
{
    wire->is_file = 1;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(wire->path, sizeof wire->path, "/dev/shm/corunna-%d-%d-%lx", (int)getpid(), wire->options.rank,
             (unsigned long)now.tv_nsec);
    wire->fd = open(wire->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (wire->fd < 0) {
        int cause = errno;
        char path[sizeof wire->path];
        memcpy(path, wire->path, sizeof path);
        wire->path[0] = 0;
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot create the shared segment %s: %s", path, strerror(cause));
    }
    return COR_OK;
}

int sm_segment_create(sm_wire *wire, cor_fault *fault)
{
    if (wire->config.segment == SM_SEGMENT_MEMFD) {
        wire->fd = memfd_create("corunna", MFD_CLOEXEC);
        if (wire->fd >= 0)
            return COR_OK;
        COR_LOG(wire->options.log, DEBUG, "sm: no memfd (%s), using a file in /dev/shm", strerror(errno));
    }
    return sm_segment_create_file(wire, fault);
}

int sm_segment_size(sm_wire *wire, int is_private, cor_fault *fault)
{
    wire->inbox_bytes =
        sm_inbox_bytes(wire->peer_count, (size_t)wire->slot_mask + 1, (size_t)wire->ring_mask + 1);
    int cause = 0;
    if (is_private) {
        wire->is_file = 0;
        sm_segment_settle(wire);
    } else if (ftruncate(wire->fd, (off_t)wire->inbox_bytes) != 0) {
        cause = errno;
    } else if (wire->is_file) {
        /* A file system of limited size kills whoever touches more than it has: ask for the room first. */
        cause = posix_fallocate(wire->fd, 0, (off_t)wire->inbox_bytes);
    }
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

int sm_segment_map(sm_wire *wire, sm_peer *peer, cor_fault *fault)
{
    char path[96];
    if (peer->path[0])
        snprintf(path, sizeof path, "%s", peer->path);
    else
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)peer->pid, peer->fd_number);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "cannot open the segment of rank %d (%s): %s", peer->rank,
                             path, strerror(errno));
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

void sm_segment_settle(sm_wire *wire)
{
    if (wire->path[0])
        unlink(wire->path);
    wire->path[0] = 0;
    if (wire->fd >= 0)
        close(wire->fd);
    wire->fd = -1;
}
