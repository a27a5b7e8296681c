/* SPDX-License-Identifier: Apache-2.0 */
/* Where this rank listens, and which addresses of others lead to them. */
#define _GNU_SOURCE
#include "base/listen.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <ifaddrs.h>
#include <string.h>
#include <unistd.h>

int tcp_interface_choose(tcp_wire *wire, cor_fault *fault)
{
    tcp_address *ours = &wire->address;
    int fds[TCP_PLACES_MAX], count, rc;
    wire->listen_queue = cor_listen_queue();
    cor_listen_options options = {.interface = wire->config.interface,
                                  .ports = wire->config.ports,
                                  .start = wire->options.rank,
                                  .queue = wire->listen_queue,
                                  .is_shared = wire->options.size - 1 > wire->listen_queue,
                                  .log = wire->options.log};
    rc = cor_listen_open(&options, ours->places, fds, TCP_PLACES_MAX, &count, fault);
    if (rc != COR_OK)
        return rc;
    ours->place_count = count;
    for (int i = 0; i < count; i++)
        if (rc != COR_OK)
            close(fds[i]);
        else if (tcp_listen_add(wire, fds[i], i) != 0)
            rc = cor_fault_set(fault, COR_ERR_SYSTEM, "cannot watch a listening socket: %s", strerror(errno));
    return rc;
}

int tcp_place_is_near(const cor_place *place, const tcp_address *ours)
{
    for (int i = 0; i < ours->place_count; i++) {
        const cor_place *mine = &ours->places[i];
        if (mine->socket.any.sa_family == place->socket.any.sa_family &&
            cor_bits_are_within(cor_sockaddr_bits(&place->socket.any), cor_sockaddr_bits(&mine->socket.any),
                                mine->prefix_bits))
            return 1;
    }
    return 0;
}

void tcp_interface_trim(tcp_wire *wire, int others_here, int others_away)
{
    tcp_address *ours = &wire->address;
    int has_loopback = 0;
    for (int i = 0; i < ours->place_count; i++)
        has_loopback |= cor_place_is_loopback(&ours->places[i]);
    for (int i = 0; i < ours->place_count; i++) {
        int callers =
            cor_place_is_loopback(&ours->places[i]) ? others_here : others_away + (has_loopback ? 0 : others_here);
        if (callers > 0)
            tcp_listen_more(wire, i, callers);
        else
            tcp_listen_close(wire, i);
    }
}

/* ---- peers that cannot be called from here
 * -------------------------------------------------------------------------- */

static int interface_is_ours(const struct ifaddrs *all, const cor_place *place)
{
    const struct sockaddr *wanted = &place->socket.any;
    size_t bytes = wanted->sa_family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
    for (const struct ifaddrs *one = all; one; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == wanted->sa_family &&
            memcmp(cor_sockaddr_bits(one->ifa_addr), cor_sockaddr_bits(wanted), bytes) == 0)
            return 1;
    return 0;
}

int tcp_interface_reaches(const struct ifaddrs *all, const tcp_address *peer)
{
    for (int i = 0; i < peer->place_count; i++)
        if (!cor_place_is_loopback(&peer->places[i]) && !interface_is_ours(all, &peer->places[i]))
            return 1;
    return 0;
}
