/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a thread leaves before they end: the connection is closed all the same. And calls that no signal ends. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void *left_read(void *argument)
{
    char byte;
    read(*(const int *)argument, &byte, 1);
    return NULL;
}

static void *left_recv_all(void *argument)
{
    char bytes[10];
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    (void)recvmsg(*(const int *)argument, &message, MSG_WAITALL);
    return NULL;
}

static void *left_poll(void *argument)
{
    struct pollfd one = {*(const int *)argument, POLLIN, 0};
    poll(&one, 1, -1);
    return NULL;
}

static void *left_poll_many(void *argument)
{
    struct pollfd many[100];
    for (int i = 0; i < 100; i++)
        many[i] = (struct pollfd){*(const int *)argument, POLLIN, 0};
    poll(many, 100, -1);
    return NULL;
}

static void *left_select(void *argument)
{
    int fd = *(const int *)argument;
    fd_set in;
    FD_ZERO(&in);
    FD_SET(fd, &in);
    select(fd + 1, &in, NULL, NULL, NULL);
    return NULL;
}

static void *left_write(void *argument)
{
    static char bytes[1 << 20];
    while (write(*(const int *)argument, bytes, sizeof bytes) > 0)
        ;
    return NULL;
}

/* A thread was cancelled in a call on fds[0], which is closed then. The other end is told. */
static void left_end(int fds[2])
{
    static char bytes[1 << 20];
    CHECK_OK(close(fds[0]));
    while (read(fds[1], bytes, sizeof bytes) > 0) /* what a writer has sent */
        ;
    CHECK_OK(close(fds[1]));
}

void calls_cancel_and_close(void)
{
    static void *(*const runs[])(void *) = {left_read,      left_recv_all, left_poll,
                                            left_poll_many, left_select,   left_write};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int fds[2];
        pthread_t thread;
        void *how;
        calls_pair(fds);
        CHECK_OK(pthread_create(&thread, NULL, runs[i], &fds[0]));
        check_asleep(getpid());
        CHECK_OK(pthread_cancel(thread));
        CHECK_OK(pthread_join(thread, &how));
        CHECK(how == PTHREAD_CANCELED);
        left_end(fds);
    }
}

static sigjmp_buf left_place;

static void left_jump(int number)
{
    (void)number;
    siglongjmp(left_place, 1);
}

/* A handler jumps out of a read for its time-out, and the program closes the connection. */
void calls_jump_and_close(void)
{
    const struct itimerval soon = {{0, 0}, {0, 100 * 1000}};
    int fds[2];
    calls_pair(fds);
    alarm(0);
    CHECK(signal(SIGALRM, left_jump) != SIG_ERR);
    if (sigsetjmp(left_place, 1) == 0) {
        CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
        left_read(&fds[0]);
        CHECK_FAIL("a read without bytes has ended");
    }
    left_end(fds);
}

static volatile sig_atomic_t left_signals;

static void left_count(int number)
{
    (void)number;
    left_signals = left_signals + 1;
}

/* No byte more, for a while at least, that fits between this side and the other. */
static void left_fill(int fd)
{
    static const char bytes[1 << 16];
    int flags = fcntl(fd, F_GETFL);
    struct pollfd one = {fd, POLLOUT, 0};
    ssize_t sent;
    CHECK_OK(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
    do {
        poll(&one, 1, 200);
        while (write(fd, bytes, sizeof bytes) > 0)
            ;
        sent = write(fd, bytes, 1);
    } while (sent > 0 || poll(&one, 1, 200) > 0 || write(fd, bytes, 1) > 0);
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_OK(fcntl(fd, F_SETFL, flags));
}

/* Lets the reader read after some signals, which have found the writer asleep. */
static void *left_release(void *argument)
{
    int before = left_signals;
    while (left_signals < before + 5)
        usleep(1000);
    calls_write_all(*(const int *)argument, "g", 1);
    return NULL;
}

/* A write that waits for room goes on after a signal whose handler has SA_RESTART, and ends after another. */
void calls_restarted(void)
{
    const struct itimerval often = {{0, 20 * 1000}, {0, 20 * 1000}}, never = {{0, 0}, {0, 0}};
    int fds[2], pipes[2];
    CHECK_OK(pipe(pipes));
    calls_pair(fds);
    left_fill(fds[0]);
    pid_t child = calls_fork();
    if (child == 0) {
        static char bytes[1 << 16];
        close(fds[0]);
        calls_read_all(pipes[0], bytes, 1);
        while (read(fds[1], bytes, sizeof bytes) > 0)
            ;
        exit(0);
    }
    close(fds[1]);
    alarm(0);
    struct sigaction action = {.sa_handler = left_count};
    CHECK_OK(sigaction(SIGALRM, &action, NULL));
    CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
    CHECK_EQUAL(-1, write(fds[0], "x", 1));
    CHECK_EQUAL(EINTR, errno);
    action.sa_flags = SA_RESTART;
    CHECK_OK(sigaction(SIGALRM, &action, NULL));
    sigset_t alarms, before;
    pthread_t thread;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    CHECK_OK(pthread_sigmask(SIG_BLOCK, &alarms, &before));
    CHECK_OK(pthread_create(&thread, NULL, left_release, &pipes[1]));
    CHECK_OK(pthread_sigmask(SIG_SETMASK, &before, NULL));
    CHECK_EQUAL(1, write(fds[0], "x", 1));
    CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
    pthread_join(thread, NULL);
    close(fds[0]);
    calls_wait(child);
    close(pipes[0]);
    close(pipes[1]);
}
