/* SPDX-License-Identifier: Apache-2.0 */
/* Epoll tells of a member once: in one result, and of a one-shot altogether. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ONCE_ROUNDS = 20, ONCE_ROOM = 8, ONCE_TURNS = 6 };

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

/* A socket that becomes a one-shot before it is connected is told of as such: it hangs. Not again, whatever comes,
 * until it is asked for again. */
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

/* A byte for the other process, which waits for it. */
static void once_pass(const int pipes[2][2], int me)
{
    CHECK_EQUAL(1, write(pipes[me][1], "x", 1));
}

static void once_await(const int pipes[2][2], int me)
{
    char byte;
    CHECK_EQUAL(1, read(pipes[!me][0], &byte, 1));
}

static void once_in_vain(int set)
{
    struct epoll_event events[ONCE_ROOM];
    for (int round = 0; round < ONCE_ROUNDS; round++)
        CHECK_EQUAL(0, epoll_wait(set, events, ONCE_ROOM, 0));
}

/* There is a byte, of which the one-shot is not told here. It is asked for again. */
static void once_again(int set, const int fds[2])
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fds[1]};
    char byte;
    once_in_vain(set);
    calls_read_all(fds[1], &byte, 1);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fds[1], &event));
}

/* A process waits for the one-shot; then the other does in vain. That one asks again, and then it waits. */
static void once_forked(int set, const int fds[2], const int pipes[2][2], int me)
{
    if (me) {
        once_again(set, fds);
        once_pass(pipes, me);
    } else {
        once_await(pipes, me);
    }
    for (int turn = 0; turn < ONCE_TURNS; turn++) {
        struct epoll_event events[ONCE_ROOM];
        if (turn % 2 == me) {
            calls_write_all(fds[0], "x", 1);
            CHECK_EQUAL(1, epoll_wait(set, events, ONCE_ROOM, CALLS_LONG_MS));
            CHECK_EQUAL(fds[1], events[0].data.fd);
            once_pass(pipes, me);
            once_await(pipes, me);
        } else {
            once_await(pipes, me);
            once_again(set, fds);
            once_pass(pipes, me);
        }
    }
}

/* The other process has ended. The connection, which may move only now, does so while the one-shot is off. */
static void once_alone(int set, const int fds[2])
{
    struct epoll_event event;
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    calls_read_all(fds[1], &(char){0}, 1);
    for (int i = 0; i < 8; i++)
        calls_greet(fds[0], fds[1]);
    calls_write_all(fds[0], "x", 1);
    once_again(set, fds);
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
}

/* A set that two processes have since a fork. */
void calls_once_forked(void)
{
    int set = epoll_create1(0), fds[2], pipes[2][2];
    calls_pair(fds);
    once_add(set, fds[1], EPOLLIN | EPOLLONESHOT);
    calls_write_all(fds[0], "x", 1);
    struct epoll_event event;
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS)); /* before the fork */
    CHECK_OK(pipe(pipes[0]));
    CHECK_OK(pipe(pipes[1]));
    pid_t child = calls_fork();
    once_forked(set, fds, (const int(*)[2])pipes, child == 0);
    if (child == 0) {
        close(fds[0]);
        close(fds[1]);
        exit(0);
    }
    calls_wait(child);
    once_alone(set, fds);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    close(set);
}
