/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The destination of the ranks' output: stdout or stderr of this process with a queue, so that a slow reader never
 * blocks the launcher. Bytes are forwarded unchanged, with one exception: after the unfinished line of another writer a
 * newline is inserted.
 */
#ifndef COR_RUN_SINK_H
#define COR_RUN_SINK_H

#include <stddef.h>

typedef struct run_sink {
    int fd;
    int is_own;    /* fd was opened here and is to be closed */
    int may_block; /* a write may block; then only PIPE_BUF is written at a time, and after poll */
    int is_terminal;
    int is_dead;           /* writing has failed; output is dropped */
    int error;             /* errno of that write */
    const void *open_line; /* the last writer, if its line is not finished */
    char *queue;
    size_t start, filled, room;
} run_sink;

void cor_run_sink_open(run_sink *sink, int fd);
void cor_run_sink_close(run_sink *sink);

/* Are two descriptors the same file? Then one sink must serve both. */
int cor_run_sink_is_same(int fd, int other_fd);

/* Queue bytes of `writer`. */
void cor_run_sink_put(run_sink *sink, const void *writer, const char *bytes, size_t length);

/* Write what can be written now. Call it only when poll says POLLOUT, or to try. */
void cor_run_sink_flush(run_sink *sink);

int cor_run_sink_is_empty(const run_sink *sink);

/* So much is queued that the ranks should wait. */
int cor_run_sink_is_full(const run_sink *sink);

#endif
