/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The piece of the job's stdin that is on its way to the ranks of this host, through a pipe to each that reads it. It
 * is read from this process's stdin, or received from its parent. run_feed.c distributes it, here and below.
 */
#ifndef COR_RUN_INPUT_H
#define COR_RUN_INPUT_H

#include <stddef.h>

typedef struct run_pipe {
    int fd;       /* this end; -1: the rank has none, or reads no more */
    size_t start; /* how much of the piece is written */
} run_pipe;

typedef struct run_input {
    int from_fd;     /* this process's stdin; -1: not to be read, or ended */
    int is_terminal; /* from_fd is one */
    int is_fed;      /* the piece is from the parent, and not acknowledged */
    run_pipe *pipes; /* to the ranks here, by place */
    int pipe_count;
    size_t filled;
    char bytes[32 << 10];
} run_input;

/* No rank here reads anything. */
void cor_run_input_init(run_input *input);

/* Allocate the pipes of `count` ranks. 0, or -1 with errno. */
int cor_run_input_open(run_input *input, int count);
void cor_run_input_close(run_input *input);

/* A pipe to the rank at this place. Returns the end that the rank reads, which the caller closes after its start, or -1
 * with errno. */
int cor_run_input_open_pipe(run_input *input, int place);
void cor_run_input_close_pipe(run_input *input, int place);

/* Start reading stdin. */
void cor_run_input_begin(run_input *input);

/* The descriptor of stdin, if it may be polled now, or -1. */
int cor_run_input_source(const run_input *input);

/* Read the next piece of stdin, into `bytes`. 0: not yet; 1: there is one; empty if this was the end. */
int cor_run_input_read(run_input *input);

/* Store the next piece from the parent. 0, or -1 if it is too long. */
int cor_run_input_feed(run_input *input, const char *bytes, size_t length);

/* Write the new piece to all pipes; the end closes them. */
void cor_run_input_pass(run_input *input);

/* The rest of the piece: the pipe to poll, or -1; and write the rest when the pipe has room. */
int cor_run_input_wants_write(const run_input *input, int place);
void cor_run_input_write(run_input *input, int place);

/* Does a rank here still read? Has the whole piece been written to all that do? */
int cor_run_input_has_readers(const run_input *input);
int cor_run_input_is_taken(const run_input *input);

#endif
