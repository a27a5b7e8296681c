/* SPDX-License-Identifier: Apache-2.0 */
/* Epoll sets as descriptors: copies, sets in sets, times below a millisecond, and handlers that close others. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void sets_add(int set, int fd, uint32_t events, uint64_t data)
{
    struct epoll_event event = {.events = events, .data.u64 = data};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
}

/* One event, with this data. */
static void sets_want(int set, uint64_t data)
{
    struct epoll_event event = {0};
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(data, event.data.u64);
    CHECK(event.events & EPOLLIN);
}

static int sets_copy(int set, int way)
{
    return way == 0   ? dup(set)
           : way == 1 ? fcntl(set, F_DUPFD_CLOEXEC, 3)
           : way == 2 ? dup2(set, 200)
                      : (int)syscall(SYS_dup, set);
}

/* A set is filled by one descriptor and waited for by another, as runtimes of Rust do; the first of them is closed. */
void calls_epoll_copied(void)
{
    for (int way = 0; way < 4; way++) {
        int set = way % 2 ? epoll_create1(EPOLL_CLOEXEC) : epoll_create(1), copy = sets_copy(set, way), fds[2],
            more[2];
        struct epoll_event event;
        char byte;
        CHECK(copy >= 0);
        calls_pair(fds);
        calls_pair(more);
        sets_add(copy, fds[1], EPOLLIN | EPOLLET, 77);
        for (int round = 0; round < 3; round++) {
            calls_write_all(fds[0], "x", 1);
            sets_want(set, 77);
            calls_read_all(fds[1], &byte, 1);
        }
        CHECK_EQUAL(0, epoll_wait(set, &event, 1, 0));
        int late = sets_copy(copy, 0);
        CHECK_OK(close(set));
        sets_add(late, more[1], EPOLLIN, 78);
        calls_write_all(more[0], "y", 1);
        sets_want(copy, 78);
        sets_want(late, 78);
        calls_read_all(more[1], &byte, 1);
        CHECK_OK(epoll_ctl(copy, EPOLL_CTL_DEL, more[1], NULL));
        calls_write_all(more[0], "z", 1);
        CHECK_EQUAL(0, epoll_wait(late, &event, 1, 20));
        close(copy);
        calls_write_all(fds[0], "x", 1);
        sets_want(late, 77);
        close(late);
        for (int i = 0; i < 2; i++) {
            close(fds[i]);
            close(more[i]);
        }
    }
}

/* A set in a set in a set: what its connections have is found from outside, also while bytes in memory ring no bell. */
void calls_epoll_nested(void)
{
    int inner = epoll_create1(0), middle = epoll_create1(0), outer = epoll_create1(0), fds[2];
    struct epoll_event event;
    char byte;
    calls_pair(fds);
    sets_add(inner, fds[1], EPOLLIN, 1);
    sets_add(middle, inner, EPOLLIN, 2);
    sets_add(outer, middle, EPOLLIN | EPOLLONESHOT, 3);
    for (int round = 0; round < 20; round++) {
        calls_write_all(fds[0], "x", 1); /* seen by the inner alone, which is awake then */
        sets_want(inner, 1);
        calls_read_all(fds[1], &byte, 1);
        CHECK_EQUAL(0, epoll_wait(inner, &event, 1, 0));
        calls_write_all(fds[0], "y", 1);
        sets_want(outer, 3);
        CHECK_EQUAL(0, epoll_wait(outer, &event, 1, 0)); /* a one-shot */
        sets_want(middle, 2);
        sets_want(inner, 1);
        struct pollfd one = {outer, POLLIN, 0};
        CHECK_EQUAL(0, poll(&one, 1, 0));
        event = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.u64 = 3};
        CHECK_OK(epoll_ctl(outer, EPOLL_CTL_MOD, middle, &event));
        CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
        calls_read_all(fds[1], &byte, 1);
    }
    close(outer);
    close(middle);
    close(inner);
    close(fds[0]);
    close(fds[1]);
}

static uint64_t sets_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* epoll_pwait2 refuses what is no time, and does not round to milliseconds what is one. */
void calls_epoll_fine(void)
{
    const struct timespec wrong[] = {{-1, 0}, {0, -1}, {0, 2000000000}}, fine = {0, 50000};
    int set = epoll_create1(0), fds[2];
    struct epoll_event event;
    uint64_t least_ns = UINT64_MAX;
    calls_pair(fds);
    sets_add(set, fds[1], EPOLLIN, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQUAL(-1, epoll_pwait2(set, &event, 1, &wrong[i], NULL));
        CHECK_EQUAL(EINVAL, errno);
    }
    CHECK_EQUAL(-1, epoll_pwait2(set, &event, 1, (const struct timespec *)8, NULL));
    CHECK_EQUAL(EFAULT, errno);
    for (int i = 0; i < 1000 && least_ns > 900000; i++) { /* one of them at least, on a busy machine */
        uint64_t begin_ns = sets_now_ns(), passed_ns;
        CHECK_EQUAL(0, epoll_pwait2(set, &event, 1, &fine, NULL));
        passed_ns = sets_now_ns() - begin_ns;
        CHECK(passed_ns >= 50000);
        least_ns = passed_ns < least_ns ? passed_ns : least_ns;
    }
    CHECK(least_ns <= 900000);
    close(set);
    close(fds[0]);
    close(fds[1]);
}

