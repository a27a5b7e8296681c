/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/io/run_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

void cor_run_input_init(run_input *input)
{
    input->from_fd = -1;
    input->is_terminal = input->is_fed = 0;
    input->pipes = NULL;
    input->pipe_count = 0;
    input->filled = 0;
}

int cor_run_input_open(run_input *input, int count)
{
    cor_run_input_init(input);
    input->pipes = calloc((size_t)count + 1, sizeof *input->pipes);
    if (!input->pipes)
        return -1;
    input->pipe_count = count;
    for (int place = 0; place < count; place++)
        input->pipes[place].fd = -1;
    return 0;
}

void cor_run_input_close(run_input *input)
{
    for (int place = 0; place < input->pipe_count; place++)
        cor_run_input_close_pipe(input, place);
    free(input->pipes);
    cor_run_input_init(input);
}

int cor_run_input_open_pipe(run_input *input, int place)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    input->pipes[place] = (run_pipe){.fd = ends[1]};
    return ends[0];
}

void cor_run_input_close_pipe(run_input *input, int place)
{
    if (input->pipes[place].fd >= 0)
        close(input->pipes[place].fd);
    input->pipes[place].fd = -1;
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

void cor_run_input_begin(run_input *input)
{
    input->from_fd = 0;
    input->is_terminal = isatty(0);
}

int cor_run_input_source(const run_input *input)
{
    if (input->from_fd < 0)
        return -1;
    /* A background job that reads its terminal is stopped, so wait until we are in the foreground. */
    return !input->is_terminal || tcgetpgrp(input->from_fd) == getpgrp() ? input->from_fd : -1;
}

int cor_run_input_read(run_input *input)
{
    ssize_t got = read(input->from_fd, input->bytes, sizeof input->bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    input->filled = got > 0 ? (size_t)got : 0;
    if (got <= 0)
        input->from_fd = -1;
    return 1;
}

int cor_run_input_feed(run_input *input, const char *bytes, size_t length)
{
    if (length > sizeof input->bytes)
        return -1;
    memcpy(input->bytes, bytes, length);
    input->filled = length;
    input->is_fed = length > 0;
    return 0;
}

void cor_run_input_pass(run_input *input)
{
    for (int place = 0; place < input->pipe_count; place++) {
        input->pipes[place].start = 0;
        if (input->filled == 0)
            cor_run_input_close_pipe(input, place);
        else if (input->pipes[place].fd >= 0)
            cor_run_input_write(input, place);
    }
}

int cor_run_input_wants_write(const run_input *input, int place)
{
    return input->pipes[place].start < input->filled ? input->pipes[place].fd : -1;
}

void cor_run_input_write(run_input *input, int place)
{
    run_pipe *pipe = &input->pipes[place];
    ssize_t written = write(pipe->fd, input->bytes + pipe->start, input->filled - pipe->start);
    if (written >= 0)
        pipe->start += (size_t)written;
    else if (errno != EAGAIN && errno != EINTR)
        cor_run_input_close_pipe(input, place); /* the rank reads no more */
}

int cor_run_input_has_readers(const run_input *input)
{
    for (int place = 0; place < input->pipe_count; place++)
        if (input->pipes[place].fd >= 0)
            return 1;
    return 0;
}

int cor_run_input_is_taken(const run_input *input)
{
    for (int place = 0; place < input->pipe_count; place++)
        if (cor_run_input_wants_write(input, place) >= 0)
            return 0;
    return 1;
}
