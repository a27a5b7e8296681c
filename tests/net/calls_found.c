/* SPDX-License-Identifier: Apache-2.0 */
/* What suites of others have found. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An urgent byte on a new connection is told beside what else is ready, as CPython's asyncore wants it, which always
 * looks for room to write. */
void calls_urgent_beside(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), fd = calls_connect(&address), server = accept(listener, NULL, NULL);
    struct pollfd one = {fd, POLLPRI | POLLOUT, 0};
    fd_set out, other;
    CHECK_EQUAL(1, send(server, "!", 1, MSG_OOB));
    CHECK_UNTIL(one.revents == (POLLPRI | POLLOUT), CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS)));
    FD_ZERO(&out);
    FD_SET(fd, &out);
    other = out;
    CHECK_EQUAL(2, select(fd + 1, NULL, &out, &other, NULL));
    CHECK(FD_ISSET(fd, &out) && FD_ISSET(fd, &other));
    for (uint32_t mode = 0;; mode = EPOLLET) {
        int set = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLPRI | mode, .data.fd = 7};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
        CHECK_EQUAL(EPOLLPRI, event.events);
        CHECK_EQUAL(mode ? 0 : 1, epoll_wait(set, &event, 1, 0));
        close(set);
        if (mode)
            break;
    }
    close(server);
    close(fd);
    close(listener);
}

/* An edge is told with all that is ready, also what was told before, as CPython's test_epoll wants it. */
void calls_epoll_edge_whole(void)
{
    int fds[2], set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = 7};
    calls_pair(fds);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[0], &event));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLOUT, event.events);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 0));
    calls_write_all(fds[1], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLIN | EPOLLOUT, event.events);
    close(fds[0]);
    close(fds[1]);
    close(set);
}

/* A program closes by the number of the system call, as libuv does: the peer is told, and the descriptor is free. */
void calls_close_by_number(void)
{
    const struct linger abort = {1, 0};
    int fds[2], other;
    char byte;
    calls_pair(fds);
    CHECK_OK(setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &abort, sizeof abort));
    CHECK_OK((int)syscall(SYS_close, fds[1]));
    do
        other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    while (other >= 0 && other < fds[1]);
    CHECK_EQUAL(fds[1], other);
    CHECK_EQUAL(1, read(other, &byte, 1));
    CHECK_EQUAL(0, byte);
    CHECK_EQUAL(-1, read(fds[0], &byte, 1));
    CHECK_EQUAL(ECONNRESET, errno);
    close(other);
    close(fds[0]);
}