/* A set that is closed by its range leaves nothing at its number. */
void calls_epoll_range(void)
{
    int set = epoll_create1(0), fds[2], pipes[2];
    struct epoll_event event;
    char byte;
    calls_pair(fds);
    sets_add(set, fds[1], EPOLLIN, 1);
    calls_write_all(fds[0], "x", 1);
    sets_want(set, 1);
    CHECK_OK(close_range((unsigned)set, (unsigned)set, 0));
    CHECK_OK(pipe(pipes));
    CHECK_EQUAL(set, pipes[0]);
    struct pollfd one = {pipes[0], POLLIN, 0};
    CHECK_EQUAL(0, poll(&one, 1, 20));
    CHECK_EQUAL(-1, epoll_wait(pipes[0], &event, 1, 0));
    CHECK_EQUAL(EINVAL, errno);
    calls_read_all(fds[1], &byte, 1);
    for (int i = 0; i < 2; i++) {
        close(pipes[i]);
        close(fds[i]);
    }
}

static int sets_member; /* one of no interest, which the handler closes and opens again */

static void sets_open_and_close(int number)
{
    int saved = errno, file = open("/dev/null", O_RDONLY);
    (void)number;
    close(file);
    close(sets_member);
    sets_member = dup(0);
    errno = saved;
}

/* A signal's handler closes descriptors, which is allowed in one, while the program is inside calls of epoll. */
void calls_epoll_handler(void)
{
    enum { ROUNDS = 20000, PERIOD_US = 70 };
    int set = epoll_create1(0), fds[2], pipes[2];
    const struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = sets_open_and_close, .sa_flags = SA_RESTART};
    struct epoll_event event;
    char byte;
    calls_pair(fds);
    sets_add(set, fds[1], EPOLLIN, 1);
    CHECK_OK(pipe(pipes));
    sets_member = pipes[0];
    sets_add(set, pipes[0], EPOLLIN, 2);
    CHECK_OK(sigaction(SIGALRM, &action, NULL));
    alarm(0);
    CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        calls_write_all(fds[0], "x", 1);
        while (epoll_wait(set, &event, 1, -1) < 0)
            CHECK_EQUAL(EINTR, errno);
        CHECK_EQUAL(1, event.data.u64);
        calls_read_all(fds[1], &byte, 1);
        event = (struct epoll_event){.events = EPOLLIN, .data.u64 = 1};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fds[1], &event));
    }
    CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
    close(set);
    close(fds[0]);
    close(fds[1]);
    close(pipes[1]);
    close(sets_member);
}

/* EPOLLEXCLUSIVE before connect(): such a member cannot be modified. */
void calls_epoll_exclusive(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), set = epoll_create1(0), fd = socket(AF_INET, SOCK_STREAM, 0);
    char byte;
    sets_add(set, fd, EPOLLIN | EPOLLEXCLUSIVE, 5);
    CHECK_OK(connect(fd, (struct sockaddr *)&address, sizeof address));
    int server = accept(listener, NULL, NULL);
    calls_greet(fd, server);
    for (int round = 0; round < 50; round++) {
        struct epoll_event event;
        calls_write_all(server, "x", 1);
        sets_want(set, 5);
        calls_read_all(fd, &byte, 1);
        CHECK_EQUAL(0, epoll_wait(set, &event, 1, 0));
        event = (struct epoll_event){.events = EPOLLIN};
        CHECK_EQUAL(-1, epoll_ctl(set, EPOLL_CTL_MOD, fd, &event));
        CHECK_EQUAL(EINVAL, errno);
        event.events |= EPOLLEXCLUSIVE | EPOLLONESHOT;
        CHECK_EQUAL(-1, epoll_ctl(set, EPOLL_CTL_ADD, server, &event));
        CHECK_EQUAL(EINVAL, errno);
    }
    close(set);
    close(fd);
    close(server);
    close(listener);
}

/* The same while the program makes connections and closes them. */
void calls_life_handler(void)
{
    enum { ROUNDS = 3000, PERIOD_US = 70 };
    const struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = sets_open_and_close, .sa_flags = SA_RESTART};
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    sets_member = dup(0);
    CHECK_OK(sigaction(SIGALRM, &action, NULL));
    alarm(0);
    CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        int client = calls_connect(&address), server = accept(listener, NULL, NULL);
        CHECK(server >= 0);
        if (round % 100 == 0)
            calls_greet(client, server);
        close(client);
        close(server);
    }
    CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
    close(sets_member);
    close(listener);
}
