/* SPDX-License-Identifier: Apache-2.0 */
/* The time-outs of a socket's calls. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/net_state.h"

#include <sys/time.h>

void net_limit_find(net_limit *limit, int fd, int option)
{
    struct timeval time = {0};
    socklen_t length = sizeof time;
    if (limit->is_known)
        return;
    limit->is_known = 1;
    if (net_sys_getsockopt(fd, SOL_SOCKET, option, &time, &length) == 0 && (time.tv_sec || time.tv_usec))
        limit->at_ns = (limit->begin_ns ? limit->begin_ns : cor_clock_ns()) + (uint64_t)time.tv_sec * 1000000000u +
                       (uint64_t)time.tv_usec * 1000u;
}

void net_limit_begin(net_limit *limit, int fd, int option)
{
    if (limit->begin_ns == 0)
        limit->begin_ns = cor_clock_ns();
    else
        net_limit_find(limit, fd, option);
}

int net_limit_check(const net_limit *limit)
{
    if (limit->at_ns == 0 || cor_clock_ns() <= limit->at_ns)
        return 0;
    errno = EAGAIN;
    return -1;
}
