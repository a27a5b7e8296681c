/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and incoming have in common: their sockets. */
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>

/* The kernel looks after the other host: it asks when it has heard nothing for a while, and gives the connection up
 * when neither an answer nor an acknowledgement has come for half of tcp.heartbeat_s. The other half is for calling
 * again (tcp_link.c). None of this needs the other program to do anything, and none a timer of ours. */
void tcp_socket_tune(const tcp_wire *wire, int fd)
{
    int on = 1, seconds = wire->config.heartbeat_s;
    int idle = seconds > 7 ? seconds / 4 : 1, interval = seconds > 31 ? seconds / 16 : 1, count = 16;
    unsigned timeout_ms = (unsigned)seconds * 500;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (seconds == 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

uint64_t tcp_socket_silence_ns(int fd)
{
    struct tcp_info info = {0};
    socklen_t bytes = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0)
        return 0;
    uint32_t data_ms = info.tcpi_last_data_recv, ack_ms = info.tcpi_last_ack_recv;
    return (data_ms < ack_ms ? data_ms : ack_ms) * (uint64_t)1000000;
}

int tcp_watch(const tcp_wire *wire, int fd, int what, int index, int is_for_writing, int is_new)
{
    struct epoll_event event = {.events = EPOLLIN | (is_for_writing ? EPOLLOUT : 0),
                                .data.u64 = tcp_event_key(what, index)};
    return epoll_ctl(wire->epoll_fd, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

int tcp_unwatch(const tcp_wire *wire, int fd)
{
    return epoll_ctl(wire->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}
