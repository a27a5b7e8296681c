/* SPDX-License-Identifier: Apache-2.0 */
/* A thread sleeps on a set from outside, by a set that has it as a member or by poll, while another one works in it:
 * what comes to the inner set wakes the sleeper. So do the pollers of Java's virtual threads. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NESTED_ROUNDS = 20 };

typedef struct nested {
    int inner, outer; /* outer: -1: the sleeper polls the descriptor of the inner set */
    int fds[2];
    uint32_t events; /* that the outer set is asked for */
} nested;

static void nested_event(int set, int op, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    CHECK_OK(epoll_ctl(set, op, fd, &event));
}

static void *nested_sleep(void *argument)
{
    const nested *this = argument;
    struct epoll_event event;
    struct pollfd one = {this->inner, POLLIN, 0};
    if (this->outer < 0)
        CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    else
        CHECK_EQUAL(1, epoll_wait(this->outer, &event, 1, CALLS_LONG_MS));
    return NULL;
}

/* The inner set is looked at without a wait: nothing is in it. */
static void nested_look(const nested *this)
{
    struct epoll_event event;
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(0, epoll_wait(this->inner, &event, 1, 0));
}

static void nested_take(const nested *this)
{
    char byte;
    struct epoll_event event;
    CHECK_EQUAL(1, epoll_wait(this->inner, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(this->fds[1], event.data.fd);
    calls_read_all(this->fds[1], &byte, 1);
}

static void nested_round(nested *this, uint32_t events, void (*work)(const nested *this))
{
    pthread_t sleeper;
    nested_look(this);
    CHECK_EQUAL(0, pthread_create(&sleeper, NULL, nested_sleep, this));
    check_asleep(getpid());
    work(this);
    CHECK_EQUAL(0, pthread_join(sleeper, NULL));
    nested_take(this);
    if (events & EPOLLONESHOT)
        nested_look(this);
}

/* The set becomes a member while the other thread sleeps already. */
static void nested_join(const nested *this)
{
    nested_event(this->outer, EPOLL_CTL_ADD, this->inner, EPOLLIN);
    calls_write_all(this->fds[0], "x", 1);
}

static void nested_again(const nested *this)
{
    nested_event(this->outer, EPOLL_CTL_MOD, this->inner, EPOLLIN | EPOLLONESHOT);
    calls_write_all(this->fds[0], "x", 1);
}

/* A one-shot is asked for again, before or after a byte has come. */
static void nested_renew(const nested *this)
{
    nested_event(this->inner, EPOLL_CTL_MOD, this->fds[1], EPOLLIN | EPOLLONESHOT);
    calls_write_all(this->fds[0], "x", 1);
}

static void nested_renew_late(const nested *this)
{
    calls_write_all(this->fds[0], "x", 1);
    nested_event(this->inner, EPOLL_CTL_MOD, this->fds[1], EPOLLIN | EPOLLONESHOT);
}

static void nested_work(const nested *this)
{
    nested_look(this);
    calls_write_all(this->fds[0], "x", 1);
}

static void nested_run(uint32_t events, int is_polled, void (*first)(const nested *this),
                       void (*then)(const nested *this))
{
    nested this = {.inner = epoll_create1(0), .outer = is_polled ? -1 : epoll_create1(0)};
    calls_pair(this.fds);
    nested_event(this.inner, EPOLL_CTL_ADD, this.fds[1], events);
    if (events & EPOLLONESHOT) { /* it has been told once */
        calls_write_all(this.fds[0], "x", 1);
        nested_take(&this);
    }
    if (!first && !is_polled)
        nested_event(this.outer, EPOLL_CTL_ADD, this.inner, EPOLLIN);
    for (int round = 0; round < NESTED_ROUNDS; round++)
        nested_round(&this, events, round == 0 && first ? first : then);
    for (int i = 0; i < 2; i++)
        close(this.fds[i]);
    close(this.inner);
    if (!is_polled)
        close(this.outer);
}

void calls_nested_asleep(void)
{
    nested_run(EPOLLIN, 0, nested_join, nested_again);
    for (int is_polled = 0; is_polled < 2; is_polled++) {
        nested_run(EPOLLIN, is_polled, NULL, nested_work);
        nested_run(EPOLLIN | EPOLLONESHOT, is_polled, NULL, nested_renew);
        nested_run(EPOLLIN | EPOLLONESHOT, is_polled, NULL, nested_renew_late);
    }
}

/* ---- what only time tells ---------------------------------------------------------------------------------------- */

enum { NESTED_PIECE = 100000 };

/* Until the inner set has something. */
static void *nested_sleep_on(void *argument)
{
    const nested *this = argument;
    struct epoll_event event;
    struct pollfd one = {this->inner, POLLIN, 0};
    while (epoll_wait(this->inner, &event, 1, 0) == 0)
        if (this->outer < 0)
            CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
        else
            CHECK_EQUAL(1, epoll_wait(this->outer, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLOUT, event.events);
    return NULL;
}

/* A connection whose client has ended its half, and whose server finds no room. Returns what it has written. */
static size_t nested_fill(nested *this)
{
    static char bytes[NESTED_PIECE];
    size_t written = 0;
    ssize_t count;
    calls_pair(this->fds);
    CHECK_OK(shutdown(this->fds[0], SHUT_WR));
    CHECK_EQUAL(0, read(this->fds[1], bytes, 1));
    while ((count = send(this->fds[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        written += (size_t)count;
    return written;
}

/* The peer makes room, which the sleeper is to find. */
static void nested_empty(nested *this, size_t written, pthread_t sleeper)
{
    static char bytes[NESTED_PIECE];
    ssize_t count;
    check_asleep(getpid());
    for (; written > 0; written -= (size_t)count)
        CHECK((count = read(this->fds[0], bytes, sizeof bytes)) > 0);
    CHECK_EQUAL(0, pthread_join(sleeper, NULL));
    for (int i = 0; i < 2; i++)
        close(this->fds[i]);
    close(this->inner);
    if (this->outer >= 0)
        close(this->outer);
}

static void nested_half(int is_polled)
{
    nested this = {.inner = epoll_create1(0), .outer = is_polled ? -1 : epoll_create1(0)};
    pthread_t sleeper;
    size_t written = nested_fill(&this);
    nested_event(this.inner, EPOLL_CTL_ADD, this.fds[1], EPOLLOUT);
    if (!is_polled)
        nested_event(this.outer, EPOLL_CTL_ADD, this.inner, EPOLLIN);
    nested_look(&this);
    CHECK_EQUAL(0, pthread_create(&sleeper, NULL, nested_sleep_on, &this));
    nested_empty(&this, written, sleeper);
}

/* A member of the set finds no room; its peer has ended its own half, and makes room. */
void calls_nested_half(void)
{
    nested_half(0);
    nested_half(1);
}

/* As nested_sleep_on, but the outer set is asked first, in which the inner one may be a one-shot. */
static void *nested_sleep_first(void *argument)
{
    const nested *this = argument;
    struct epoll_event event;
    for (;;) {
        CHECK_EQUAL(1, epoll_wait(this->outer, &event, 1, CALLS_LONG_MS));
        if (epoll_wait(this->inner, &event, 1, 0) == 1)
            break;
        nested_event(this->outer, EPOLL_CTL_MOD, this->inner, this->events);
    }
    CHECK_EQUAL(EPOLLOUT, event.events);
    return NULL;
}

/* The member joins the inner set, whose events are taken, and the inner set the outer one, or is asked for again, while
 * the sleeper is there already. */
static void nested_half_late(uint32_t events)
{
    nested this = {.inner = epoll_create1(0), .outer = epoll_create1(0), .events = events};
    pthread_t sleeper;
    size_t written = nested_fill(&this);
    if (events & EPOLLONESHOT)
        nested_event(this.outer, EPOLL_CTL_ADD, this.inner, EPOLLONESHOT); /* for nothing yet */
    CHECK_EQUAL(0, pthread_create(&sleeper, NULL, nested_sleep_first, &this));
    check_asleep(getpid());
    nested_event(this.inner, EPOLL_CTL_ADD, this.fds[1], EPOLLOUT);
    nested_look(&this);
    nested_event(this.outer, events & EPOLLONESHOT ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, this.inner, events);
    nested_empty(&this, written, sleeper);
}

/* The member joins a set on which a thread sleeps, and whose events this one takes: by a wait of the same set, by poll,
 * or by an outer set. */
static void *nested_sleep_in(void *argument)
{
    const nested *this = argument;
    struct epoll_event event;
    CHECK_EQUAL(1, epoll_wait(this->inner, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLOUT, event.events);
    return NULL;
}

static void nested_half_beside(void *(*sleep)(void *), int has_outer)
{
    for (int round = 0; round < NESTED_ROUNDS; round++) {
        nested this = {.inner = epoll_create1(0), .outer = has_outer ? epoll_create1(0) : -1, .events = EPOLLIN};
        pthread_t sleeper;
        size_t written = nested_fill(&this);
        if (has_outer)
            nested_event(this.outer, EPOLL_CTL_ADD, this.inner, EPOLLIN);
        CHECK_EQUAL(0, pthread_create(&sleeper, NULL, sleep, &this));
        check_asleep(getpid());
        nested_event(this.inner, EPOLL_CTL_ADD, this.fds[1], EPOLLOUT);
        nested_look(&this);
        nested_empty(&this, written, sleeper);
    }
}

void calls_nested_half_late(void)
{
    nested_half_late(EPOLLIN);
    nested_half_late(EPOLLIN | EPOLLONESHOT);
    nested_half_beside(nested_sleep_in, 0);
    nested_half_beside(nested_sleep_on, 0);
    nested_half_beside(nested_sleep_on, 1);
}

/* A set that was not polled before, by other names of what it may have. */
void calls_nested_normal(void)
{
    const short names[] = {POLLRDNORM, POLLIN | POLLRDNORM, POLLIN};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        nested this = {.inner = epoll_create1(0), .outer = -1};
        struct pollfd one = {this.inner, names[i], 0};
        char byte;
        calls_pair(this.fds);
        calls_write_all(this.fds[0], "x", 1);
        nested_event(this.inner, EPOLL_CTL_ADD, this.fds[1], EPOLLIN);
        for (int k = 0; k < NESTED_ROUNDS; k++) { /* whatever the kernel reports has been seen */
            struct epoll_event events[2];
            CHECK_EQUAL(1, epoll_wait(this.inner, events, 2, 0));
        }
        CHECK_EQUAL(1, poll(&one, 1, 0));
        CHECK_EQUAL(names[i], one.revents);
        calls_read_all(this.fds[1], &byte, 1);
        for (int k = 0; k < 2; k++)
            close(this.fds[k]);
        close(this.inner);
    }
}
