/* SPDX-License-Identifier: Apache-2.0 */
/* Epoll tells of a member once: in one result, and of a one-shot altogether. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ONCE_ROUNDS = 20, ONCE_ROOM = 8 };

static void once_add(int set, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
}

/* A set is a member beside a connection, and both have something, by each of which it may be found. */
void calls_once_nested(void)
{
    int inner = epoll_create1(0), outer = epoll_create1(0), fds[2], more[2];
    calls_pair(fds);
    calls_pair(more);
    once_add(inner, fds[1], EPOLLIN);
    once_add(outer, inner, EPOLLIN);
    once_add(outer, more[1], EPOLLIN);
    calls_write_all(fds[0], "x", 1);
    calls_write_all(more[0], "x", 1);
    for (int round = 0; round < ONCE_ROUNDS; round++) {
        struct epoll_event events[ONCE_ROOM];
        int told = 0, count = epoll_wait(outer, events, ONCE_ROOM, 0);
        for (int i = 0; i < count; i++)
            told += events[i].data.fd == inner;
        CHECK_EQUAL(1, told);
        CHECK_EQUAL(2, count);
    }
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(more[i]);
    }
    close(inner);
    close(outer);
}

/* A socket that becomes a one-shot before it is connected is told of as such: it hangs. Not again, whatever comes, until
 * it is asked for again. */
void calls_once_before_connect(void)
{
    for (int is_told = 0; is_told < 2; is_told++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address), set = epoll_create1(0), fd = socket(AF_INET, SOCK_STREAM, 0);
        struct epoll_event event;
        once_add(set, fd, EPOLLIN | EPOLLONESHOT);
        if (is_told) {
            CHECK_EQUAL(1, epoll_wait(set, &event, 1, 0));
            CHECK_EQUAL(EPOLLHUP, event.events);
        }
        CHECK_OK(connect(fd, (struct sockaddr *)&address, sizeof address));
        int peer = accept(listener, NULL, NULL);
        for (int i = 0; i < 8; i++)
            calls_greet(fd, peer);
        calls_write_all(peer, "x", 1);
        CHECK_EQUAL(1, poll(&(struct pollfd){fd, POLLIN, 0}, 1, CALLS_LONG_MS));
        for (int round = 0; round < ONCE_ROUNDS; round++)
            CHECK_EQUAL(!is_told && round == 0, epoll_wait(set, &event, 1, 0));
        event = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fd, &event));
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
        CHECK_EQUAL(EPOLLIN, event.events);
        CHECK_EQUAL(0, epoll_wait(set, &event, 1, 0));
        close(fd);
        close(peer);
        close(listener);
        close(set);
    }
}
