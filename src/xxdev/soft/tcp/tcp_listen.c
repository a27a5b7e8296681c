/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets: to each address as many as the kernel needs to hold every peer's call while this rank computes. */
#define _GNU_SOURCE
#include "base/listen.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LISTEN_SLACK = 4, /* the kernel spreads the calls by chance: there is room for so many times the callers */
    LISTEN_SHARE = 4, /* of the descriptors that this rank may have no more than one in so many goes into this */
};

int tcp_listen_add(tcp_wire *wire, int fd, int place)
{
    int index = wire->listener_count;
    tcp_listener *more = realloc(wire->listeners, ((size_t)index + 1) * sizeof *more);
    if (!more)
        return -1;
    wire->listeners = more;
    if (tcp_watch(wire, fd, TCP_AT_LISTENER, index, 0, 1) != 0)
        return -1;
    more[index] = (tcp_listener){.fd = fd, .place = place};
    wire->listener_count++;
    return 0;
}

/* ---- more than one ---------------------------------------------------------------------------------------------- */

static int listen_again(tcp_wire *wire, int index)
{
    int fd = cor_listen_again(&wire->address.places[index], wire->listen_queue);
    if (fd >= 0 && tcp_listen_add(wire, fd, index) == 0)
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
