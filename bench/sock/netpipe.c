/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of messages over one TCP connection, as NetPIPE measures it: for each size, and for the odd sizes around it,
 * half the time of a round trip. Plain sockets and nothing of ours; `netpipe.sh` runs it plain and by `corunna sock`.
 *
 *   netpipe [--max BYTES] [--only BYTES] [--ms MILLISECONDS] [--check]
 *   netpipe --echo CONNECTIONS [--idle CONNECTIONS] [--ms MILLISECONDS]    requests a second of an epoll server
 *   netpipe --pairs CONNECTIONS [--ms MILLISECONDS]                        of as many servers as clients, which block
 *   netpipe --memory CONNECTIONS                                           memory of a connection
 *
 * One line a size: bytes, microseconds (the least of three runs), megabytes a second. --check compares every byte.
 */
#define _GNU_SOURCE
#include "netpipe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NETPIPE_AROUND = 3 };

void netpipe_fail(const char *what)
{
    fprintf(stderr, "netpipe: %s: %s\n", what, strerror(errno));
    exit(1);
}

double netpipe_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void netpipe_send(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, bytes, length);
        if (done <= 0)
            netpipe_fail("write");
        bytes += done;
        length -= (size_t)done;
    }
}

int netpipe_receive(int fd, char *bytes, size_t length)
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

static void netpipe_send_at_once(int fd)
{
    int on = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        netpipe_fail("TCP_NODELAY");
}

int netpipe_connect(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) != 0)
        netpipe_fail("connect");
    netpipe_send_at_once(fd);
    return fd;
}

int netpipe_accept(int listener)
{
    int fd = accept(listener, NULL, NULL);
    if (fd < 0)
        netpipe_fail("accept");
    netpipe_send_at_once(fd);
    return fd;
}

void netpipe_await(int children)
{
    int status;
    for (int i = 0; i < children; i++)
        if (wait(&status) < 0 || status != 0) {
            fprintf(stderr, "netpipe: a process of the other side has failed\n");
            exit(1);
        }
}

/* ---- one connection ---------------------------------------------------------------------------------------------- */

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
    if (plan->only_bytes)
        netpipe_measure(fd, buffer, plan->only_bytes, plan);
    for (size_t power = 1; !plan->only_bytes && power <= plan->max_bytes; power *= 2)
        for (int around = -NETPIPE_AROUND; around <= NETPIPE_AROUND; around += NETPIPE_AROUND) {
            if (power < 8 && around != 0)
                continue;
            size_t bytes = (size_t)((ptrdiff_t)power + around);
            if (bytes <= plan->max_bytes)
                netpipe_measure(fd, buffer, bytes, plan);
        }
    netpipe_send(fd, (const char *)&(netpipe_order){0, 0}, sizeof(netpipe_order));
}

static void netpipe_stream(int listener, const struct sockaddr_in *address, const netpipe_plan *plan)
{
    size_t largest = plan->only_bytes > plan->max_bytes ? plan->only_bytes : plan->max_bytes;
    char *buffer = calloc(1, largest + NETPIPE_AROUND);
    if (!buffer)
        netpipe_fail("memory");
    if (fork() == 0) {
        netpipe_serve(netpipe_accept(listener), buffer);
        exit(0);
    }
    int fd = netpipe_connect(address);
    netpipe_sizes(fd, buffer, plan);
    close(fd);
    free(buffer);
    netpipe_await(1);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The field of a plan that an option with a number of connections sets. */
static int *netpipe_connections(netpipe_plan *plan, const char *option)
{
    if (strcmp(option, "--echo") == 0)
        return &plan->echo;
    if (strcmp(option, "--idle") == 0)
        return &plan->idle;
    if (strcmp(option, "--memory") == 0)
        return &plan->memory;
    return strcmp(option, "--pairs") == 0 ? &plan->pairs : NULL;
}

static int netpipe_options(int argc, char **argv, netpipe_plan *plan)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int *connections = netpipe_connections(plan, argv[i]);
        if (strcmp(argv[i], "--check") == 0)
            plan->is_checked = 1;
        else if (strcmp(argv[i], "--max") == 0 && atol(value) > 0)
            plan->max_bytes = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && atol(value) > 0)
            plan->only_bytes = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--ms") == 0 && atoi(value) > 0)
            plan->run_ms = atoi(argv[++i]);
        else if (connections && atoi(value) > 0 && atoi(value) <= NETPIPE_CONNECTIONS_MAX)
            *connections = atoi(argv[++i]);
        else
            return -1;
    }
    return plan->idle && !plan->echo ? -1 : 0;
}

int main(int argc, char **argv)
{
    netpipe_plan plan = {.max_bytes = 16 << 20, .run_ms = 100};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (netpipe_options(argc, argv, &plan) != 0) {
        fprintf(
            stderr,
            "usage: netpipe [--max BYTES] [--only BYTES] [--ms N] [--check] [--echo CONNECTIONS [--idle CONNECTIONS]] "
            "[--pairs CONNECTIONS] [--memory CONNECTIONS]; at most %d connections\n",
            NETPIPE_CONNECTIONS_MAX);
        return 2;
    }
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, NETPIPE_CONNECTIONS_MAX) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        netpipe_fail("listen");
    if (plan.echo)
        netpipe_echo(listener, &address, &plan);
    else if (plan.pairs)
        netpipe_pairs(listener, &address, &plan);
    else if (plan.memory)
        netpipe_memory(listener, &address, &plan);
    else
        netpipe_stream(listener, &address, &plan);
    return 0;
}
