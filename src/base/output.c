/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int output_fail(const char *path, int error, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot write %s: %s", path,
                         error == ENXIO ? "it is a pipe that nobody reads" : strerror(error));
}

static void output_forget(cor_output *output)
{
    free(output->path);
    free(output->temporary);
    *output = (cor_output){0};
}

/* A name beside the path that no other process uses, and the file of that name. -1: errno says why. */
static int output_create(cor_output *output)
{
    size_t room = strlen(output->path) + 40;
    output->temporary = malloc(room);
    if (!output->temporary)
        return -1;
    for (int number = 0;; number++) {
        snprintf(output->temporary, room, "%s.%ld-%d.tmp", output->path, (long)getpid(), number);
        int fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || number == 99)
            return fd;
    }
}

/* A FIFO is not waited for: it may never have a reader. Once a reader has opened it, writing is as slow as reading. */
static int output_open_special(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (flags >= 0)
        fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return fd;
}

int cor_output_check(const char *path, cor_fault *fault)
{
    struct stat there;
    cor_output output;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return access(path, W_OK) == 0 ? COR_OK : output_fail(path, errno, fault);
    int rc = cor_output_open(&output, path, fault);
    if (rc == COR_OK)
        cor_output_abandon(&output);
    return rc;
}

int cor_output_open(cor_output *output, const char *path, cor_fault *fault)
{
    struct stat there;
    int is_there = stat(path, &there) == 0, fd;
    *output = (cor_output){0};
    /* The name of a symbolic link stays one. */
    output->path = is_there ? realpath(path, NULL) : strdup(path);
    if (!output->path && is_there) /* such as a pipe below /proc, which has no path */
        output->path = strdup(path);
    if (!output->path)
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    if (is_there && !S_ISREG(there.st_mode))
        fd = output_open_special(path);
    else
        fd = output_create(output);
    if (fd >= 0 && is_there && output->temporary && fchmod(fd, there.st_mode & 07777) != 0) {
        /* The new file then has the rights of new files. */
    }
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (output->file)
        return COR_OK;
    int error = errno;
    if (fd >= 0) {
        close(fd);
        if (output->temporary)
            unlink(output->temporary);
    }
    output_forget(output);
    return output_fail(path, error, fault);
}

/* Write everything to the disk. 0, or the error number. A stream that failed earlier has lost its errno; writing
 * another byte gets it again. */
static int output_flush(cor_output *output)
{
    int fd = fileno(output->file);
    if (ferror(output->file))
        return write(fd, "", 1) < 0 ? errno : EIO;
    if (fflush(output->file) != 0 || (output->temporary && fsync(fd) != 0))
        return errno;
    return 0;
}

int cor_output_commit(cor_output *output, cor_fault *fault)
{
    int error = output_flush(output);
    if (fclose(output->file) != 0 && !error)
        error = errno;
    if (!error && output->temporary && rename(output->temporary, output->path) != 0)
        error = errno;
    int code = error ? output_fail(output->path, error, fault) : COR_OK;
    if (error && output->temporary)
        unlink(output->temporary);
    output_forget(output);
    return code;
}

void cor_output_abandon(cor_output *output)
{
    fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    output_forget(output);
}
