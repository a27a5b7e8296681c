/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads that wait on one epoll set, without a time-out: at its end they would look once more, and a wakeup
 * that was lost would not be noticed. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <pthread.h>
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
        if (epoll_wait(set, &event, 1, -1) != 1)
            return NULL;
        int fd = event.data.fd;
        if (read(fd, &byte, 1) != 1)
            return NULL;
        if (byte == 's') {
            calls_write_all(fd, "b", 1); /* it has begun */
            calls_read_all(pool->release, &byte, 1);
        }
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
        calls_read_all(fds[0][0], &byte, 1);
        CHECK_EQUAL('b', byte);
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

/* ---- edges ------------------------------------------------------------------------------------------------------- */

enum { EDGE_CONNECTIONS = 5, EDGE_THREADS = 2, EDGE_ROUNDS = 60, EDGE_MORE = 4 };

/* Serves edges until a connection ends; a slow request keeps the thread until it is released. */
static void *threads_serve_edges(void *argument)
{
    const threads_pool *pool = argument;
    for (;;) {
        struct epoll_event event;
        char byte;
        if (epoll_wait(pool->set, &event, 1, -1) != 1)
            return NULL;
        for (;;) {
            ssize_t got = recv(event.data.fd, &byte, 1, MSG_DONTWAIT);
            if (got == 0)
                return NULL;
            if (got < 0)
                break;
            if (byte == 's') {
                calls_write_all(event.data.fd, "b", 1); /* it has begun */
                calls_read_all(pool->release, &byte, 1);
            }
            calls_write_all(event.data.fd, &byte, 1);
        }
    }
}

/* While one thread works, the other is woken by what comes next, on the same connection and on others. */
void calls_epoll_edges(void)
{
    int set = epoll_create1(0), fds[EDGE_CONNECTIONS][2], pipes[2];
    pthread_t threads[EDGE_THREADS];
    char byte;
    CHECK_OK(pipe(pipes));
    threads_pool pool = {set, pipes[0]};
    for (int i = 0; i < EDGE_CONNECTIONS; i++) {
        calls_pair(fds[i]);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fds[i][1]};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[i][1], &event));
    }
    for (int i = 0; i < EDGE_THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, threads_serve_edges, &pool));
    for (int round = 0; round < EDGE_ROUNDS; round++) {
        int slow = round % EDGE_CONNECTIONS;
        if (round % 2)
            check_asleep(getpid()); /* both threads */
        calls_write_all(fds[slow][0], "s", 1);
        calls_read_all(fds[slow][0], &byte, 1);
        CHECK_EQUAL('b', byte);
        for (int more = 0; more < EDGE_MORE; more++) {
            calls_write_all(fds[slow][0], "q", 1);
            calls_read_all(fds[slow][0], &byte, 1);
            CHECK_EQUAL('q', byte);
            for (int i = 0; i < EDGE_CONNECTIONS; i++)
                if (i != slow)
                    calls_write_all(fds[i][0], "q", 1);
            for (int i = 0; i < EDGE_CONNECTIONS; i++)
                if (i != slow)
                    calls_read_all(fds[i][0], &byte, 1);
        }
        calls_write_all(pipes[1], "r", 1);
        calls_read_all(fds[slow][0], &byte, 1);
        CHECK_EQUAL('r', byte);
    }
    for (int i = 0; i < EDGE_CONNECTIONS; i++)
        close(fds[i][0]);
    for (int i = 0; i < EDGE_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < EDGE_CONNECTIONS; i++)
        close(fds[i][1]);
    close(pipes[0]);
    close(pipes[1]);
    close(set);
}

/* A thread that sleeps is woken by a one-shot that another thread sets anew, whose bytes came before. */
static void *threads_wait_once(void *argument)
{
    struct epoll_event event;
    CHECK_EQUAL(1, epoll_wait(*(int *)argument, &event, 1, -1));
    CHECK(event.events & EPOLLIN);
    return NULL;
}

void calls_epoll_again(void)
{
    int set = epoll_create1(0), fds[2];
    pthread_t thread;
    calls_pair(fds);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fds[1]};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_OK(pthread_create(&thread, NULL, threads_wait_once, &set));
    check_asleep(getpid());
    event.events = EPOLLIN | EPOLLONESHOT;
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fds[1], &event));
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
    close(set);
}

/* ---- a storm ----------------------------------------------------------------------------------------------------- */

enum { STORM_WORKERS = 4, STORM_CLIENTS = 4, STORM_CONNECTIONS = 12, STORM_ROUNDS = 800, STORM_RENEWED = 10 };

typedef struct threads_storm {
    int set, listener;
    int end; /* a pipe: has a byte when all is over, which stays there */
    struct sockaddr_in address;
} threads_storm;

/* Serves whatever is ready, new connections too; a one-shot belongs to the thread that got it. */
static void *threads_storm_work(void *argument)
{
    threads_storm *storm = argument;
    struct epoll_event events[8];
    for (;;) {
        int found = epoll_wait(storm->set, events, 8, -1);
        for (int i = 0; i < found; i++) {
            int fd = events[i].data.fd, op = EPOLL_CTL_MOD;
            char bytes[64];
            if (fd == storm->end)
                return NULL;
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
                if (bytes[0] % 2) { /* as some programs do it */
                    CHECK_OK(epoll_ctl(storm->set, EPOLL_CTL_DEL, fd, NULL));
                    op = EPOLL_CTL_ADD;
                }
            }
            struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
            CHECK_OK(epoll_ctl(storm->set, op, fd, &event));
        }
    }
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
    int pipes[2];
    pthread_t workers[STORM_WORKERS], clients[STORM_CLIENTS];
    storm.listener = calls_listen(&storm.address);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = storm.listener};
    CHECK_OK(epoll_ctl(storm.set, EPOLL_CTL_ADD, storm.listener, &event));
    CHECK_OK(pipe(pipes));
    storm.end = pipes[0];
    event = (struct epoll_event){.events = EPOLLIN, .data.fd = storm.end};
    CHECK_OK(epoll_ctl(storm.set, EPOLL_CTL_ADD, storm.end, &event));
    for (int i = 0; i < STORM_WORKERS; i++)
        CHECK_OK(pthread_create(&workers[i], NULL, threads_storm_work, &storm));
    for (int i = 0; i < STORM_CLIENTS; i++)
        CHECK_OK(pthread_create(&clients[i], NULL, threads_storm_ask, &storm));
    for (int i = 0; i < STORM_CLIENTS; i++)
        pthread_join(clients[i], NULL);
    CHECK_EQUAL(1, write(pipes[1], "e", 1));
    for (int i = 0; i < STORM_WORKERS; i++)
        pthread_join(workers[i], NULL);
    close(pipes[0]);
    close(pipes[1]);
    close(storm.listener);
    close(storm.set);
}
