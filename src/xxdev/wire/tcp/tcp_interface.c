/* Where this rank listens: on chosen addresses only, each with a port of the kernel's choice. */
#define _GNU_SOURCE
#include "xxdev/wire/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- networks --------------------------------------------------------------------------------------------------- */

static int interface_is_within(const void *address, const void *network, int bits)
{
    const uint8_t *a = address, *n = network;
    for (; bits >= 8; bits -= 8)
        if (*a++ != *n++)
            return 0;
    return bits == 0 || (*a ^ *n) >> (8 - bits) == 0;
}

static const void *interface_bits(const struct sockaddr *address)
{
    return address->sa_family == AF_INET
               ? (const void *)&((const struct sockaddr_in *)(const void *)address)->sin_addr
               : (const void *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

int tcp_place_is_near(const tcp_place *place, const tcp_address *ours)
{
    for (int i = 0; i < ours->place_count; i++) {
        const tcp_place *mine = &ours->places[i];
        if (mine->socket.any.sa_family == place->socket.any.sa_family &&
            interface_is_within(interface_bits(&place->socket.any), interface_bits(&mine->socket.any),
                                mine->prefix_bits))
            return 1;
    }
    return 0;
}

static int interface_prefix(const struct ifaddrs *one)
{
    if (!one->ifa_netmask)
        return one->ifa_addr->sa_family == AF_INET ? 32 : 128;
    const uint8_t *mask = interface_bits(one->ifa_netmask);
    int bytes = one->ifa_addr->sa_family == AF_INET ? 4 : 16, bits = 0;
    for (int i = 0; i < bytes; i++)
        bits += __builtin_popcount(mask[i]);
    return bits;
}

/* ---- tcp.interface ---------------------------------------------------------------------------------------------- */

/* One word of the knob: a name, an address or a network. */
static int interface_suits_word(const struct ifaddrs *one, char *word)
{
    char *slash = strchr(word, '/');
    uint8_t network[16];
    if (strcmp(one->ifa_name, word) == 0)
        return 1;
    if (slash)
        *slash = 0;
    int family = inet_pton(AF_INET, word, network) == 1    ? AF_INET
                 : inet_pton(AF_INET6, word, network) == 1 ? AF_INET6
                                                           : -1;
    int most = family == AF_INET ? 32 : 128, bits = slash ? atoi(slash + 1) : most;
    return family == one->ifa_addr->sa_family && bits >= 0 && bits <= most &&
           interface_is_within(interface_bits(one->ifa_addr), network, bits);
}

static int interface_suits(const struct ifaddrs *one, const char *wanted)
{
    char copy[COR_TCP_INTERFACE_MAX], *rest = NULL;
    if (!wanted[0])
        return 1;
    snprintf(copy, sizeof copy, "%s", wanted);
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (interface_suits_word(one, word))
            return 1;
    return 0;
}

/* In the order they are tried: IPv4, IPv6, loopback. -1: not at all. Addresses of a link alone need its name to be
 * called, so they are no use. */
static int interface_class(const struct ifaddrs *one)
{
    if (!one->ifa_addr || !(one->ifa_flags & IFF_UP))
        return -1;
    int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6)
        return -1;
    if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)interface_bits(one->ifa_addr)))
        return -1;
    if (one->ifa_flags & IFF_LOOPBACK)
        return 2;
    return family == AF_INET ? 0 : 1;
}

/* ---- listening -------------------------------------------------------------------------------------------------- */

static int interface_listen(tcp_wire *wire, const struct ifaddrs *one, cor_fault *fault)
{
    tcp_address *ours = &wire->address;
    tcp_place place = {.prefix_bits = interface_prefix(one)};
    socklen_t bytes = one->ifa_addr->sa_family == AF_INET ? sizeof place.socket.v4 : sizeof place.socket.v6;
    memcpy(&place.socket, one->ifa_addr, bytes);
    if (place.socket.any.sa_family == AF_INET)
        place.socket.v4.sin_port = 0;
    else
        place.socket.v6.sin6_port = 0;
    int fd = socket(place.socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, &place.socket.any, bytes) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, &place.socket.any, &bytes) != 0 ||
        tcp_watch(wire, fd, TCP_AT_LISTENER, ours->place_count, 0, 1) != 0) {
        char text[80];
        tcp_place_print(one->ifa_addr, text, sizeof text);
        cor_fault_set(fault, COR_ERR_SYSTEM, "cannot listen on %s of %s: %s", text, one->ifa_name, strerror(errno));
        if (fd >= 0)
            close(fd);
        return COR_ERR_SYSTEM;
    }
    wire->listeners[ours->place_count] = fd;
    ours->places[ours->place_count++] = place;
    return COR_OK;
}

/* One loopback address is enough, and one place is kept for it. */
static int interface_has_room(const tcp_address *ours, int class)
{
    if (class < 2)
        return ours->place_count < TCP_PLACES_MAX - 1;
    for (int i = 0; i < ours->place_count; i++)
        if (tcp_place_is_loopback(&ours->places[i]))
            return 0;
    return ours->place_count < TCP_PLACES_MAX;
}

int tcp_interface_choose(tcp_wire *wire, cor_fault *fault)
{
    struct ifaddrs *all;
    cor_fault why = {0};
    if (getifaddrs(&all) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot list the network interfaces: %s", strerror(errno));
    for (int class = 0; class <= 2; class ++)
        for (const struct ifaddrs *one = all; one; one = one->ifa_next)
            if (interface_class(one) == class && interface_suits(one, wire->config.interface) &&
                interface_has_room(&wire->address, class) && interface_listen(wire, one, &why) != COR_OK)
                COR_LOG(wire->options.log, DEBUG, "tcp: %s", why.text);
    freeifaddrs(all);
    if (wire->address.place_count > 0)
        return COR_OK;
    if (why.code != COR_OK)
        return cor_fault_set(fault, why.code, "%s", why.text);
    return cor_fault_set(
        fault, COR_ERR_KNOB,
        "tcp.interface is \"%s\"; no interface that is up has this name or an address in this network",
        wire->config.interface);
}

void tcp_interface_trim(tcp_wire *wire, int others_here, int others_away)
{
    tcp_address *ours = &wire->address;
    int has_loopback = 0;
    for (int i = 0; i < ours->place_count; i++)
        has_loopback |= tcp_place_is_loopback(&ours->places[i]);
    for (int i = 0; i < ours->place_count; i++) {
        int is_needed =
            tcp_place_is_loopback(&ours->places[i]) ? others_here : others_away || (others_here && !has_loopback);
        if (!is_needed) {
            close(wire->listeners[i]);
            wire->listeners[i] = -1;
        }
    }
}

/* ---- whom nobody can call from here ----------------------------------------------------------------------------- */

static int interface_is_ours(const struct ifaddrs *all, const tcp_place *place)
{
    const struct sockaddr *wanted = &place->socket.any;
    size_t bytes = wanted->sa_family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
    for (const struct ifaddrs *one = all; one; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == wanted->sa_family &&
            memcmp(interface_bits(one->ifa_addr), interface_bits(wanted), bytes) == 0)
            return 1;
    return 0;
}

int tcp_interface_reaches(const struct ifaddrs *all, const tcp_address *peer)
{
    for (int i = 0; i < peer->place_count; i++)
        if (!tcp_place_is_loopback(&peer->places[i]) && !interface_is_ours(all, &peer->places[i]))
            return 1;
    return 0;
}
