/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads that wait on one epoll set. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct threads_pool {
    int set;
    int release; /* a pipe: a slow request ends with a byte from it */
} threads_pool;

/* Two threads wait on one set, one event at a time; while one of them works, the other serves the rest. */
static void *threads_serve(void *argument)
{
    const threads_pool *pool = argument;
    int set = pool->set;
    for (;;) {
        struct epoll_event event;
        char byte;
        if (epoll_wait(set, &event, 1, 20000) != 1)
            return NULL;
        int fd = event.data.fd;
        if (read(fd, &byte, 1) != 1)
            return NULL;
        if (byte == 's')
            calls_read_all(pool->release, &byte, 1);
        calls_write_all(fd, &byte, 1);
        event.events = EPOLLIN | EPOLLONESHOT;
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fd, &event));
    }
}

void calls_epoll_threads(void)
{
    enum { CONNECTIONS = 5, THREADS = 2 };
    int set = epoll_create1(0), fds[CONNECTIONS][2], pipes[2];
    pthread_t threads[THREADS];
    char byte;
    CHECK_OK(pipe(pipes));
    threads_pool pool = {set, pipes[0]};
    for (int i = 0; i < CONNECTIONS; i++) {
        calls_pair(fds[i]);
        struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fds[i][1]};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[i][1], &event));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, threads_serve, &pool));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CONNECTIONS; i++) /* all are busy */
            calls_write_all(fds[i][0], "q", 1);
        for (int i = 0; i < CONNECTIONS; i++)
            calls_read_all(fds[i][0], &byte, 1);
        calls_write_all(fds[0][0], "s", 1);
        usleep(20000);
        for (int i = 1; i < CONNECTIONS; i++) {
            calls_write_all(fds[i][0], "q", 1);
            calls_read_all(fds[i][0], &byte, 1);
        }
        calls_write_all(pipes[1], "r", 1);
        calls_read_all(fds[0][0], &byte, 1);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i][0]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i][1]);
    close(pipes[0]);
    close(pipes[1]);
    close(set);
}

enum { STORM_WORKERS = 4, STORM_CLIENTS = 4, STORM_CONNECTIONS = 12, STORM_ROUNDS = 150, STORM_RENEWED = 10 };

typedef struct threads_storm {
    int set, listener;
    struct sockaddr_in address;
    _Atomic int is_over;
} threads_storm;

/* Serves whatever is ready, new connections too; a one-shot belongs to the thread that got it. */
static void *threads_storm_work(void *argument)
{
    threads_storm *storm = argument;
    struct epoll_event events[8];
    while (!storm->is_over) {
        int found = epoll_wait(storm->set, events, 8, 100);
        for (int i = 0; i < found; i++) {
            int fd = events[i].data.fd, op = EPOLL_CTL_MOD;
            char bytes[64];
            if (fd == storm->listener) {
                fd = accept(storm->listener, NULL, NULL);
                CHECK(fd >= 0);
                op = EPOLL_CTL_ADD;
                struct epoll_event again = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = storm->listener};
                CHECK_OK(epoll_ctl(storm->set, EPOLL_CTL_MOD, storm->listener, &again));
            } else {
                ssize_t got = read(fd, bytes, sizeof bytes);
                if (got <= 0) {
                    close(fd);
                    continue;
                }
                calls_write_all(fd, bytes, (size_t)got);
            }
            struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
            CHECK_OK(epoll_ctl(storm->set, op, fd, &event));
        }
    }
    return NULL;
}

/* Requests on several connections, of which one now and then is closed and made anew. */
static void *threads_storm_ask(void *argument)
{
    const threads_storm *storm = argument;
    int fds[STORM_CONNECTIONS];
    for (int i = 0; i < STORM_CONNECTIONS; i++)
        fds[i] = calls_connect(&storm->address);
    for (int round = 0; round < STORM_ROUNDS; round++) {
        unsigned char bytes[64];
        for (int i = 0; i < STORM_CONNECTIONS; i++) {
            memset(bytes, round + i, sizeof bytes);
            calls_write_all(fds[i], bytes, sizeof bytes);
        }
        for (int i = 0; i < STORM_CONNECTIONS; i++) {
            calls_read_all(fds[i], bytes, sizeof bytes);
            for (size_t j = 0; j < sizeof bytes; j++)
                CHECK_EQUAL((unsigned char)(round + i), bytes[j]);
        }
        if (round % STORM_RENEWED == 0) {
            int at = round / STORM_RENEWED % STORM_CONNECTIONS;
            close(fds[at]);
            fds[at] = calls_connect(&storm->address);
        }
    }
    for (int i = 0; i < STORM_CONNECTIONS; i++)
        close(fds[i]);
    return NULL;
}

void calls_epoll_storm(void)
{
    threads_storm storm = {.set = epoll_create1(0)};
    pthread_t workers[STORM_WORKERS], clients[STORM_CLIENTS];
    storm.listener = calls_listen(&storm.address);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = storm.listener};
    CHECK_OK(epoll_ctl(storm.set, EPOLL_CTL_ADD, storm.listener, &event));
    for (int i = 0; i < STORM_WORKERS; i++)
        CHECK_OK(pthread_create(&workers[i], NULL, threads_storm_work, &storm));
    for (int i = 0; i < STORM_CLIENTS; i++)
        CHECK_OK(pthread_create(&clients[i], NULL, threads_storm_ask, &storm));
    for (int i = 0; i < STORM_CLIENTS; i++)
        pthread_join(clients[i], NULL);
    storm.is_over = 1;
    for (int i = 0; i < STORM_WORKERS; i++)
        pthread_join(workers[i], NULL);
    close(storm.listener);
    close(storm.set);
}
