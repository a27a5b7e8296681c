/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's stdout or stderr: bytes come from a pipe in any pieces, whole lines go to a sink, a file or both. */
#ifndef COR_RUN_STREAM_H
#define COR_RUN_STREAM_H

#include "launch/io/run_sink.h"
#include "launch/run_hint.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a rank's stdout or stderr; none: its end. */
typedef void (*run_stream_fn)(void *to, int rank, int is_error, const char *bytes, size_t length);

enum { RUN_STREAM_PREFIX_MAX = 160 };

/* The files that streams write. */
typedef struct run_stream_files {
    int error;           /* errno of the first write that failed, 0: none */
    char path[PATH_MAX]; /* of that file */
} run_stream_files;

typedef struct run_stream {
    int fd; /* -1: at its end */
    int rank;
    char prefix[RUN_STREAM_PREFIX_MAX]; /* before every line; "": nothing */
    int is_timed;                       /* and the time before it */
    run_sink *sink;
    int has_file, file_fd;
    int is_only_filed;
    int is_inside; /* the last line has begun and not ended */
    run_stream_files *files;
    run_hint *hint;   /* filled from lines that explain a failure; NULL: lines are not searched */
    size_t hint_left; /* how many more bytes to search */
    char *line;       /* the unfinished line */
    size_t filled, room;
    uint64_t since_ns;  /* when its last byte arrived */
    char last[256];     /* the last forwarded line, truncated if too long */
    int is_fed;         /* bytes come by cor_run_stream_feed, and more may come */
    run_stream_fn pass; /* gets the bytes unchanged, instead of a sink */
    void *pass_to;
    int is_error;
} run_stream;

/* Takes over `fd`, which must not block. */
void cor_run_stream_open(run_stream *stream, int fd, int rank, run_sink *sink);
/* Open a stream whose bytes come by cor_run_stream_feed. */
void cor_run_stream_open_fed(run_stream *stream, int rank, run_sink *sink);

/* Set the prefix of every line. */
void cor_run_stream_dress(run_stream *stream, const char *prefix, int is_timed);

/* Write every line to this file as well, or only there; its folders are made. A write that fails is recorded in
 * `files`, which must outlive the stream. 0, or -1 with errno. */
int cor_run_stream_file(run_stream *stream, const char *path, int is_only, run_stream_files *files);

/* Forward the bytes as they come, and their end, without looking for lines. */
void cor_run_stream_divert(run_stream *stream, int is_error, run_stream_fn pass, void *to);

int cor_run_stream_is_open(const run_stream *stream);

/* Pass bytes to such a stream; none: its end. */
void cor_run_stream_feed(run_stream *stream, const char *bytes, size_t length);

void cor_run_stream_close(run_stream *stream);

/* Read once. 1: there may be more. At the end of the pipe the unfinished line is forwarded and the stream closes. */
int cor_run_stream_read(run_stream *stream);

/* Read everything that is there now, even if the sink is full. */
void cor_run_stream_drain(run_stream *stream);

/* Forward the unfinished line: a prompt on a terminal would otherwise never be seen. */
void cor_run_stream_flush(run_stream *stream);

/* Does the rank's last line contain this text? The first hundred characters are compared. */
int cor_run_stream_ends_with(const run_stream *stream, const char *text);

#endif
