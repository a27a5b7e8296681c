/* SPDX-License-Identifier: Apache-2.0 */
/* How a connection ends: both halves shut, a signal that ends a write. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* A side that shuts both halves, at once or one by one, and has bytes unread: the peer reads what was written, and the end
 * without an error, before the close and after it. */
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

static int ends_fd, ends_signals;

/* Calls on the same connection, as handlers do that clean up and exit. */
static void ends_handle(int number)
{
    char byte;
    (void)number;
    ends_signals++;
    CHECK_EQUAL(-1, send(ends_fd, "x", 1, MSG_NOSIGNAL));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(-1, recv(ends_fd, &byte, 1, MSG_DONTWAIT));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_OK(shutdown(ends_fd, SHUT_WR));
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
    close(fds[0]);
    close(fds[1]);
}
