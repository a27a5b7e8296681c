/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of atomic mode. They belong to the open file (F_OFD_SETLKW), not to the process, so that ranks that are
 * threads of one process exclude each other as well. Within a rank, whose threads share the open file, accesses come
 * one after the other.
 */
#define _GNU_SOURCE
#include "file/file_state.h"

#include <errno.h>
#include <fcntl.h>

static int lock_set(int fd, int command, int type, int64_t first, int64_t end)
{
    struct flock range = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = first, .l_len = end - first};
    while (fcntl(fd, command, &range) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int file_lock_range(cor_file *file, int is_write, int64_t first, int64_t end)
{
    pthread_mutex_lock(&file->atomic);
    int error = lock_set(file->fd, F_OFD_SETLKW, is_write ? F_WRLCK : F_RDLCK, first, end);
    if (error)
        pthread_mutex_unlock(&file->atomic);
    return error;
}

void file_unlock_range(cor_file *file, int64_t first, int64_t end)
{
    lock_set(file->fd, F_OFD_SETLK, F_UNLCK, first, end);
    pthread_mutex_unlock(&file->atomic);
}

int file_lock_probe(int fd, int is_written)
{
    return lock_set(fd, F_OFD_GETLK, is_written ? F_WRLCK : F_RDLCK, 0, 1);
}
