/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "run/run_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void cor_run_input_open_none(run_input *input)
{
    input->to_fd = input->from_fd = -1;
    input->is_away = input->is_terminal = input->is_awaited = 0;
    input->start = input->filled = 0;
}

int cor_run_input_open_fed(run_input *input, int *child_fd_p)
{
    int ends[2];
    cor_run_input_open_none(input);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    input->to_fd = ends[1];
    *child_fd_p = ends[0];
    return 0;
}

int cor_run_input_open(run_input *input, int *child_fd_p)
{
    cor_run_input_open_none(input);
    *child_fd_p = 0;
    if (!isatty(0))
        return 0;
    if (cor_run_input_open_fed(input, child_fd_p) != 0)
        return -1;
    input->from_fd = 0;
    input->is_terminal = 1;
    return 0;
}

void cor_run_input_open_remote(run_input *input)
{
    cor_run_input_open_none(input);
    input->from_fd = 0;
    input->is_away = 1;
    input->is_terminal = isatty(0);
}

void cor_run_input_close(run_input *input)
{
    if (input->to_fd >= 0)
        close(input->to_fd);
    input->to_fd = input->from_fd = -1;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

int cor_run_input_wants_read(const run_input *input)
{
    int has_room = input->is_away ? !input->is_awaited : input->to_fd >= 0 && input->start == input->filled;
    if (input->from_fd < 0 || !has_room)
        return -1;
    /* A background job that reads its terminal is stopped, so wait until we are in the foreground. */
    return !input->is_terminal || tcgetpgrp(input->from_fd) == getpgrp() ? input->from_fd : -1;
}

int cor_run_input_read(run_input *input)
{
    ssize_t got = read(input->from_fd, input->bytes, sizeof input->bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    input->start = 0;
    input->filled = got > 0 ? (size_t)got : 0;
    if (got <= 0)
        cor_run_input_close(input);
    if (input->is_away) {
        input->is_awaited = 1;
        return 1;
    }
    if (got > 0)
        cor_run_input_write(input);
    return 0;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

int cor_run_input_wants_write(const run_input *input)
{
    return !input->is_away && input->start < input->filled ? input->to_fd : -1;
}

void cor_run_input_write(run_input *input)
{
    ssize_t written = write(input->to_fd, input->bytes + input->start, input->filled - input->start);
    if (written >= 0)
        input->start += (size_t)written;
    else if (errno != EAGAIN && errno != EINTR)
        cor_run_input_close(input); /* the reader reads no more */
}

int cor_run_input_feed(run_input *input, const char *bytes, size_t length)
{
    if (input->to_fd < 0)
        return 0; /* the reader reads no more; no acknowledgement */
    if (input->start < input->filled || length > sizeof input->bytes)
        return -1;
    if (length == 0) {
        cor_run_input_close(input);
        return 0;
    }
    memcpy(input->bytes, bytes, length);
    input->start = 0;
    input->filled = length;
    input->is_awaited = 1;
    cor_run_input_write(input);
    return 0;
}

int cor_run_input_needs_ack(run_input *input)
{
    int is_taken = input->is_awaited && !input->is_away && input->to_fd >= 0 && input->start == input->filled;
    if (is_taken)
        input->is_awaited = 0;
    return is_taken;
}
