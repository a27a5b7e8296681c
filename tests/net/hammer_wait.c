/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to wait for a descriptor, without a time limit: at its end a wakeup that was lost would be made up for. */
#define _GNU_SOURCE
#include "hammer.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

static void wait_select(int fd, short events)
{
    fd_set in, out;
    CHECK(fd < FD_SETSIZE);
    FD_ZERO(&in);
    FD_ZERO(&out);
    if (events & POLLIN)
        FD_SET(fd, &in);
    if (events & POLLOUT)
        FD_SET(fd, &out);
    int found = select(fd + 1, &in, &out, NULL, NULL);
    if (found < 1)
        CHECK_FAIL("select: %d, %s", found, strerror(errno));
}

unsigned hammer_epoll_events(hammer_kind kind, short events)
{
    return (events & POLLIN ? EPOLLIN : 0u) | (events & POLLOUT ? EPOLLOUT : 0u) |
           (kind == HAMMER_KIND_epoll_edge ? EPOLLET : 0u) | (kind == HAMMER_KIND_epoll_oneshot ? EPOLLONESHOT : 0u);
}

static void wait_epoll(hammer_worker *worker, short events)
{
    int *set = &worker->sets[worker->kind];
    unsigned wanted = hammer_epoll_events(worker->kind, events), *had = &worker->set_events[worker->kind];
    struct epoll_event event = {.events = wanted, .data.fd = worker->fd};
    if (*set < 0) {
        *set = epoll_create1(EPOLL_CLOEXEC);
        CHECK(*set >= 0);
        CHECK_OK(epoll_ctl(*set, EPOLL_CTL_ADD, worker->fd, &event));
    } else if (*had != wanted || worker->kind == HAMMER_KIND_epoll_oneshot) {
        CHECK_OK(epoll_ctl(*set, EPOLL_CTL_MOD, worker->fd, &event));
    }
    *had = wanted;
    int found = epoll_wait(*set, &event, 1, -1);
    if (found < 0 && errno == EINTR) /* a child has ended, and a signal that nobody handles interrupts epoll alone */
        return;
    if (found != 1)
        CHECK_FAIL("epoll_wait: %d, %s", found, strerror(errno));
    CHECK_EQUAL(worker->fd, event.data.fd);
}

void hammer_wait(hammer_worker *worker, short events)
{
    struct pollfd one = {worker->fd, events, 0};
    if (worker->kind == HAMMER_KIND_block)
        return;
    worker->row->act = events == POLLIN    ? HAMMER_ACT_wait_in
                       : events == POLLOUT ? HAMMER_ACT_wait_out
                                           : HAMMER_ACT_wait_any;
    switch (worker->kind) {
    case HAMMER_KIND_poll:
        CHECK_EQUAL(1, poll(&one, 1, -1));
        break;
    case HAMMER_KIND_select:
        wait_select(worker->fd, events);
        break;
    case HAMMER_KIND_epoll_level:
    case HAMMER_KIND_epoll_edge:
    case HAMMER_KIND_epoll_oneshot:
        wait_epoll(worker, events);
        break;
    case HAMMER_KIND_block:
    case HAMMER_KIND_COUNT:
        break;
    }
}
