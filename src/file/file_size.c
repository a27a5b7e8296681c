/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a file, what is on the disk, and atomic mode. */
#define _GNU_SOURCE
#include "file/file_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cor_file_size(cor_file *file, int64_t *bytes_p)
{
    struct stat stat;
    int rc = cor_comm_enter_open(file->comm), error = 0;
    if (rc != COR_OK)
        return rc;
    if (fstat(file->fd, &stat) != 0)
        error = errno;
    cor_comm_leave(file->comm);
    if (error)
        return file_fail_system(file, error, "find its size");
    *bytes_p = stat.st_size;
    return COR_OK;
}

/* ---- work of member 0, or of all, of which the others wait for the end ------------------------------------------ */

typedef int (*size_fn)(cor_file *file, int64_t bytes); /* an errno, or 0 */

static int size_work(cor_file *file, size_fn work, int64_t bytes, const char *what)
{
    void *mine;
    int rc = file_step_away(file, &mine);
    if (rc != COR_OK)
        return rc;
    int error = work(file, bytes);
    rc = file_step_back(file, mine);
    return rc != COR_OK || error == 0 ? rc : file_fail_system(file, error, what);
}

static int size_check(cor_file *file, int64_t bytes, const char *what)
{
    uint64_t value = (uint64_t)bytes;
    int rc = COR_OK;
    if (bytes < 0)
        rc = file_fail(file, COR_ERR_ARG, "the %s is %lld, but must not be below 0", what, (long long)bytes);
    else if (!file_is_written(file))
        rc = file_fail(file, COR_ERR_FILE_READ_ONLY, "the file is opened for reading only");
    else if (file->mode & COR_FILE_SEQUENTIAL)
        rc = file_fail(file, COR_ERR_FILE_OPERATION, "the file is sequential, and has no size");
    return file_agree_same(file, rc, &value, 1, what);
}

static int size_truncate(cor_file *file, int64_t bytes)
{
    while (ftruncate(file->fd, bytes) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int cor_file_set_size(cor_file *file, int64_t bytes)
{
    int rc = size_check(file, bytes, "size");
    if (rc == COR_OK)
        rc = file_agree(file->comm, file->me == 0 ? size_work(file, size_truncate, bytes, "set its size") : COR_OK);
    return rc;
}

/* Where the file system cannot, the C library writes zeros where there is nothing yet: others wait meanwhile. It needs
 * to read them. */
static int size_allocate(cor_file *file, int64_t bytes)
{
    int error;
    if (bytes == 0)
        return 0;
    do
        error = posix_fallocate(file->fd, 0, bytes);
    while (error == EINTR);
    return error;
}

int cor_file_preallocate(cor_file *file, int64_t bytes)
{
    int rc = size_check(file, bytes, "size");
    if (rc == COR_OK)
        rc = file_agree(file->comm,
                        file->me == 0 ? size_work(file, size_allocate, bytes, "allocate its space") : COR_OK);
    return rc;
}

/* Something that cannot be synchronized, like a pipe, has nothing to be synchronized. */
static int size_sync(cor_file *file, int64_t bytes)
{
    (void)bytes;
    while (fsync(file->fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == EROFS ? 0 : errno;
    return 0;
}

int cor_file_sync(cor_file *file)
{
    return file_agree(file->comm, size_work(file, size_sync, 0, "write it to the disk"));
}

/* ---- atomic mode ------------------------------------------------------------------------------------------------ */

int cor_file_set_atomic(cor_file *file, int is_atomic)
{
    uint64_t value = is_atomic != 0;
    int rc = COR_OK, error = is_atomic && file->size > 1 ? file_lock_probe(file->fd, file_is_written(file)) : 0;
    if (error)
        rc = file_fail(file, COR_ERR_FILE_LOCKS, "rank %d cannot lock parts of it, which atomic mode needs: %s",
                       file->me, strerror(error));
    rc = file_agree_same(file, rc, &value, 1, "flag of atomic mode");
    if (rc != COR_OK)
        return rc;
    rc = cor_comm_enter_open(file->comm);
    if (rc == COR_OK) {
        file->is_atomic = is_atomic != 0;
        cor_comm_leave(file->comm);
    }
    return rc;
}
