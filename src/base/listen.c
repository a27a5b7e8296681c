/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets, and the range of their ports. */
#define _GNU_SOURCE
#include "base/listen_state.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

enum { LISTEN_QUEUE = 128 /* if the kernel does not say: what older ones begin with */ };

int cor_listen_queue(void)
{
    int queue = 0;
    FILE *file = fopen("/proc/sys/net/core/somaxconn", "re");
    if (file && fscanf(file, "%d", &queue) != 1)
        queue = 0;
    if (file)
        fclose(file);
    return queue > 0 ? queue : LISTEN_QUEUE;
}

/* ---- ports ------------------------------------------------------------------------------------------------------ */

int listen_range_parse(const char *ports, listen_range *range_p, cor_fault *fault)
{
    int end = 0;
    *range_p = (listen_range){0};
    if (!ports[0])
        return COR_OK;
    if (sscanf(ports, "%5d-%5d%n", &range_p->first, &range_p->last, &end) != 2 || ports[end] || range_p->first < 1 ||
        range_p->last > 65535 || range_p->first > range_p->last)
        return cor_fault_set(fault, COR_ERR_KNOB,
                             "tcp.ports is \"%s\"; it must be a range of ports, such as 20000-20100", ports);
    return COR_OK;
}

/* ---- sockets ---------------------------------------------------------------------------------------------------- */

static int listen_give_up(int fd)
{
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

/* A port of the kernel's choice is bound before it may be shared, so that no other socket has it. One of tcp.ports may
 * still have connections of an earlier job, and is not shared: of two processes that bind it only one can listen. */
static int listen_at(const cor_listen_options *options, cor_place *place, int port)
{
    socklen_t bytes = cor_place_bytes(place);
    int on = 1, fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    cor_place_set_port(place, port);
    if (fd >= 0 && port)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    int is_bound = fd >= 0 && bind(fd, &place->socket.any, bytes) == 0;
    if (is_bound && !port && options->is_shared)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on); /* for cor_listen_again, which fails without */
    if (is_bound && getsockname(fd, &place->socket.any, &bytes) == 0 && listen(fd, options->queue) == 0)
        return fd;
    return listen_give_up(fd);
}

int listen_in(const cor_listen_options *options, const listen_range *range, cor_place *place)
{
    int count = range->last - range->first + 1;
    if (range->first == 0)
        return listen_at(options, place, 0);
    for (int i = 0; i < count; i++) {
        int fd = listen_at(options, place, range->first + (options->start + i) % count);
        if (fd >= 0 || errno != EADDRINUSE)
            return fd;
    }
    errno = EADDRINUSE;
    return -1;
}

int cor_listen_again(const cor_place *place, int queue)
{
    int on = 1, fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0 &&
        bind(fd, &place->socket.any, cor_place_bytes(place)) == 0 && listen(fd, queue) == 0)
        return fd;
    return listen_give_up(fd);
}

void cor_connection_keep(int fd, int heartbeat_s)
{
    int on = 1, idle = heartbeat_s > 7 ? heartbeat_s / 4 : 1, interval = heartbeat_s > 31 ? heartbeat_s / 16 : 1,
        count = 16;
    unsigned timeout_ms = (unsigned)heartbeat_s * 500;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (heartbeat_s == 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}
