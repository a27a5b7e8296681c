/* SPDX-License-Identifier: Apache-2.0 */
/* How a connection ends: both halves shut, a signal that ends a write. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ENDS_LOOKS = 20 };

/* A side that shuts both halves, at once or one by one, and has bytes unread: the peer reads what was written, and the
 * end without an error, before the close and after it. */
void calls_shut_unread(void)
{
    static const int ways[][2] = {{SHUT_RDWR, SHUT_RDWR}, {SHUT_WR, SHUT_RD}, {SHUT_RD, SHUT_WR}};
    for (int i = 0; i < 6; i++) {
        int fds[2];
        char bytes[10];
        calls_pair(fds);
        calls_write_all(fds[0], "unread", 6);
        calls_write_all(fds[1], "end", 3);
        CHECK_OK(shutdown(fds[1], ways[i / 2][0]));
        shutdown(fds[1], ways[i / 2][1]);
        if (i % 2)
            close(fds[1]);
        calls_read_all(fds[0], bytes, 3);
        CHECK_EQUAL(0, read(fds[0], bytes, sizeof bytes));
        CHECK_EQUAL(0, read(fds[0], bytes, sizeof bytes));
        if (i % 2 == 0) { /* what was there before can still be read */
            calls_read_all(fds[1], bytes, 6);
            CHECK_EQUAL(0, read(fds[1], bytes, sizeof bytes));
            close(fds[1]);
        }
        close(fds[0]);
    }
}

/* The server has bytes by TCP unread when the client moves, writes by memory and ends: the kernel's event of the end
 * comes while those bytes are first to be read, and there is no other. */
static void ends_before(uint32_t events, int is_closed)
{
    struct sockaddr_in address;
    struct epoll_event event = {.events = events}, found[2]; /* two: with room left the kernel is asked, too */
    char bytes[8];
    int listener = calls_listen(&address), client = calls_connect(&address), server = accept(listener, NULL, NULL);
    int set = epoll_create1(0);
    close(listener);
    calls_write_all(client, "qtcp", 4);
    calls_read_all(server, bytes, 1);
    calls_write_all(server, "a", 1);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, server, &event));
    calls_read_all(client, bytes, 1);
    calls_write_all(client, "ring", 4);
    CHECK_OK(is_closed ? close(client) : shutdown(client, SHUT_WR));
    for (int i = 0; i < ENDS_LOOKS; i++) {
        int count = epoll_wait(set, found, 2, i == 0 ? CALLS_LONG_MS : 0);
        CHECK(count == 1 || (i > 0 && (events & EPOLLET))); /* an edge may be told more than once */
    }
    calls_read_all(server, bytes, 3);
    CHECK_EQUAL(0, memcmp(bytes, "tcp", 3));
    calls_read_all(server, bytes, 4);
    CHECK_EQUAL(0, memcmp(bytes, "ring", 4));
    if (!(events & EPOLLET)) {
        CHECK_EQUAL(1, epoll_wait(set, found, 2, CALLS_LONG_MS));
        CHECK(found[0].events & EPOLLIN);
    }
    CHECK_EQUAL(0, read(server, bytes, 1));
    close(set);
    close(server);
    if (!is_closed)
        close(client);
}

void calls_end_before(void)
{
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        ends_before(EPOLLIN, is_closed);
        ends_before(EPOLLIN | EPOLLRDHUP, is_closed);
        ends_before(EPOLLIN | EPOLLET, is_closed);
    }
}

static int ends_fd;
static volatile sig_atomic_t ends_signals, ends_sent, ends_received, ends_shut;

/* Calls on the same connection, as handlers do that clean up and exit. */
static void ends_handle(int number)
{
    char byte;
    (void)number;
    ends_signals = ends_signals + 1;
    ends_sent = (sig_atomic_t)send(ends_fd, "x", 1, MSG_NOSIGNAL);
    ends_received = (sig_atomic_t)recv(ends_fd, &byte, 1, MSG_DONTWAIT);
    ends_shut = shutdown(ends_fd, SHUT_WR);
}

/* The signal of a write that fails comes when the call is over: its handler may do anything. */
void calls_pipe_handler(void)
{
    int fds[2];
    CHECK(signal(SIGPIPE, ends_handle) != SIG_ERR);
    calls_pair(fds);
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    ends_fd = fds[0];
    CHECK_EQUAL(-1, write(fds[0], "x", 1));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(1, ends_signals);
    CHECK_EQUAL(-1, ends_sent);
    CHECK_EQUAL(-1, ends_received);
    CHECK_OK(ends_shut);
    close(fds[0]);
    close(fds[1]);
}

