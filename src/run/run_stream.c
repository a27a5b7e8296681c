#define _GNU_SOURCE
#include "run/run_stream.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STREAM_CHUNK = 64 << 10,   /* bytes of one read */
    STREAM_DRAIN_CHUNKS = 17,  /* one MiB, the most that an unprivileged process may set a pipe to */
    STREAM_LINE_MAX = 16 << 20 /* a longer line is forwarded in pieces, which may interleave with other lines */
};

void cor_run_stream_open(run_stream *stream, int fd, int rank, run_sink *sink, int is_tagged)
{
    memset(stream, 0, sizeof *stream);
    stream->fd = fd;
    stream->rank = rank;
    stream->sink = sink;
    stream->is_tagged = is_tagged;
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
    char tag[24];
    int tag_length = snprintf(tag, sizeof tag, "[%d] ", stream->rank);
    stream_keep_last(stream, length);
    if (!stream->is_tagged) {
        cor_run_sink_put(stream->sink, stream, stream->line, length);
    } else {
        for (size_t at = 0; at < length;) {
            char *newline = memchr(stream->line + at, '\n', length - at);
            size_t piece = newline ? (size_t)(newline + 1 - stream->line) - at : length - at;
            if (stream->sink->open_line != stream)
                cor_run_sink_put(stream->sink, stream, tag, (size_t)tag_length);
            cor_run_sink_put(stream->sink, stream, stream->line + at, piece);
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

void cor_run_stream_open_fed(run_stream *stream, int rank, run_sink *sink, int is_tagged)
{
    cor_run_stream_open(stream, -1, rank, sink, is_tagged);
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
