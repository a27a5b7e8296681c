/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/io/run_stream.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STREAM_CHUNK = 64 << 10,   /* bytes of one read */
    STREAM_DRAIN_CHUNKS = 17,  /* one MiB, the most that an unprivileged process may set a pipe to */
    STREAM_LINE_MAX = 16 << 20 /* a longer line is forwarded in pieces, which may interleave with other lines */
};

void cor_run_stream_open(run_stream *stream, int fd, int rank, run_sink *sink)
{
    memset(stream, 0, sizeof *stream);
    stream->fd = fd;
    stream->rank = rank;
    stream->sink = sink;
}

void cor_run_stream_dress(run_stream *stream, const char *prefix, int is_timed)
{
    snprintf(stream->prefix, sizeof stream->prefix, "%s", prefix);
    stream->is_timed = is_timed;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* The folders of a path; those that exist are no failure. */
static void stream_make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
}

int cor_run_stream_file(run_stream *stream, const char *path, int is_only, run_stream_files *files)
{
    stream_make_folders(path);
    /* Appending: stdout and stderr may share a file. */
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    stream->has_file = 1;
    stream->file_fd = fd;
    stream->is_only_filed = is_only;
    stream->files = files;
    return 0;
}

static void stream_write_file(run_stream *stream, const char *bytes, size_t length)
{
    while (stream->has_file && length > 0) {
        ssize_t written = write(stream->file_fd, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            char link[64];
            ssize_t kept;
            if (!stream->files->error) {
                stream->files->error = errno;
                snprintf(link, sizeof link, "/proc/self/fd/%d", stream->file_fd);
                kept = readlink(link, stream->files->path, sizeof stream->files->path - 1);
                stream->files->path[kept > 0 ? kept : 0] = '\0';
            }
            close(stream->file_fd);
            stream->has_file = 0;
            return;
        }
        bytes += written;
        length -= (size_t)written;
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void stream_put(run_stream *stream, const char *bytes, size_t length)
{
    stream_write_file(stream, bytes, length);
    if (!stream->is_only_filed)
        cor_run_sink_put(stream->sink, stream, bytes, length);
}

/* A prefix, where a line begins: in the sink it also does where another writer has broken ours. */
static void stream_put_prefix(run_stream *stream, const char *prefix, size_t length)
{
    if (!stream->is_inside)
        stream_write_file(stream, prefix, length);
    if (!stream->is_only_filed && stream->sink->open_line != stream)
        cor_run_sink_put(stream->sink, stream, prefix, length);
}

/* What stands before a line. Returns its length. */
static size_t stream_write_prefix(const run_stream *stream, char *out, size_t room)
{
    char clock[40] = "";
    struct timespec now;
    struct tm parts;
    if (stream->is_timed && clock_gettime(CLOCK_REALTIME, &now) == 0 && localtime_r(&now.tv_sec, &parts)) {
        size_t used = strftime(clock, sizeof clock, "%Y-%m-%d %H:%M:%S", &parts);
        snprintf(clock + used, sizeof clock - used, ".%03ld ", now.tv_nsec / 1000000);
    }
    snprintf(out, room, "%s%s", clock, stream->prefix);
    return strlen(out);
}

/* Store the last of these lines. */
static void stream_keep_last(run_stream *stream, size_t length)
{
    size_t end = length;
    while (end > 0 && (stream->line[end - 1] == '\n' || stream->line[end - 1] == '\r'))
        end--;
    char *newline = memrchr(stream->line, '\n', end);
    size_t start = newline ? (size_t)(newline + 1 - stream->line) : 0;
    size_t kept = end - start < sizeof stream->last ? end - start : sizeof stream->last - 1;
    memcpy(stream->last, stream->line + start, kept);
    stream->last[kept] = '\0';
}

int cor_run_stream_ends_with(const run_stream *stream, const char *text)
{
    char head[100];
    snprintf(head, sizeof head, "%s", text);
    return strstr(stream->last, head) != NULL;
}

/* Forward the first `length` bytes, each line with its tag, and keep the rest. */
static void stream_emit(run_stream *stream, size_t length)
{
    char prefix[RUN_STREAM_PREFIX_MAX + 40];
    stream_keep_last(stream, length);
    if (stream->hint && stream->hint_left > 0) {
        cor_run_hint_take(stream->hint, stream->line, length);
        stream->hint_left -= length < stream->hint_left ? length : stream->hint_left;
    }
    if (!stream->is_timed && !stream->prefix[0]) {
        stream_put(stream, stream->line, length);
    } else {
        size_t prefix_length = stream_write_prefix(stream, prefix, sizeof prefix);
        for (size_t at = 0; at < length;) {
            char *newline = memchr(stream->line + at, '\n', length - at);
            size_t piece = newline ? (size_t)(newline + 1 - stream->line) - at : length - at;
            stream_put_prefix(stream, prefix, prefix_length);
            stream_put(stream, stream->line + at, piece);
            stream->is_inside = !newline;
            at += piece;
        }
    }
    memmove(stream->line, stream->line + length, stream->filled - length);
    stream->filled -= length;
}

void cor_run_stream_flush(run_stream *stream)
{
    if (stream->filled > 0)
        stream_emit(stream, stream->filled);
}

void cor_run_stream_open_fed(run_stream *stream, int rank, run_sink *sink)
{
    cor_run_stream_open(stream, -1, rank, sink);
    stream->is_fed = 1;
}

void cor_run_stream_divert(run_stream *stream, int is_error, run_stream_fn pass, void *to)
{
    stream->is_error = is_error;
    stream->pass = pass;
    stream->pass_to = to;
}

int cor_run_stream_is_open(const run_stream *stream)
{
    return stream->fd >= 0 || stream->is_fed;
}

void cor_run_stream_close(run_stream *stream)
{
    cor_run_stream_flush(stream);
    if (stream->pass && stream->fd >= 0)
        stream->pass(stream->pass_to, stream->rank, stream->is_error, NULL, 0);
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
    stream->is_fed = 0;
    if (stream->has_file)
        close(stream->file_fd);
    stream->has_file = 0;
    free(stream->line);
    stream->line = NULL;
    stream->room = 0;
}

/* Space for one more read; without memory the unfinished line is forwarded first. 0: still no memory. */
static int stream_reserve(run_stream *stream, size_t length)
{
    for (int round = 0; stream->room - stream->filled < length; round++) {
        size_t room = stream->room + stream->filled + length;
        char *grown = realloc(stream->line, room);
        if (grown) {
            stream->line = grown;
            stream->room = room;
        } else if (round == 0) {
            cor_run_stream_flush(stream);
        } else {
            cor_run_stream_close(stream);
            return 0;
        }
    }
    return 1;
}

/* `got` bytes were read after the unfinished line: forward whole lines. */
static void stream_take(run_stream *stream, size_t got)
{
    char *fresh = stream->line + stream->filled;
    if (stream->pass) {
        stream->pass(stream->pass_to, stream->rank, stream->is_error, fresh, got);
        return;
    }
    stream->filled += got;
    stream->since_ns = cor_clock_ns();
    char *newline = memrchr(fresh, '\n', got);
    if (newline)
        stream_emit(stream, (size_t)(newline + 1 - stream->line));
    else if (stream->filled >= STREAM_LINE_MAX)
        cor_run_stream_flush(stream);
}

int cor_run_stream_read(run_stream *stream)
{
    if (stream->fd < 0 || !stream_reserve(stream, STREAM_CHUNK))
        return 0;
    ssize_t got = read(stream->fd, stream->line + stream->filled, STREAM_CHUNK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0) {
        cor_run_stream_close(stream);
        return 0;
    }
    stream_take(stream, (size_t)got);
    return 1;
}

void cor_run_stream_feed(run_stream *stream, const char *bytes, size_t length)
{
    if (!stream->is_fed)
        return;
    if (length == 0) {
        cor_run_stream_close(stream);
    } else if (stream_reserve(stream, length)) {
        memcpy(stream->line + stream->filled, bytes, length);
        stream_take(stream, length);
    }
}

void cor_run_stream_drain(run_stream *stream)
{
    /* A pipe does not hold more than this; later writes are not waited for. */
    for (int chunk = 0; chunk < STREAM_DRAIN_CHUNKS && cor_run_stream_read(stream); chunk++)
        ;
}
