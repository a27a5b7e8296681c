#define _GNU_SOURCE
#include "run/run_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int cor_run_input_open(run_input *input, int *child_fd_p)
{
    memset(input, 0, sizeof *input);
    input->to_fd = input->from_fd = -1;
    *child_fd_p = 0;
    if (!isatty(0))
        return 0;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    input->from_fd = 0;
    input->to_fd = ends[1];
    *child_fd_p = ends[0];
    return 0;
}

void cor_run_input_close(run_input *input)
{
    if (input->to_fd >= 0)
        close(input->to_fd);
    input->to_fd = input->from_fd = -1;
}

int cor_run_input_wants_read(const run_input *input)
{
    if (input->from_fd < 0 || input->to_fd < 0 || input->start < input->filled)
        return -1;
    /* A background job that reads its terminal is stopped; so wait until we are in front again. */
    return tcgetpgrp(input->from_fd) == getpgrp() ? input->from_fd : -1;
}

int cor_run_input_wants_write(const run_input *input)
{
    return input->start < input->filled ? input->to_fd : -1;
}

void cor_run_input_read(run_input *input)
{
    ssize_t got = read(input->from_fd, input->bytes, sizeof input->bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        cor_run_input_close(input);
        return;
    }
    input->start = 0;
    input->filled = (size_t)got;
    cor_run_input_write(input);
}

void cor_run_input_write(run_input *input)
{
    ssize_t written = write(input->to_fd, input->bytes + input->start, input->filled - input->start);
    if (written >= 0)
        input->start += (size_t)written;
    else if (errno != EAGAIN && errno != EINTR)
        cor_run_input_close(input); /* rank 0 reads no more */
}
