/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of messages over one TCP connection, as NetPIPE measures it: for each size, and for the odd sizes around it, half
 * the time of a round trip. Plain sockets and nothing of ours; `netpipe.sh` runs it plain and by `corunna sock`.
 *
 *   netpipe [--max BYTES] [--ms MILLISECONDS] [--check]
 *   netpipe --echo CONNECTIONS [--ms MILLISECONDS]    requests a second of an epoll server
 *
 * One line a size: bytes, microseconds (the least of three runs), megabytes a second. --check compares every byte.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NETPIPE_RUNS = 3, NETPIPE_AROUND = 3, NETPIPE_REQUEST = 64, NETPIPE_CONNECTIONS_MAX = 1000 };

typedef struct netpipe_plan {
    size_t max_bytes;
    int run_ms, is_checked, connections;
} netpipe_plan;

static _Noreturn void netpipe_fail(const char *what)
{
    fprintf(stderr, "netpipe: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double netpipe_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void netpipe_send(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, bytes, length);
        if (done <= 0)
            netpipe_fail("write");
        bytes += done;
        length -= (size_t)done;
    }
}

/* 0: the other side has closed. */
static int netpipe_receive(int fd, char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = read(fd, bytes, length);
        if (done == 0)
            return 0;
        if (done < 0)
            netpipe_fail("read");
        bytes += done;
        length -= (size_t)done;
    }
    return 1;
}

/* ---- one connection ------------------------------------------------------------------------------------------------ */

/* A header of the next runs: bytes of a message, and how many come; 0 ends. */
typedef struct netpipe_order {
    uint64_t bytes, count;
} netpipe_order;

static void netpipe_serve(int fd, char *buffer)
{
    netpipe_order order;
    while (netpipe_receive(fd, (char *)&order, sizeof order) && order.count > 0)
        for (uint64_t i = 0; i < order.count; i++) {
            if (!netpipe_receive(fd, buffer, order.bytes))
                return;
            netpipe_send(fd, buffer, order.bytes);
        }
}

static void netpipe_check(const char *buffer, size_t bytes, uint64_t round)
{
    for (size_t i = 0; i < bytes; i++)
        if (buffer[i] != (char)(i * 7 + round)) {
            fprintf(stderr, "netpipe: byte %zu of %zu is wrong\n", i, bytes);
            exit(1);
        }
}

static double netpipe_run(int fd, char *buffer, size_t bytes, uint64_t count, int is_checked)
{
    netpipe_order order = {bytes, count};
    netpipe_send(fd, (const char *)&order, sizeof order);
    double begin = netpipe_seconds();
    for (uint64_t i = 0; i < count; i++) {
        for (size_t j = 0; is_checked && j < bytes; j++)
            buffer[j] = (char)(j * 7 + i);
        netpipe_send(fd, buffer, bytes);
        if (!netpipe_receive(fd, buffer, bytes))
            netpipe_fail("the other side is gone");
        if (is_checked)
            netpipe_check(buffer, bytes, i);
    }
    return (netpipe_seconds() - begin) / (double)count / 2;
}

static void netpipe_measure(int fd, char *buffer, size_t bytes, const netpipe_plan *plan)
{
    double once = netpipe_run(fd, buffer, bytes, 3, plan->is_checked), best = once;
    uint64_t count = (uint64_t)(plan->run_ms * 1e-3 / (2 * once)) + 1;
    for (int i = 0; i < NETPIPE_RUNS; i++) {
        double time = netpipe_run(fd, buffer, bytes, count, plan->is_checked);
        best = time < best ? time : best;
    }
    printf("%zu %.3f %.1f\n", bytes, best * 1e6, (double)bytes / best * 1e-6);
    fflush(stdout);
}

