/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a signal ends, or a cancellation, and signals that tell of bytes. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A signal comes for bytes (O_ASYNC), also for those after the first. */
void calls_signals(void)
{
    for (int by_ioctl = 0; by_ioctl < 2; by_ioctl++) {
        struct sockaddr_in address;
        sigset_t set;
        int listener = calls_listen(&address), on = 1;
        pid_t child = calls_echo(listener);
        int fd = calls_connect(&address);
        close(listener);
        char byte = 'u';
        calls_write_all(fd, &byte, 1);
        calls_read_all(fd, &byte, 1);
        sigemptyset(&set);
        sigaddset(&set, SIGIO);
        CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
        CHECK_OK(fcntl(fd, F_SETOWN, getpid()));
        CHECK_OK(fcntl(fd, F_SETFL, by_ioctl ? O_NONBLOCK : O_NONBLOCK | O_ASYNC));
        if (by_ioctl)
            CHECK_OK(ioctl(fd, FIOASYNC, &on));
        for (int i = 0; i < 5; i++) {
            calls_write_all(fd, &byte, 1);
            ssize_t got = -1;
            while (got < 0) {
                CHECK_EQUAL(SIGIO, sigtimedwait(&set, NULL, &(struct timespec){CALLS_LIMIT_S, 0}));
                got = read(fd, &byte, 1);
                CHECK(got == 1 || errno == EAGAIN);
            }
            CHECK_EQUAL(-1, read(fd, &byte, 1));
            CHECK_EQUAL(EAGAIN, errno);
        }
        close(fd);
        calls_wait(child);
    }
}

/* ---- a thread that leaves a read without its end ----------------------------------------------------------------- */

/* Bytes, and the end, reach a read that comes later. */
static void signals_go_on(int fds[2])
{
    struct timeval limit = {CALLS_LIMIT_S, 0};
    char byte;
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    calls_write_all(fds[1], "x", 1);
    calls_read_all(fds[0], &byte, 1);
    CHECK_EQUAL('x', byte);
    close(fds[1]);
    CHECK_EQUAL(0, read(fds[0], &byte, 1));
    close(fds[0]);
}

/* This end is closed, and nothing of the call that was left keeps it open: the peer reads all bytes, and the end. */
static void signals_close(int fds[2])
{
    static char bytes[1 << 16];
    ssize_t got;
    close(fds[0]);
    do
        got = read(fds[1], bytes, sizeof bytes);
    while (got > 0);
    CHECK_EQUAL(0, got);
    close(fds[1]);
}

static void *signals_read(void *argument)
{
    char byte;
    read(*(const int *)argument, &byte, 1);
    CHECK_FAIL("a read without bytes has ended");
    return NULL;
}

static void *signals_fill(void *argument)
{
    static char bytes[1 << 16];
    for (int i = 0; i < 1 << 20; i++)
        calls_write_all(*(const int *)argument, bytes, sizeof bytes);
    return NULL;
}

static void signals_cancel(void *(*run)(void *), int *fd_p)
{
    pthread_t thread;
    void *how;
    CHECK_OK(pthread_create(&thread, NULL, run, fd_p));
    check_asleep(getpid()); /* it waits by now */
    CHECK_OK(pthread_cancel(thread));
    CHECK_OK(pthread_join(thread, &how));
    CHECK(how == PTHREAD_CANCELED);
}

/* A thread that waits in a read can be cancelled, and so can one that waits in a write. */
void calls_cancel(void)
{
    int fds[2];
    calls_pair(fds);
    signals_cancel(signals_read, &fds[0]);
    signals_go_on(fds);
    calls_pair(fds);
    signals_cancel(signals_fill, &fds[0]);
    close(fds[0]);
    close(fds[1]);
}

static sigjmp_buf signals_place;

static void signals_jump(int number)
{
    (void)number;
    siglongjmp(signals_place, 1);
}

static void signals_jump_out(int fds[2])
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    calls_pair(fds);
    CHECK(signal(SIGUSR1, signals_jump) != SIG_ERR);
    if (sigsetjmp(signals_place, 1) == 0) {
        CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
        CHECK_OK(timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_nsec = 100 * 1000 * 1000}, NULL));
        signals_read(&fds[0]);
    }
}

/* A handler jumps out of a read, as programs did for time-outs. */
void calls_jump(void)
{
    int fds[2];
    signals_jump_out(fds);
    signals_go_on(fds);
    signals_jump_out(fds);
    signals_close(fds);
    signals_jump_out(fds);
    int other = dup(fds[0]);
    close(fds[0]);
    fds[0] = other;
    signals_go_on(fds);
}
