/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/io/run_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SINK_FULL_BYTES = 1 << 20 };

void cor_run_sink_open(run_sink *sink, int fd)
{
    memset(sink, 0, sizeof *sink);
    sink->fd = fd;
    sink->is_terminal = isatty(fd);
    struct stat what;
    sink->may_block = fstat(fd, &what) != 0 || !S_ISREG(what.st_mode);
    if (!sink->may_block || !(S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode)))
        return;
    /* O_NONBLOCK belongs to the open file, which we share with the shell and others: open it again. */
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own >= 0) {
        sink->fd = own;
        sink->is_own = 1;
        sink->may_block = 0;
    }
}

void cor_run_sink_close(run_sink *sink)
{
    if (sink->is_own)
        close(sink->fd);
    free(sink->queue);
    sink->queue = NULL;
}

int cor_run_sink_is_same(int fd, int other_fd)
{
    struct stat one, other;
    return fstat(fd, &one) == 0 && fstat(other_fd, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Reserve space, or return 0 when memory is out. */
static int sink_reserve(run_sink *sink, size_t length)
{
    if (sink->start > 0) {
        memmove(sink->queue, sink->queue + sink->start, sink->filled - sink->start);
        sink->filled -= sink->start;
        sink->start = 0;
    }
    if (sink->filled + length <= sink->room)
        return 1;
    size_t room = 2 * (sink->filled + length);
    char *grown = realloc(sink->queue, room);
    if (!grown)
        return 0;
    sink->queue = grown;
    sink->room = room;
    return 1;
}

void cor_run_sink_put(run_sink *sink, const void *writer, const char *bytes, size_t length)
{
    if (sink->is_dead || length == 0)
        return;
    if (sink->room - sink->filled < length + 1 && !sink_reserve(sink, length + 1)) {
        sink->is_dead = 1;
        sink->error = ENOMEM;
        return;
    }
    if (sink->open_line && sink->open_line != writer)
        sink->queue[sink->filled++] = '\n';
    memcpy(sink->queue + sink->filled, bytes, length);
    sink->filled += length;
    sink->open_line = bytes[length - 1] == '\n' ? NULL : writer;
}

/* One write that does not block. Where the descriptor is shared and may block, poll guarantees space for PIPE_BUF. */
static ssize_t sink_write(const run_sink *sink)
{
    const char *bytes = sink->queue + sink->start;
    size_t length = sink->filled - sink->start;
    if (!sink->may_block)
        return write(sink->fd, bytes, length);
    ssize_t sent = send(sink->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK)
        return sent;
    struct pollfd ready = {.fd = sink->fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) == 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(sink->fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
}

void cor_run_sink_flush(run_sink *sink)
{
    while (!sink->is_dead && sink->start < sink->filled) {
        ssize_t written = sink_write(sink);
        if (written >= 0) {
            sink->start += (size_t)written;
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            sink->is_dead = 1;
            sink->error = errno;
        }
    }
    sink->start = sink->filled = 0;
}

int cor_run_sink_is_empty(const run_sink *sink)
{
    return sink->is_dead || sink->start == sink->filled;
}

int cor_run_sink_is_full(const run_sink *sink)
{
    return !sink->is_dead && sink->filled - sink->start > SINK_FULL_BYTES;
}
