/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SEGMENT_FOLDER "/dev/shm"
#define SEGMENT_PREFIX "corunna-"
#define SEGMENT_JOB_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* ---- files ------------------------------------------------------------------------------------------------------ */

static int segment_is_job(const char *job)
{
    size_t length = strlen(job);
    return length >= 1 && length <= COR_SEGMENT_JOB_MAX && job[strspn(job, SEGMENT_JOB_CHARACTERS)] == '\0';
}

void cor_segment_file_name(char path[COR_SEGMENT_PATH_MAX])
{
    const char *job = getenv(COR_SEGMENT_JOB);
    if (!job || !segment_is_job(job))
        job = "none";
    /* Process ids are not enough: threads share one, and containers may share the folder. */
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        number = (uint32_t)now.tv_nsec;
    }
    snprintf(path, COR_SEGMENT_PATH_MAX, SEGMENT_FOLDER "/" SEGMENT_PREFIX "%s-%d-%x", job, (int)getpid(), number);
}

int cor_segment_file_open(const char *path, cor_fault *fault)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        cor_fault_set(fault, COR_ERR_SYSTEM, "cannot create the shared segment %s: %s", path, strerror(errno));
    return fd;
}

int cor_segment_sweep(const char *job)
{
    char start[sizeof SEGMENT_PREFIX + COR_SEGMENT_JOB_MAX + 1];
    DIR *folder = segment_is_job(job) ? opendir(SEGMENT_FOLDER) : NULL;
    if (!folder)
        return 0;
    snprintf(start, sizeof start, SEGMENT_PREFIX "%s-", job);
    int count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, start, strlen(start)) == 0 && unlinkat(dirfd(folder), entry->d_name, 0) == 0)
            count++;
    closedir(folder);
    return count;
}

/* ---- segments --------------------------------------------------------------------------------------------------- */

/* Address space in which memory of so many bytes has an aligned place, which is returned, or MAP_FAILED; the rest of it
 * is free again. */
static void *segment_reserve(size_t bytes, size_t alignment)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole;
    size_t used = (bytes + page - 1) / page * page;
    if (__builtin_add_overflow(used, alignment, &whole)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    char *memory = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return MAP_FAILED;
    size_t before = (alignment - (uintptr_t)memory % alignment) % alignment;
    if (before > 0)
        munmap(memory, before);
    munmap(memory + before + used, whole - before - used);
    return memory + before;
}

static int segment_map(cor_segment *segment, int fd, int flags, const cor_segment_place *place, cor_fault *fault)
{
    size_t bytes = (size_t)place->bytes, alignment = (size_t)place->alignment;
    void *wanted = NULL, *memory = MAP_FAILED;
    if (alignment > (size_t)sysconf(_SC_PAGESIZE)) {
        wanted = segment_reserve(bytes, alignment);
        flags |= MAP_FIXED;
    }
    if (wanted != MAP_FAILED)
        memory = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (memory == MAP_FAILED) {
        int cause = errno;
        if (wanted && wanted != MAP_FAILED)
            munmap(wanted, bytes);
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot map %zu bytes of a shared segment: %s", bytes,
                             strerror(cause));
    }
    segment->memory = memory;
    segment->bytes = bytes;
    return COR_OK;
}

/* Beyond the limit (ulimit -f) a signal comes before the error. It goes to this thread, which removes it. */
int cor_segment_size(int fd, size_t bytes, int wants_room)
{
    sigset_t limit, before;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int cause = ftruncate(fd, (off_t)bytes) == 0 ? 0 : errno;
    if (cause == 0 && wants_room)
        cause = posix_fallocate(fd, 0, (off_t)bytes);
    if (cause == EFBIG && !sigismember(&before, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return cause;
}

static int segment_set_size(const cor_segment *segment, size_t bytes, cor_fault *fault)
{
    int cause = cor_segment_size(segment->place.fd, bytes, segment->place.path[0] != 0);
    if (cause != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot size a shared segment to %zu bytes: %s", bytes,
                             strerror(cause));
    return COR_OK;
}

int cor_segment_create(cor_segment *segment, size_t bytes, size_t alignment, int wants_file, cor_fault *fault)
{
    *segment = (cor_segment){.place = {.bytes = bytes, .alignment = alignment, .pid = getpid()}};
    int fd = wants_file ? -1 : memfd_create("corunna", MFD_CLOEXEC);
    if (fd < 0) {
        cor_segment_file_name(segment->place.path);
        fd = cor_segment_file_open(segment->place.path, fault);
    }
    if (fd < 0)
        return COR_ERR_SYSTEM;
    segment->place.fd = fd;
    segment->is_open = 1;
    int rc = segment_set_size(segment, bytes, fault);
    if (rc == COR_OK)
        rc = segment_map(segment, fd, MAP_SHARED, &segment->place, fault);
    if (rc != COR_OK)
        cor_segment_close(segment);
    return rc;
}

int cor_segment_create_private(cor_segment *segment, size_t bytes, size_t alignment, cor_fault *fault)
{
    *segment = (cor_segment){.place = {.bytes = bytes, .alignment = alignment}};
    return segment_map(segment, -1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, &segment->place, fault);
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
        rc = cor_fault_set(fault, COR_ERR_SYSTEM, "the shared segment %s does not have the expected %llu bytes", path,
                           (unsigned long long)place->bytes);
    if (rc == COR_OK)
        rc = segment_map(segment, fd, MAP_SHARED, place, fault);
    close(fd);
    return rc;
}

void cor_segment_unlink(cor_segment *segment)
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
    cor_segment_unlink(segment);
    *segment = (cor_segment){0};
}
