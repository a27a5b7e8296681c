/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets: to each address as many as the kernel needs to hold every peer's call while this rank computes. */
#define _GNU_SOURCE
#include "xxdev/soft/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LISTEN_QUEUE = 128, /* so many calls a socket holds, if the kernel does not say: what older ones begin with */
    LISTEN_SLACK = 4,   /* the kernel spreads the calls by chance: there is room for so many times the callers */
    LISTEN_SHARE = 4,   /* of the descriptors that this rank may have no more than one in so many goes into this */
};

static int listen_read_queue(void)
{
    int queue = 0;
    FILE *file = fopen("/proc/sys/net/core/somaxconn", "re");
    if (file && fscanf(file, "%d", &queue) != 1)
        queue = 0;
    if (file)
        fclose(file);
    return queue > 0 ? queue : LISTEN_QUEUE;
}

/* The socket belongs to the list on success only. -1: errno says why. */
static int listen_add(tcp_wire *wire, int fd, int place)
{
    int index = wire->listener_count;
    tcp_listener *more = realloc(wire->listeners, ((size_t)index + 1) * sizeof *more);
    if (!more)
        return -1;
    wire->listeners = more;
    if (listen(fd, wire->listen_queue) != 0 || tcp_watch(wire, fd, TCP_AT_LISTENER, index, 0, 1) != 0)
        return -1;
    more[index] = (tcp_listener){.fd = fd, .place = place};
    wire->listener_count++;
    return 0;
}

static void listen_set_port(tcp_place *place, int port)
{
    if (place->socket.any.sa_family == AF_INET)
        place->socket.v4.sin_port = htons((uint16_t)port);
    else
        place->socket.v6.sin6_port = htons((uint16_t)port);
}

/* A port of the kernel's choice is bound before it may be shared, so that no other socket has it. One of tcp.ports may
 * still have connections of an earlier job, and is not shared: of two ranks that bind it only one can listen. */
static int listen_at(tcp_wire *wire, int index, tcp_place *place, int port)
{
    socklen_t bytes = tcp_place_bytes(place);
    int on = 1, fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    listen_set_port(place, port);
    if (fd >= 0 && port)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    int is_bound = fd >= 0 && bind(fd, &place->socket.any, bytes) == 0;
    if (is_bound && !port && wire->options.size - 1 > wire->listen_queue)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on); /* for tcp_listen_more, which fails without */
    if (is_bound && getsockname(fd, &place->socket.any, &bytes) == 0 && listen_add(wire, fd, index) == 0)
        return 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int tcp_listen_open(tcp_wire *wire, int index, tcp_place *place)
{
    int count = wire->config.port_last - wire->config.port_first + 1;
    if (!wire->listen_queue)
        wire->listen_queue = listen_read_queue();
    if (wire->config.port_first == 0)
        return listen_at(wire, index, place, 0);
    /* Ranks of a host begin at different ports. */
    for (int i = 0; i < count; i++) {
        int port = wire->config.port_first + (wire->options.rank + i) % count;
        if (listen_at(wire, index, place, port) == 0)
            return 0;
        if (errno != EADDRINUSE)
            return -1;
    }
    errno = EADDRINUSE;
    return -1;
}

/* ---- more than one ---------------------------------------------------------------------------------------------- */

static int listen_again(tcp_wire *wire, int index)
{
    const tcp_place *place = &wire->address.places[index];
    int on = 1, fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0 &&
        bind(fd, &place->socket.any, tcp_place_bytes(place)) == 0 && listen_add(wire, fd, index) == 0)
        return 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

static int listen_most(const tcp_wire *wire)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20)
        limit.rlim_cur = 1 << 20;
    return (int)limit.rlim_cur / LISTEN_SHARE / wire->address.place_count;
}

void tcp_listen_more(tcp_wire *wire, int index, int callers)
{
    int queue = wire->listen_queue, most = listen_most(wire), count = 1;
    if (callers <= queue)
        return;
    int64_t room = (int64_t)callers * LISTEN_SLACK;
    int wanted = (int)((room + queue - 1) / queue);
    while (count < wanted && count < most && listen_again(wire, index) == 0)
        count++;
    COR_LOG(wire->options.log, DEBUG, "tcp: %d sockets of %d calls each listen to %d ranks%s%s", count, queue, callers,
            count < wanted ? "; no more: " : "",
            count >= wanted ? ""
            : count >= most ? "they would be too many open files"
                            : strerror(errno));
}

void tcp_listen_close(tcp_wire *wire, int place)
{
    for (int i = 0; i < wire->listener_count; i++)
        if (wire->listeners[i].place == place && wire->listeners[i].fd >= 0) {
            close(wire->listeners[i].fd);
            wire->listeners[i].fd = -1; /* the others keep their numbers, which epoll knows */
        }
}