/* ---- a number that is another file's
 * ------------------------------------------------------------------------------------ */

static void *ends_read(void *argument)
{
    char bytes[4];
    calls_read_all(*(const int *)argument, bytes, sizeof bytes);
    CHECK(memcmp(bytes, "late", sizeof bytes) == 0);
    return NULL;
}

enum { ENDS_BYTES = 24 << 20 };

static void *ends_write(void *argument)
{
    char *bytes = malloc(ENDS_BYTES);
    CHECK(bytes != NULL);
    memset(bytes, 'w', ENDS_BYTES);
    CHECK_EQUAL(ENDS_BYTES, write(*(const int *)argument, bytes, ENDS_BYTES));
    free(bytes);
    return NULL;
}

/* A connection that needs TCP for good, and is closed by another thread while a call waits on it: the call goes on with
 * the connection, not with the file that has the number by then. */
void calls_closed_plain(void)
{
    for (int is_write = 0; is_write < 2; is_write++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address), fd = calls_connect(&address), mark = 2, pipes[2];
        static char bytes[1 << 16];
        pthread_t thread;
        CHECK_OK(pipe(pipes));
        calls_write_all(pipes[1], "none", 4);
        CHECK_OK(pthread_create(&thread, NULL, is_write ? ends_write : ends_read, &fd));
        check_asleep(getpid());
        CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark));
        CHECK_OK((int)send(fd, "", 0, MSG_DONTWAIT)); /* finds it on TCP */
        int number = fd;
        CHECK_OK(close(number));
        CHECK_EQUAL(number, dup2(pipes[is_write], number));
        int server = accept(listener, NULL, NULL);
        CHECK(server >= 0);
        if (!is_write)
            calls_write_all(server, "late", 4);
        for (size_t done = 0; is_write && done < ENDS_BYTES;) {
            ssize_t got = read(server, bytes, sizeof bytes);
            CHECK(got > 0);
            done += (size_t)got;
        }
        pthread_join(thread, NULL);
        calls_read_all(pipes[0], bytes, 4);
        CHECK(memcmp(bytes, "none", 4) == 0);
        CHECK_EQUAL(0, read(server, bytes, 1));
        close(number);
        close(server);
        close(listener);
        close(pipes[0]);
        close(pipes[1]);
    }
}

/* Bytes lie unread, and the program waits for the end only: another descriptor is reported first, and then the end. */
static void ends_hang_up_by_epoll(uint32_t edge)
{
    int fds[2], pipes[2], set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLRDHUP | edge, .data.u64 = 1};
    calls_pair(fds);
    CHECK_OK(pipe(pipes));
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    event = (struct epoll_event){.events = EPOLLIN, .data.u64 = 2};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, pipes[0], &event));
    calls_write_all(fds[0], "unread", 6);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    calls_write_all(pipes[1], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(2, event.data.u64);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_DEL, pipes[0], NULL));
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(1, event.data.u64);
    CHECK(event.events & EPOLLRDHUP);
    close(set);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(pipes[i]);
    }
}

static void ends_hang_up_by_poll(void)
{
    int fds[2], pipes[2];
    calls_pair(fds);
    CHECK_OK(pipe(pipes));
    struct pollfd both[2] = {{fds[1], POLLRDHUP, 0}, {pipes[0], POLLIN, 0}};
    calls_write_all(fds[0], "unread", 6);
    CHECK_EQUAL(0, poll(both, 2, 20));
    calls_write_all(pipes[1], "x", 1);
    CHECK_EQUAL(1, poll(both, 2, CALLS_LONG_MS));
    CHECK_EQUAL(0, both[0].revents);
    CHECK_EQUAL(POLLIN, both[1].revents);
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    CHECK_EQUAL(1, poll(both, 1, CALLS_LONG_MS));
    CHECK_EQUAL(POLLRDHUP, both[0].revents);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(pipes[i]);
    }
}

void calls_hang_up_alone(void)
{
    ends_hang_up_by_epoll(0);
    ends_hang_up_by_epoll(EPOLLET);
    ends_hang_up_by_poll();
}