static void netpipe_sizes(int fd, char *buffer, const netpipe_plan *plan)
{
    for (size_t power = 1; power <= plan->max_bytes; power *= 2)
        for (int around = -NETPIPE_AROUND; around <= NETPIPE_AROUND; around += NETPIPE_AROUND) {
            if (power < 8 && around != 0)
                continue;
            size_t bytes = (size_t)((ptrdiff_t)power + around);
            if (bytes <= plan->max_bytes)
                netpipe_measure(fd, buffer, bytes, plan);
        }
    netpipe_send(fd, (const char *)&(netpipe_order){0, 0}, sizeof(netpipe_order));
}

/* ---- many connections ---------------------------------------------------------------------------------------------- */

static void netpipe_serve_many(int listener, int count)
{
    char bytes[NETPIPE_REQUEST];
    int set = epoll_create1(0), ended = 0;
    struct epoll_event events[64];
    for (int i = 0; i < count; i++) {
        int fd = accept(listener, NULL, NULL);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        if (fd < 0 || epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0)
            netpipe_fail("accept");
    }
    while (ended < count) {
        int found = epoll_wait(set, events, 64, -1);
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
static void netpipe_ask_many(const int *fds, const netpipe_plan *plan)
{
    char bytes[NETPIPE_REQUEST] = {0};
    int set = epoll_create1(0);
    uint64_t answers = 0;
    struct epoll_event events[64];
    for (int i = 0; i < plan->connections; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
        if (epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &event) != 0)
            netpipe_fail("epoll_ctl");
        netpipe_send(fds[i], bytes, sizeof bytes);
    }
    double begin = netpipe_seconds(), end = begin + plan->run_ms * 1e-3 * NETPIPE_RUNS, now;
    while ((now = netpipe_seconds()) < end) {
        int found = epoll_wait(set, events, 64, -1);
        for (int i = 0; i < found; i++) {
            if (!netpipe_receive(events[i].data.fd, bytes, sizeof bytes))
                netpipe_fail("the other side is gone");
            netpipe_send(events[i].data.fd, bytes, sizeof bytes);
            answers++;
        }
    }
    for (int i = 0; i < plan->connections; i++) /* the last answers */
        if (!netpipe_receive(fds[i], bytes, sizeof bytes))
            netpipe_fail("the other side is gone");
    printf("echo %d %.0f\n", plan->connections, (double)answers / (now - begin));
}

/* ---- both sides ------------------------------------------------------------------------------------------------------ */

static int netpipe_connect(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) != 0)
        netpipe_fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static int netpipe_options(int argc, char **argv, netpipe_plan *plan)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--check") == 0)
            plan->is_checked = 1;
        else if (strcmp(argv[i], "--max") == 0 && atol(value) > 0)
            plan->max_bytes = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--ms") == 0 && atoi(value) > 0)
            plan->run_ms = atoi(argv[++i]);
        else if (strcmp(argv[i], "--echo") == 0 && atoi(value) > 0 && atoi(value) <= NETPIPE_CONNECTIONS_MAX)
            plan->connections = atoi(argv[++i]);
        else
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    netpipe_plan plan = {.max_bytes = 16 << 20, .run_ms = 100};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int on = 1, fds[NETPIPE_CONNECTIONS_MAX], status;
    if (netpipe_options(argc, argv, &plan) != 0) {
        fprintf(stderr, "usage: netpipe [--max BYTES] [--ms N] [--check] [--echo CONNECTIONS]\n");
        return 2;
    }
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    char *buffer = calloc(1, plan.max_bytes + NETPIPE_AROUND);
    if (!buffer || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        netpipe_fail("listen");
    pid_t child = fork();
    if (child == 0) {
        if (plan.connections) {
            netpipe_serve_many(listener, plan.connections);
        } else {
            int fd = accept(listener, NULL, NULL);
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            netpipe_serve(fd, buffer);
        }
        exit(0);
    }
    int count = plan.connections ? plan.connections : 1;
    for (int i = 0; i < count; i++)
        fds[i] = netpipe_connect(&address);
    if (plan.connections)
        netpipe_ask_many(fds, &plan);
    else
        netpipe_sizes(fds[0], buffer, &plan);
    for (int i = 0; i < count; i++)
        close(fds[i]);
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
