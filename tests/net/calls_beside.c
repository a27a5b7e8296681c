/* SPDX-License-Identifier: Apache-2.0 */
/* What other threads do with a descriptor while its connection moves from TCP to memory: the bytes stay whole, and none
 * waits for ever. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BESIDE_ROUNDS = 30, BESIDE_TURNS = 12, BESIDE_BYTES = 3000, BESIDE_WAIT_MS = 60000 };

typedef struct beside {
    int fd;
    pthread_t talker;
    void (*act)(struct beside *beside);
    _Atomic int is_over;
} beside;

/* ---- the conversation ------------------------------------------------------------------------------------------- */

static void beside_await(int fd, short events)
{
    struct pollfd one = {fd, events, 0};
    int ready = poll(&one, 1, BESIDE_WAIT_MS);
    if (ready == 0)
        CHECK_FAIL("nothing happens on the connection");
    CHECK(ready > 0 || errno == EINTR);
}

/* Whether the descriptor blocks changes meanwhile, and signals come. */
static void beside_write(int fd, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t sent = send(fd, bytes + done, length - done, MSG_NOSIGNAL);
        if (sent > 0)
            done += (size_t)sent;
        else if (errno == EAGAIN)
            beside_await(fd, POLLOUT);
        else if (errno != EINTR)
            CHECK_FAIL("send: %s", strerror(errno));
    }
}

static void beside_read(int fd, char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = recv(fd, bytes + done, length - done, 0);
        if (got > 0)
            done += (size_t)got;
        else if (got == 0)
            CHECK_FAIL("the end after %zu of %zu bytes", done, length);
        else if (errno == EAGAIN)
            beside_await(fd, POLLIN);
        else if (errno != EINTR)
            CHECK_FAIL("recv: %s", strerror(errno));
    }
}

/* An answer comes only to what was written, so the turns count as those of a program. */
static void beside_talk(int fd, unsigned salt)
{
    char sent[BESIDE_BYTES], got[BESIDE_BYTES];
    for (unsigned turn = 0; turn < BESIDE_TURNS; turn++) {
        size_t length = 1 + (salt * 7919 + turn * 104729) % BESIDE_BYTES;
        for (size_t i = 0; i < length; i++)
            sent[i] = (char)calls_byte(i, salt + turn);
        beside_write(fd, sent, length);
        beside_read(fd, got, length);
        CHECK(memcmp(sent, got, length) == 0);
    }
}

/* ---- what happens beside it ------------------------------------------------------------------------------------- */

static void *beside_loop(void *argument)
{
    beside *this = argument;
    while (!atomic_load(&this->is_over))
        this->act(this);
    return NULL;
}

static void beside_run(void (*act)(beside *this))
{
    for (unsigned round = 0; round < BESIDE_ROUNDS; round++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t echo = calls_echo(listener);
        beside this = {.fd = calls_connect(&address), .talker = pthread_self(), .act = act};
        pthread_t actor;
        close(listener);
        CHECK_EQUAL(0, pthread_create(&actor, NULL, beside_loop, &this));
        beside_talk(this.fd, round);
        atomic_store(&this.is_over, 1);
        CHECK_EQUAL(0, pthread_join(actor, NULL));
        beside_talk(this.fd, round + BESIDE_ROUNDS);
        close(this.fd);
        calls_wait(echo);
    }
}

static void beside_act_set(beside *this)
{
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(EPOLL_CLOEXEC);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, this->fd, &event));
    CHECK(epoll_wait(set, &event, 1, 0) >= 0);
    event.events = EPOLLIN | EPOLLET;
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, this->fd, &event));
    CHECK(epoll_wait(set, &event, 1, 0) >= 0);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_DEL, this->fd, NULL));
    close(set);
}

static void beside_act_copy(beside *this)
{
    int copy = dup(this->fd);
    CHECK(copy >= 0);
    struct pollfd one = {copy, POLLOUT, 0};
    CHECK(poll(&one, 1, 0) >= 0);
    close(copy);
}

static void beside_act_mode(beside *this)
{
    int flags = fcntl(this->fd, F_GETFL);
    CHECK(flags >= 0);
    CHECK_OK(fcntl(this->fd, F_SETFL, flags ^ O_NONBLOCK));
}

static void beside_act_fork(beside *this)
{
    (void)this;
    pid_t child = calls_fork();
    if (child == 0)
        _exit(0);
    calls_wait(child);
}

static _Atomic int beside_handled;

static void beside_handle(int number)
{
    (void)number;
    atomic_fetch_add(&beside_handled, 1);
}

static void beside_act_signal(beside *this)
{
    CHECK_EQUAL(0, pthread_kill(this->talker, SIGUSR1));
    sched_yield();
}

static void *beside_peek(void *argument)
{
    char byte;
    while (recv(*(const int *)argument, &byte, 1, MSG_PEEK) != 0)
        pthread_testcancel();
    return NULL;
}

static void beside_act_cancel(beside *this)
{
    pthread_t reader;
    CHECK_EQUAL(0, pthread_create(&reader, NULL, beside_peek, &this->fd));
    sched_yield();
    CHECK_EQUAL(0, pthread_cancel(reader));
    CHECK_EQUAL(0, pthread_join(reader, NULL));
}

void calls_beside_sets(void)
{
    beside_run(beside_act_set);
}

void calls_beside_copies(void)
{
    beside_run(beside_act_copy);
}

void calls_beside_modes(void)
{
    beside_run(beside_act_mode);
}

void calls_beside_forks(void)
{
    beside_run(beside_act_fork);
}

void calls_beside_signals(void)
{
    struct sigaction action = {.sa_handler = beside_handle};
    CHECK_OK(sigaction(SIGUSR1, &action, NULL));
    beside_run(beside_act_signal);
    CHECK(atomic_load(&beside_handled) > 0);
}

void calls_beside_cancels(void)
{
    beside_run(beside_act_cancel);
}

/* A set that has the connection before it moves tells of bytes that come after it. */
void calls_beside_told(void)
{
    for (unsigned round = 0; round < BESIDE_ROUNDS; round++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address), set = epoll_create1(EPOLL_CLOEXEC);
        pid_t echo = calls_echo(listener);
        int fd = calls_connect(&address);
        struct epoll_event event = {.events = EPOLLIN | (round % 2 ? (uint32_t)EPOLLET : 0)};
        char byte = 'x';
        close(listener);
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
        for (int turn = 0; turn < BESIDE_TURNS; turn++) {
            beside_write(fd, &byte, 1);
            CHECK_EQUAL(1, epoll_wait(set, &event, 1, BESIDE_WAIT_MS));
            beside_read(fd, &byte, 1);
        }
        CHECK_OK(shutdown(fd, SHUT_WR));
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, BESIDE_WAIT_MS));
        CHECK_EQUAL(0, recv(fd, &byte, 1, 0));
        close(fd);
        close(set);
        calls_wait(echo);
    }
}
