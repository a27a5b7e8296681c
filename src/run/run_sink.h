/*
 * Where the ranks' output goes: our own stdout or stderr, with a queue before it, so that a slow reader never blocks
 * the launcher. Bytes are passed on as they are, with one exception: when a writer follows another one's unfinished
 * line, a newline comes between.
 */
#ifndef COR_RUN_SINK_H
#define COR_RUN_SINK_H

#include <stddef.h>

typedef struct run_sink {
    int fd;
    int is_own;    /* fd was opened here and is to be closed */
    int may_block; /* a write to it may; then only a little is written at a time, and after poll */
    int is_terminal;
    int is_dead;           /* nobody can take our output any more; it is thrown away */
    int error;             /* errno of the write that found that out */
    const void *open_line; /* whoever wrote last, when its line is not finished */
    char *queue;
    size_t start, filled, room;
} run_sink;

void cor_run_sink_open(run_sink *sink, int fd);
void cor_run_sink_close(run_sink *sink);

/* Do two descriptors lead to the same place? Then one sink must serve both. */
int cor_run_sink_is_same(int fd, int other_fd);

/* Queue bytes of `writer`. */
void cor_run_sink_put(run_sink *sink, const void *writer, const char *bytes, size_t length);

/* Write what can be written now. Call it only when poll says POLLOUT, or to try. */
void cor_run_sink_flush(run_sink *sink);

int cor_run_sink_is_empty(const run_sink *sink);

/* So much is queued that the ranks should wait. */
int cor_run_sink_is_full(const run_sink *sink);

#endif
