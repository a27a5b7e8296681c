/* SPDX-License-Identifier: Apache-2.0 */
/* Where this rank listens: on chosen addresses only, each with a port of the kernel's choice or of tcp.ports. */
#define _GNU_SOURCE
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

/* ---- networks --------------------------------------------------------------------------------------------------- */

int tcp_bits_are_within(const void *address, const void *network, int bits)
{
    const uint8_t *a = address, *n = network;
    for (; bits >= 8; bits -= 8)
        if (*a++ != *n++)
            return 0;
    return bits == 0 || (*a ^ *n) >> (8 - bits) == 0;
}

const void *tcp_sockaddr_bits(const struct sockaddr *address)
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
            tcp_bits_are_within(tcp_sockaddr_bits(&place->socket.any), tcp_sockaddr_bits(&mine->socket.any),
                                mine->prefix_bits))
            return 1;
    }
    return 0;
}

static int interface_prefix(const struct ifaddrs *one)
{
    if (!one->ifa_netmask)
        return one->ifa_addr->sa_family == AF_INET ? 32 : 128;
    const uint8_t *mask = tcp_sockaddr_bits(one->ifa_netmask);
    int bytes = one->ifa_addr->sa_family == AF_INET ? 4 : 16, bits = 0;
    for (int i = 0; i < bytes; i++)
        bits += __builtin_popcount(mask[i]);
    return bits;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

/* Addresses of a link alone need its name to be called, so they are no use. */
static int interface_is_of_link_alone(const struct ifaddrs *one)
{
    return one->ifa_addr && one->ifa_flags & IFF_UP && one->ifa_addr->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)tcp_sockaddr_bits(one->ifa_addr));
}

/* In the order they are tried: IPv4, IPv6, loopback. -1: not at all. */
static int interface_class(const struct ifaddrs *one)
{
    if (!one->ifa_addr || !(one->ifa_flags & IFF_UP))
        return -1;
    int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6)
        return -1;
    if (interface_is_of_link_alone(one))
        return -1;
    if (one->ifa_flags & IFF_LOOPBACK)
        return 2;
    return family == AF_INET ? 0 : 1;
}

static int interface_listen(tcp_wire *wire, const struct ifaddrs *one, cor_fault *fault)
{
    tcp_address *ours = &wire->address;
    tcp_place place = {.prefix_bits = interface_prefix(one)};
    memcpy(&place.socket, one->ifa_addr,
           one->ifa_addr->sa_family == AF_INET ? sizeof place.socket.v4 : sizeof place.socket.v6);
    if (tcp_listen_open(wire, ours->place_count, &place) != 0) {
        char text[80];
        if (wire->config.port_first && errno == EADDRINUSE)
            return cor_fault_set(
                fault, COR_ERR_SYSTEM,
                "cannot listen on %s: all of tcp.ports=%s are in use; a port for each rank of this host is needed",
                one->ifa_name, wire->config.ports);
        int error = errno;
        tcp_place_print(one->ifa_addr, text, sizeof text);
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot listen on %s of %s: %s", text, one->ifa_name,
                             strerror(error));
    }
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

/* Why there is nothing to listen on. */
static int interface_miss(const tcp_wire *wire, tcp_filter *words, const struct ifaddrs *all, cor_fault *fault)
{
    const char *hint = "";
    for (const struct ifaddrs *one = all; one; one = one->ifa_next)
        if (interface_is_of_link_alone(one) && tcp_words_suit(words, one))
            hint = ", but for addresses that hold on one link alone (fe80::), which are not used";
    return cor_fault_set(
        fault, COR_ERR_KNOB,
        "tcp.interface is \"%s\"; no interface that is up has this name or an address in this network%s",
        wire->config.interface, hint);
}

/* What one host has not another may have, so this is no error. */
static void interface_tell_unmet(const tcp_wire *wire, const tcp_filter *words)
{
    for (int i = 0; i < words->count; i++)
        if (!words->list[i].is_met)
            COR_LOG(wire->options.log, INFO, "tcp: nothing that is up on this host is \"%s\" (tcp.interface)",
                    words->list[i].text);
}

int tcp_interface_choose(tcp_wire *wire, cor_fault *fault)
{
    struct ifaddrs *all;
    cor_fault why = {0};
    tcp_filter words;
    int rc = tcp_words_parse(wire->config.interface, &words, fault);
    if (rc != COR_OK)
        return rc;
    if (getifaddrs(&all) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot list the network interfaces: %s", strerror(errno));
    for (int class = 0; class <= 2; class ++)
        for (const struct ifaddrs *one = all; one; one = one->ifa_next)
            if (interface_class(one) == class && tcp_words_suit(&words, one) &&
                interface_has_room(&wire->address, class) && interface_listen(wire, one, &why) != COR_OK)
                COR_LOG(wire->options.log, DEBUG, "tcp: %s", why.text);
    if (wire->address.place_count > 0)
        interface_tell_unmet(wire, &words);
    else if (why.code != COR_OK)
        rc = cor_fault_set(fault, why.code, "%s", why.text);
    else
        rc = interface_miss(wire, &words, all, fault);
    freeifaddrs(all);
    return rc;
}

void tcp_interface_trim(tcp_wire *wire, int others_here, int others_away)
{
    tcp_address *ours = &wire->address;
    int has_loopback = 0;
    for (int i = 0; i < ours->place_count; i++)
        has_loopback |= tcp_place_is_loopback(&ours->places[i]);
    for (int i = 0; i < ours->place_count; i++) {
        int callers =
            tcp_place_is_loopback(&ours->places[i]) ? others_here : others_away + (has_loopback ? 0 : others_here);
        if (callers > 0)
            tcp_listen_more(wire, i, callers);
        else
            tcp_listen_close(wire, i);
    }
}

/* ---- peers that cannot be called from here -------------------------------------------------------------------------- */

static int interface_is_ours(const struct ifaddrs *all, const tcp_place *place)
{
    const struct sockaddr *wanted = &place->socket.any;
    size_t bytes = wanted->sa_family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
    for (const struct ifaddrs *one = all; one; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == wanted->sa_family &&
            memcmp(tcp_sockaddr_bits(one->ifa_addr), tcp_sockaddr_bits(wanted), bytes) == 0)
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
