/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "failing_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t failing_lock = PTHREAD_MUTEX_INITIALIZER;
static char failing_folder[PATH_MAX];
static failing_kind failing_which;
static int failing_next, failing_many, failing_error, failing_count;

void failing_arm(const char *folder, failing_kind kind, int n, int many, int error)
{
    pthread_mutex_lock(&failing_lock);
    if (!realpath(folder, failing_folder))
        failing_folder[0] = '\0';
    failing_which = kind;
    failing_next = n;
    failing_many = many;
    failing_error = error;
    failing_count = 0;
    pthread_mutex_unlock(&failing_lock);
}

int failing_disarm(void)
{
    pthread_mutex_lock(&failing_lock);
    int count = failing_count;
    failing_next = 0;
    pthread_mutex_unlock(&failing_lock);
    return count;
}

static int failing_is_below(int fd)
{
    char link[64], path[PATH_MAX];
    size_t length = strlen(failing_folder);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t bytes = readlink(link, path, sizeof path - 1);
    return length > 0 && bytes > (ssize_t)length && memcmp(path, failing_folder, length) == 0;
}

/* 0: the call is made as it is; else the errno, or FAILING_SHORT. */
static int failing_now(failing_kind kind, int fd)
{
    int error = 0, saved = errno;
    pthread_mutex_lock(&failing_lock);
    if (failing_next > 0 && kind == failing_which && failing_is_below(fd)) {
        if (failing_next > 1) {
            failing_next--;
        } else if (failing_many > 0) {
            failing_many--;
            failing_count++;
            error = failing_error;
        }
    }
    pthread_mutex_unlock(&failing_lock);
    errno = saved;
    return error;
}

/* The C library's own, or that of a sanitizer. */
static void *failing_real(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        abort();
    return function;
}

#define REAL(name) ((__typeof__(&name))failing_real(#name))

static size_t failing_half(size_t bytes)
{
    return bytes > 1 ? bytes / 2 : bytes;
}

static int failing_set(int error)
{
    errno = error;
    return -1;
}

/* In front of the C library's. */
#pragma GCC visibility push(default)

#define FAILING_MOVE(name, kind, buffer_type)                                                                         \
    ssize_t name(int fd, buffer_type buffer, size_t bytes, off_t offset)                                              \
    {                                                                                                                 \
        int error = failing_now(kind, fd);                                                                            \
        if (error > 0)                                                                                                \
            return failing_set(error);                                                                                \
        return REAL(name)(fd, buffer, error == FAILING_SHORT ? failing_half(bytes) : bytes, offset);                  \
    }
#define FAILING_MOVE_VECTOR(name, kind, ...)                                                                          \
    {                                                                                                                 \
        int error = failing_now(kind, fd);                                                                            \
        if (error > 0)                                                                                                \
            return failing_set(error);                                                                                \
        struct iovec first = vector[0];                                                                               \
        first.iov_len = failing_half(first.iov_len);                                                                  \
        return error == FAILING_SHORT ? REAL(name)(fd, &first, 1, __VA_ARGS__)                                        \
                                      : REAL(name)(fd, vector, count, __VA_ARGS__);                                   \
    }

FAILING_MOVE(pwrite, FAILING_WRITE, const void *)
FAILING_MOVE(pread, FAILING_READ, void *)
FAILING_MOVE(pwrite64, FAILING_WRITE, const void *)
FAILING_MOVE(pread64, FAILING_READ, void *)

ssize_t pwritev(int fd, const struct iovec *vector, int count, off_t offset)
    FAILING_MOVE_VECTOR(pwritev, FAILING_WRITE, offset) ssize_t
    preadv(int fd, const struct iovec *vector, int count, off_t offset)
        FAILING_MOVE_VECTOR(preadv, FAILING_READ, offset) ssize_t
    pwritev2(int fd, const struct iovec *vector, int count, off_t offset, int flags)
        FAILING_MOVE_VECTOR(pwritev2, FAILING_WRITE, offset, flags) ssize_t
    preadv2(int fd, const struct iovec *vector, int count, off_t offset, int flags)
        FAILING_MOVE_VECTOR(preadv2, FAILING_READ, offset, flags)

            int fsync(int fd)
{
    int error = failing_now(FAILING_SYNC, fd);
    return error > 0 ? failing_set(error) : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
    int error = failing_now(FAILING_SYNC, fd);
    return error > 0 ? failing_set(error) : REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t size)
{
    int error = failing_now(FAILING_SIZE, fd);
    return error > 0 ? failing_set(error) : REAL(ftruncate)(fd, size);
}

/* posix_fallocate returns the errno. */
int posix_fallocate(int fd, off_t offset, off_t bytes)
{
    int error = failing_now(FAILING_SIZE, fd);
    return error > 0 ? error : ((int (*)(int, off_t, off_t))failing_real("posix_fallocate"))(fd, offset, bytes);
}

/* The descriptor is closed in any case, as the kernel does it. */
int close(int fd)
{
    int error = failing_now(FAILING_CLOSE, fd), rc = REAL(close)(fd);
    return error > 0 ? failing_set(error) : rc;
}

#pragma GCC visibility pop
