/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tcp_proxy.h"

#include "check.h"
#include "unit_random.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

static struct sockaddr_in proxy_place(uint32_t host, int port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(host)};
}

void tcp_proxy_open(tcp_proxy *proxy, int target_port, uint64_t *random)
{
    tcp_proxy_open_at(proxy, INADDR_LOOPBACK, target_port, random);
}

void tcp_proxy_open_at(tcp_proxy *proxy, uint32_t host, int target_port, uint64_t *random)
{
    memset(proxy, 0, sizeof *proxy);
    proxy->host = host;
    proxy->target_port = target_port;
    proxy->random = random;
    for (int i = 0; i < PROXY_PAIRS; i++)
        proxy->pairs[i].fds[0] = -1;
    tcp_proxy_reopen(proxy);
}

void tcp_proxy_reopen(tcp_proxy *proxy)
{
    struct sockaddr_in place = proxy_place(proxy->host, proxy->port);
    socklen_t bytes = sizeof place;
    int on = 1;
    proxy->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    CHECK_EQUAL(0, setsockopt(proxy->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    CHECK_EQUAL(0, bind(proxy->listener, (struct sockaddr *)(void *)&place, sizeof place));
    CHECK_EQUAL(0, listen(proxy->listener, 16));
    CHECK_EQUAL(0, getsockname(proxy->listener, (struct sockaddr *)(void *)&place, &bytes));
    proxy->port = ntohs(place.sin_port);
}

static void proxy_drop(tcp_proxy *proxy, int index, int is_reset)
{
    struct linger linger = {1, 0};
    for (int i = 0; i < 2; i++) {
        if (is_reset)
            setsockopt(proxy->pairs[index].fds[i], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
        close(proxy->pairs[index].fds[i]);
    }
    proxy->pairs[index].fds[0] = -1;
}

static void proxy_accept(tcp_proxy *proxy)
{
    int fd = accept4(proxy->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), index = 0, on = 1;
    struct sockaddr_in place = proxy_place(INADDR_LOOPBACK, proxy->target_port);
    if (fd < 0)
        return;
    while (index < PROXY_PAIRS && proxy->pairs[index].fds[0] >= 0)
        index++;
    int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (index == PROXY_PAIRS || connect(other, (struct sockaddr *)(void *)&place, sizeof place) != 0) {
        close(fd);
        close(other);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(other, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int fds[2] = {fd, other};
    for (int i = 0; i < 2; i++) {
        proxy_flow *flow = &proxy->pairs[index].flows[i];
        proxy->pairs[index].fds[i] = fds[i];
        flow->from = fds[i];
        flow->to = fds[1 - i];
        flow->at = flow->end = 0;
    }
}

/* 0: one end has gone. */
static int proxy_move(tcp_proxy *proxy, proxy_flow *flow)
{
    if (flow->at == flow->end) {
        size_t most = 1 + unit_random(proxy->random) % PROXY_BUFFER;
        ssize_t got = recv(flow->from, flow->buffer, most, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return 0;
        flow->at = 0;
        flow->end = got > 0 ? (int)got : 0;
    }
    if (flow->at < flow->end) {
        size_t most = 1 + unit_random(proxy->random) % (uint64_t)(flow->end - flow->at);
        ssize_t sent = send(flow->to, flow->buffer + flow->at, most, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            return 0;
        flow->at += sent > 0 ? (int)sent : 0;
        proxy->moved += sent > 0 ? sent : 0;
    }
    return 1;
}

void tcp_proxy_step(tcp_proxy *proxy)
{
    if (proxy->listener < 0)
        return;
    proxy_accept(proxy);
    for (int i = 0; i < PROXY_PAIRS; i++)
        if (proxy->pairs[i].fds[0] >= 0 &&
            (!proxy_move(proxy, &proxy->pairs[i].flows[0]) || !proxy_move(proxy, &proxy->pairs[i].flows[1])))
            proxy_drop(proxy, i, 0);
}

void tcp_proxy_cut(tcp_proxy *proxy, int is_reset)
{
    for (int i = 0; i < PROXY_PAIRS; i++)
        if (proxy->pairs[i].fds[0] >= 0) {
            proxy_drop(proxy, i, is_reset);
            proxy->cuts++;
        }
}

void tcp_proxy_close(tcp_proxy *proxy)
{
    tcp_proxy_cut(proxy, 0);
    if (proxy->listener >= 0)
        close(proxy->listener);
    proxy->listener = -1;
}

int tcp_proxy_text_port(const char *address)
{
    tcp_address parsed;
    CHECK_OK(tcp_address_parse(address, &parsed, NULL));
    for (int i = 0; i < parsed.place_count; i++)
        if (cor_place_is_loopback(&parsed.places[i]) && parsed.places[i].socket.any.sa_family == AF_INET)
            return ntohs(parsed.places[i].socket.v4.sin_port);
    CHECK_FAIL("no loopback address in %s", address);
}

void tcp_proxy_redirect(char *address, int port)
{
    tcp_address parsed;
    CHECK_OK(tcp_address_parse(address, &parsed, NULL));
    for (int i = 0; i < parsed.place_count; i++)
        if (parsed.places[i].socket.any.sa_family == AF_INET)
            parsed.places[i].socket.v4.sin_port = htons((uint16_t)port);
    tcp_address_print(&parsed, address);
}
