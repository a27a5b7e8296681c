/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of netpipe share: a plan, and blocking calls on plain sockets that end the program when one fails.
 *
 * netpipe.c measures one connection, netpipe_many.c many of them, netpipe_memory.c what they need. A server is a child
 * of the program; it ends when its clients have closed their connections.
 */
#ifndef NETPIPE_H
#define NETPIPE_H

#include <netinet/in.h>
#include <stddef.h>

enum { NETPIPE_RUNS = 3, NETPIPE_CONNECTIONS_MAX = 4000 };

typedef struct netpipe_plan {
    size_t max_bytes, only_bytes; /* only_bytes: this size alone, unless 0 */
    int run_ms, is_checked;
    int echo, idle, pairs, memory; /* connections; 0: another test */
} netpipe_plan;

/* Prints errno's words and ends the program. */
_Noreturn void netpipe_fail(const char *what);
double netpipe_seconds(void);
void netpipe_send(int fd, const char *bytes, size_t length);
/* 0: the other side has closed. */
int netpipe_receive(int fd, char *bytes, size_t length);
/* Without Nagle's algorithm, as netpipe_accept. */
int netpipe_connect(const struct sockaddr_in *address);
int netpipe_accept(int listener);
/* Waits for so many children, which must all end well. */
void netpipe_await(int children);

/* An epoll server with plan->echo connections that ask without a pause and plan->idle that have asked once. Prints
 * requests a second. */
void netpipe_echo(int listener, const struct sockaddr_in *address, const netpipe_plan *plan);
/* plan->pairs clients, each with a server of its own, all of them processes that block. Prints requests a second of
 * all. */
void netpipe_pairs(int listener, const struct sockaddr_in *address, const netpipe_plan *plan);
/* plan->memory connections to an epoll server. Prints for both ends, when the connections are open, when each has asked
 * once, and when each has moved 1 MiB both ways: KiB a connection of private memory, of page tables, and of rings. */
void netpipe_memory(int listener, const struct sockaddr_in *address, const netpipe_plan *plan);

#endif
