/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and incoming have in common: their sockets. */
#include "base/listen.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>

/* One half of tcp.heartbeat_s is the kernel's, the other is for calling again (tcp_link.c). */
void tcp_socket_tune(const tcp_wire *wire, int fd)
{
    cor_connection_keep(fd, wire->config.heartbeat_s);
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
