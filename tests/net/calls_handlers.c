/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of signals that close descriptors, which is allowed in one, or jump, in threads that are inside calls of
 * epoll. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HANDLERS_THREADS = 2, HANDLERS_ROUNDS = 10000 };

static int handlers_pipe;
static _Thread_local volatile int handlers_member; /* of this thread's set; its handler closes it and opens another */
static _Atomic int handlers_left;

static void handlers_close(int number)
{
    int saved = errno;
    (void)number;
    close(handlers_member);
    handlers_member = dup(handlers_pipe);
    errno = saved;
}

static void *handlers_run(void *argument)
{
    int set = epoll_create1(0), fds[2];
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 1};
    sigset_t none, usual;
    (void)argument;
    calls_pair(fds);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    handlers_member = dup(handlers_pipe);
    sigemptyset(&none);
    for (int round = 0; round < HANDLERS_ROUNDS; round++) {
        char byte;
        CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, &usual));
        event = (struct epoll_event){.events = EPOLLIN, .data.u64 = 2};
        epoll_ctl(set, EPOLL_CTL_ADD, handlers_member, &event);
        calls_write_all(fds[0], "x", 1);
        while (epoll_wait(set, &event, 1, -1) < 0)
            CHECK_EQUAL(EINTR, errno);
        CHECK_EQUAL(1, event.data.u64);
        CHECK_OK(pthread_sigmask(SIG_SETMASK, &usual, NULL));
        calls_read_all(fds[1], &byte, 1);
    }
    close(set);
    close(fds[0]);
    close(fds[1]);
    close(handlers_member);
    handlers_left--;
    return NULL;
}

/* Each of two threads is interrupted inside calls for its own set, by a handler whose close looks into all sets. */
void calls_handlers_two(void)
{
    struct sigaction action = {.sa_handler = handlers_close, .sa_flags = SA_RESTART};
    pthread_t threads[HANDLERS_THREADS];
    sigset_t mine;
    int pipes[2];
    CHECK_OK(pipe(pipes));
    handlers_pipe = pipes[0];
    handlers_left = HANDLERS_THREADS;
    CHECK_OK(sigaction(SIGUSR1, &action, NULL));
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    CHECK_OK(pthread_sigmask(SIG_BLOCK, &mine, NULL));
    for (int i = 0; i < HANDLERS_THREADS; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, handlers_run, NULL));
    for (int i = 0; handlers_left == HANDLERS_THREADS; i = !i) {
        pthread_kill(threads[i], SIGUSR1);
        sched_yield();
    }
    for (int i = 0; i < HANDLERS_THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    close(pipes[0]);
    close(pipes[1]);
}

/* ---- a handler that jumps ---------------------------------------------------------------------------------------- */

enum { HANDLERS_JUMP_MS = 100 };

static sigjmp_buf handlers_place;

static void handlers_jump(int number)
{
    (void)number;
    siglongjmp(handlers_place, 1);
}

/* This thread runs on that CPU of those that it may, if there are so many. */
static void handlers_pin(int wanted)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    CHECK_OK(sched_getaffinity(0, sizeof allowed, &allowed));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            CPU_SET(cpu, &one);
            CHECK_OK(sched_setaffinity(0, sizeof one, &one));
            return;
        }
}

static void *handlers_answer(void *argument)
{
    int fd = *(const int *)argument;
    char byte;
    handlers_pin(1);
    while (read(fd, &byte, 1) == 1)
        calls_write_all(fd, &byte, 1);
    close(fd);
    return NULL;
}

/* A handler jumps out of a wait, as programs did for time-outs, and the set can be used as before. With a long time to
 * spin it jumps out of that. */
void calls_handlers_jump(void)
{
    int set = epoll_create1(0), fds[2];
    struct epoll_event event = {.events = EPOLLIN};
    struct sigevent signal_event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    pthread_t peer;
    timer_t timer;
    char byte;
    calls_pair(fds);
    CHECK_EQUAL(0, pthread_create(&peer, NULL, handlers_answer, &fds[1]));
    handlers_pin(0);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[0], &event));
    calls_write_all(fds[0], "x", 1); /* the peer writes on its own CPU */
    calls_read_all(fds[0], &byte, 1);
    CHECK(signal(SIGUSR1, handlers_jump) != SIG_ERR);
    if (sigsetjmp(handlers_place, 1) == 0) {
        CHECK_OK(timer_create(CLOCK_MONOTONIC, &signal_event, &timer));
        CHECK_OK(timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_nsec = HANDLERS_JUMP_MS * 1000000}, NULL));
        epoll_wait(set, &event, 1, CALLS_LONG_MS);
        CHECK_FAIL("a wait without events has ended");
    }
    event = (struct epoll_event){.events = EPOLLIN, .data.u64 = 7};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fds[0], &event));
    calls_write_all(fds[0], "y", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(7, event.data.u64);
    calls_read_all(fds[0], &byte, 1);
    CHECK_EQUAL('y', byte);
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    CHECK_EQUAL(0, pthread_join(peer, NULL));
    close(fds[0]);
    close(set);
}
