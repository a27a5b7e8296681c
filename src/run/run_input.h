/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdin of the job, which goes to one rank, its reader: rank 0 unless --stdin names another.
 *
 * If the reader runs on our host, it inherits a stdin that is not a terminal, and nothing is read that it does not read
 * itself. A terminal cannot be inherited, because the reader is not a foreground process; the launcher reads it and
 * forwards the data. If the reader runs on another host the launcher always reads, one piece at a time: the next when
 * the last was acknowledged.
 */
#ifndef COR_RUN_INPUT_H
#define COR_RUN_INPUT_H

#include <stddef.h>

typedef struct run_input {
    int to_fd;       /* our end of the pipe to the reader, or -1 */
    int from_fd;     /* our stdin, or -1 after its end */
    int is_away;     /* the reader is on another host */
    int is_terminal; /* from_fd is one */
    int is_awaited;  /* a piece is on its way to the reader */
    size_t start, filled;
    char bytes[32 << 10];
} run_input;

/* The reader is here and our stdin is the job's. *child_fd_p is what the reader gets as stdin, to be closed by the caller
 * after the start if it is not 0. -1 with errno. */
int cor_run_input_open(run_input *input, int *child_fd_p);

/* The reader is here and its stdin comes in pieces from another host. Otherwise as above. */
int cor_run_input_open_fed(run_input *input, int *child_fd_p);

/* The reader is on another host and our stdin is the job's. */
void cor_run_input_open_remote(run_input *input);

/* There is none here. */
void cor_run_input_open_none(run_input *input);
void cor_run_input_close(run_input *input);

/* What to poll for, or -1: our stdin for reading, the pipe for writing. */
int cor_run_input_wants_read(const run_input *input);
int cor_run_input_wants_write(const run_input *input);

/* Read a piece. 1: it is for another host, in `bytes`, up to `filled`. */
int cor_run_input_read(run_input *input);
void cor_run_input_write(run_input *input);

/* A piece from another host, empty at the end. 0, or -1 when the last is not yet written or it is too long. */
int cor_run_input_feed(run_input *input, const char *bytes, size_t length);

/* Was a piece from another host just written? Returns 1 once per piece. */
int cor_run_input_needs_ack(run_input *input);

#endif
