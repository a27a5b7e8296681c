/* SPDX-License-Identifier: Apache-2.0 */
/* select, also with large sets, and waits for normal bytes alone. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

void calls_select(void)
{
    int fds[2];
    char bytes[10];
    fd_set in, out;
    pthread_t thread;
    struct timeval limit = {0, 20000};
    calls_pair(fds);
    FD_ZERO(&in);
    FD_SET(fds[1], &in);
    CHECK_EQUAL(0, select(fds[1] + 1, &in, NULL, NULL, &limit));
    CHECK(!FD_ISSET(fds[1], &in));
    FD_SET(fds[1], &in);
    FD_ZERO(&out);
    FD_SET(fds[1], &out);
    CHECK_EQUAL(1, select(fds[1] + 1, &in, &out, NULL, NULL));
    CHECK(!FD_ISSET(fds[1], &in) && FD_ISSET(fds[1], &out));
    CHECK_OK(pthread_create(&thread, NULL, calls_write_late, &fds[0]));
    FD_SET(fds[1], &in);
    CHECK_EQUAL(1, select(fds[1] + 1, &in, NULL, NULL, NULL));
    CHECK(FD_ISSET(fds[1], &in));
    CHECK_EQUAL(4, read(fds[1], bytes, 10));
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
}

/* Sets of more than FD_SETSIZE descriptors, as programs allocate them. */
void calls_select_many(void)
{
    enum { HIGH = 3000, WORDS = 4096 / (8 * sizeof(fd_mask)) };
    static fd_mask in[WORDS], out[WORDS]; /* of 4096 descriptors */
    const size_t word = HIGH / (8 * sizeof(fd_mask)), bit = HIGH % (8 * sizeof(fd_mask));
    int fds[2], pipes[2];
    char bytes[10];
    pthread_t thread;
    struct rlimit limit;
    CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = limit.rlim_max;
    CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
    if (limit.rlim_cur <= HIGH)
        return;
    calls_pair(fds);
    CHECK_OK(pipe(pipes));
    CHECK_EQUAL(HIGH, dup2(fds[1], HIGH));
    in[word] = (fd_mask)(1ul << bit);
    in[0] = (fd_mask)(1ul << pipes[0]);
    CHECK_EQUAL(0, select(HIGH + 1, (void *)in, NULL, NULL, &(struct timeval){0, 20000}));
    CHECK_EQUAL(0, in[word]);
    CHECK_EQUAL(0, in[0]);
    CHECK_OK(pthread_create(&thread, NULL, calls_write_late, &fds[0]));
    in[word] = out[word] = (fd_mask)(1ul << bit);
    CHECK_EQUAL(1, select(HIGH + 1, (void *)in, NULL, NULL, NULL));
    CHECK(in[word] == (fd_mask)(1ul << bit));
    CHECK_EQUAL(2, select(HIGH + 1, (void *)in, (void *)out, NULL, NULL));
    CHECK_EQUAL(4, read(HIGH, bytes, 10));
    pthread_join(thread, NULL);
    calls_write_all(pipes[1], "p", 1);
    in[0] = (fd_mask)(1ul << pipes[0]);
    CHECK_EQUAL(1, select(HIGH + 1, (void *)in, NULL, NULL, NULL));
    CHECK_EQUAL(0, in[word]);
    close(HIGH);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(pipes[i]);
    }
}

/* Programs may ask for normal bytes alone. */
void calls_normal(void)
{
    int fds[2], set = epoll_create1(0);
    char byte;
    calls_pair(fds);
    struct pollfd one = {fds[1], POLLRDNORM, 0};
    struct epoll_event event = {.events = EPOLLRDNORM, .data.fd = 5};
    pthread_t thread;
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    CHECK_EQUAL(0, poll(&one, 1, 20));
    CHECK_OK(pthread_create(&thread, NULL, calls_write_late, &fds[0]));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLRDNORM, event.events);
    pthread_join(thread, NULL);
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(POLLRDNORM, one.revents);
    event = (struct epoll_event){.events = EPOLLWRNORM | EPOLLET, .data.fd = 6};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fds[1], &event));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLWRNORM, event.events);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20)); /* an edge is told once */
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(1, read(fds[1], &byte, 1));
    close(fds[0]);
    close(fds[1]);
    close(set);
}
