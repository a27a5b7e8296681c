/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Something unpleasant between two ranks: a place to call that hands everything on, in pieces of any size, and cuts
 * the connections when it is told to. Driven by the test's own thread.
 */
#ifndef TESTS_UNIT_TCP_PROXY_H
#define TESTS_UNIT_TCP_PROXY_H

#include <stdint.h>

enum { PROXY_PAIRS = 16, PROXY_BUFFER = 1 << 16 };

typedef struct proxy_flow {
    int from, to;
    int at, end; /* in the buffer: read and not yet written */
    char buffer[PROXY_BUFFER];
} proxy_flow;

typedef struct tcp_proxy {
    uint32_t host; /* its address */
    int listener, port, target_port;
    uint64_t *random;
    struct {
        int fds[2];
        proxy_flow flows[2];
    } pairs[PROXY_PAIRS];
    long long moved; /* bytes */
    int cuts;
} tcp_proxy;

/* On loopback, both. */
void tcp_proxy_open(tcp_proxy *proxy, int target_port, uint64_t *random);
/* The same at another address of loopback. */
void tcp_proxy_open_at(tcp_proxy *proxy, uint32_t host, int target_port, uint64_t *random);
/* Hand on what there is. */
void tcp_proxy_step(tcp_proxy *proxy);
/* End all connections, with a reset or in order; what is on its way is gone. */
void tcp_proxy_cut(tcp_proxy *proxy, int is_reset);
/* From now on calls are refused. */
void tcp_proxy_close(tcp_proxy *proxy);
/* At the same port again. */
void tcp_proxy_reopen(tcp_proxy *proxy);

/* The first port in an address text, and the same text with another one. */
int tcp_proxy_text_port(const char *address);
void tcp_proxy_redirect(char *address, int port);

#endif
