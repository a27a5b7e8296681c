#define _GNU_SOURCE
#include "base/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The address makes the name unlike that of any other segment this process has under way. */
static int segment_open_file(cor_segment *segment, cor_fault *fault)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char *path = segment->place.path;
    snprintf(path, sizeof segment->place.path, "/dev/shm/corunna-%d-%lx-%lx", (int)getpid(),
             (unsigned long)(uintptr_t)segment, (unsigned long)now.tv_nsec);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        cor_fault_set(fault, COR_ERR_SYSTEM, "cannot create the shared segment %s: %s", path, strerror(errno));
        path[0] = 0;
    }
    return fd;
}

static int segment_map(cor_segment *segment, int fd, int flags, size_t bytes, cor_fault *fault)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (memory == MAP_FAILED)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map %zu bytes of a shared segment: %s", bytes,
                             strerror(errno));
    segment->memory = memory;
    segment->bytes = bytes;
    return COR_OK;
}

/* A file system of limited size kills whoever touches more than it has: there, ask for the room first. */
static int segment_size(const cor_segment *segment, size_t bytes, cor_fault *fault)
{
    int fd = segment->place.fd;
    int cause = ftruncate(fd, (off_t)bytes) == 0 ? 0 : errno;
    if (cause == 0 && segment->place.path[0])
        cause = posix_fallocate(fd, 0, (off_t)bytes);
    if (cause != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot size a shared segment to %zu bytes: %s", bytes,
                             strerror(cause));
    return COR_OK;
}

int cor_segment_create(cor_segment *segment, size_t bytes, int wants_file, cor_fault *fault)
{
    *segment = (cor_segment){.place = {.bytes = bytes, .pid = getpid()}};
    int fd = wants_file ? -1 : memfd_create("corunna", MFD_CLOEXEC);
    if (fd < 0)
        fd = segment_open_file(segment, fault);
    if (fd < 0)
        return COR_ERR_SYSTEM;
    segment->place.fd = fd;
    segment->is_open = 1;
    int rc = segment_size(segment, bytes, fault);
    if (rc == COR_OK)
        rc = segment_map(segment, fd, MAP_SHARED, bytes, fault);
    if (rc != COR_OK)
        cor_segment_close(segment);
    return rc;
}

int cor_segment_create_private(cor_segment *segment, size_t bytes, cor_fault *fault)
{
    *segment = (cor_segment){0};
    return segment_map(segment, -1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, bytes, fault);
}

int cor_segment_open(cor_segment *segment, const cor_segment_place *place, cor_fault *fault)
{
    *segment = (cor_segment){0};
    char path[sizeof place->path + 1];
    if (place->path[0])
        snprintf(path, sizeof path, "%.*s", (int)sizeof place->path, place->path);
    else
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)place->pid, (int)place->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot open the shared segment %s: %s", path, strerror(errno));
    struct stat facts;
    int rc = COR_OK;
    if (fstat(fd, &facts) != 0 || (uint64_t)facts.st_size != place->bytes)
        rc = cor_fault_set(fault, COR_ERR_SYSTEM, "the shared segment %s has not the %llu bytes it should have", path,
                           (unsigned long long)place->bytes);
    if (rc == COR_OK)
        rc = segment_map(segment, fd, MAP_SHARED, (size_t)place->bytes, fault);
    close(fd);
    return rc;
}

void cor_segment_settle(cor_segment *segment)
{
    if (!segment->is_open)
        return;
    if (segment->place.path[0])
        unlink(segment->place.path);
    close(segment->place.fd);
    segment->is_open = 0;
}

void cor_segment_close(cor_segment *segment)
{
    if (segment->memory)
        munmap(segment->memory, segment->bytes);
    cor_segment_settle(segment);
    *segment = (cor_segment){0};
}
