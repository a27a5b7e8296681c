/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "netpipe.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MANY_REQUEST = 64, MANY_EVENTS = 64 };

/* One request and its answer. */
static void many_ask(int fd)
{
    char bytes[MANY_REQUEST] = {0};
    netpipe_send(fd, bytes, sizeof bytes);
    if (!netpipe_receive(fd, bytes, sizeof bytes))
        netpipe_fail("the other side is gone");
}

static void many_watch(int set, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0)
        netpipe_fail("epoll_ctl");
}

/* ---- one server -------------------------------------------------------------------------------------------------- */

static void echo_serve(int listener, int count)
{
    char bytes[MANY_REQUEST];
    int set = epoll_create1(0), ended = 0;
    struct epoll_event events[MANY_EVENTS];
    for (int i = 0; i < count; i++)
        many_watch(set, netpipe_accept(listener));
    while (ended < count) {
        int found = epoll_wait(set, events, MANY_EVENTS, -1);
        for (int i = 0; i < found; i++) {
            if (netpipe_receive(events[i].data.fd, bytes, sizeof bytes)) {
                netpipe_send(events[i].data.fd, bytes, sizeof bytes);
            } else {
                close(events[i].data.fd);
                ended++;
            }
        }
    }
}

/* All connections have one request under way; each answer is followed by the next request. */
static void echo_ask(const int *fds, const netpipe_plan *plan)
{
    char bytes[MANY_REQUEST] = {0};
    int set = epoll_create1(0);
    uint64_t answers = 0;
    struct epoll_event events[MANY_EVENTS];
    for (int i = 0; i < plan->echo; i++) {
        many_watch(set, fds[i]);
        netpipe_send(fds[i], bytes, sizeof bytes);
    }
    double begin = netpipe_seconds(), end = begin + plan->run_ms * 1e-3 * NETPIPE_RUNS, now;
    while ((now = netpipe_seconds()) < end) {
        int found = epoll_wait(set, events, MANY_EVENTS, -1);
        for (int i = 0; i < found; i++) {
            if (!netpipe_receive(events[i].data.fd, bytes, sizeof bytes))
                netpipe_fail("the other side is gone");
            netpipe_send(events[i].data.fd, bytes, sizeof bytes);
            answers++;
        }
    }
    for (int i = 0; i < plan->echo; i++) /* the last answers */
        if (!netpipe_receive(fds[i], bytes, sizeof bytes))
            netpipe_fail("the other side is gone");
    printf("echo %d %.0f\n", plan->echo, (double)answers / (now - begin));
}

void netpipe_echo(int listener, const struct sockaddr_in *address, const netpipe_plan *plan)
{
    int count = plan->echo + plan->idle;
    int *fds = calloc((size_t)count, sizeof *fds);
    if (!fds)
        netpipe_fail("memory");
    if (fork() == 0) {
        echo_serve(listener, count);
        exit(0);
    }
    for (int i = 0; i < count; i++)
        fds[i] = netpipe_connect(address);
    for (int i = plan->echo; i < count; i++)
        many_ask(fds[i]);
    echo_ask(fds, plan);
    for (int i = 0; i < count; i++)
        close(fds[i]);
    free(fds);
    netpipe_await(1);
}

/* ---- a server for each client ------------------------------------------------------------------------------------ */

static void pairs_serve(int listener)
{
    char bytes[MANY_REQUEST];
    int fd = netpipe_accept(listener);
    while (netpipe_receive(fd, bytes, sizeof bytes))
        netpipe_send(fd, bytes, sizeof bytes);
}

/* Tells that it is ready, begins when the other end of `go` is closed, and stores its requests a second. */
static void pairs_ask(int fd, int ready, int go, const netpipe_plan *plan, double *rate_p)
{
    char byte = 0;
    uint64_t answers = 0;
    many_ask(fd);
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 0)
        netpipe_fail("the program is gone");
    double begin = netpipe_seconds(), end = begin + plan->run_ms * 1e-3 * NETPIPE_RUNS, now;
    for (; (now = netpipe_seconds()) < end; answers++)
        many_ask(fd);
    *rate_p = (double)answers / (now - begin);
}

void netpipe_pairs(int listener, const struct sockaddr_in *address, const netpipe_plan *plan)
{
    int ready[2], go[2];
    double sum = 0, *rates = mmap(NULL, (size_t)plan->pairs * sizeof *rates, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rates == MAP_FAILED || pipe(ready) != 0 || pipe(go) != 0)
        netpipe_fail("pipe");
    for (int i = 0; i < 2 * plan->pairs; i++)
        if (fork() == 0) {
            close(go[1]);
            if (i % 2)
                pairs_ask(netpipe_connect(address), ready[1], go[0], plan, &rates[i / 2]);
            else
                pairs_serve(listener);
            exit(0);
        }
    close(ready[1]);
    for (int i = 0; i < plan->pairs; i++) {
        char byte;
        if (read(ready[0], &byte, 1) != 1)
            netpipe_fail("a client is gone");
    }
    close(go[1]);
    netpipe_await(2 * plan->pairs);
    for (int i = 0; i < plan->pairs; i++)
        sum += rates[i];
    printf("pairs %d %.0f\n", plan->pairs, sum);
}
