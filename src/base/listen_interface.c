/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the addresses of this host to listen on. */
#define _GNU_SOURCE
#include "base/listen_state.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

static int interface_prefix(const struct ifaddrs *one)
{
    if (!one->ifa_netmask)
        return one->ifa_addr->sa_family == AF_INET ? 32 : 128;
    const uint8_t *mask = cor_sockaddr_bits(one->ifa_netmask);
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
           IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)cor_sockaddr_bits(one->ifa_addr));
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

/* What is being opened. */
typedef struct interface_list {
    const cor_listen_options *options;
    listen_range range;
    cor_place *places;
    int *fds;
    int count, room;
} interface_list;

static int interface_listen(interface_list *list, const struct ifaddrs *one, cor_fault *fault)
{
    cor_place place = {.prefix_bits = interface_prefix(one)};
    memcpy(&place.socket, one->ifa_addr,
           one->ifa_addr->sa_family == AF_INET ? sizeof place.socket.v4 : sizeof place.socket.v6);
    int fd = listen_in(list->options, &list->range, &place);
    if (fd < 0) {
        char text[80];
        int error = errno;
        if (list->range.first && error == EADDRINUSE)
            return cor_fault_set(
                fault, COR_ERR_SYSTEM,
                "cannot listen on %s: all of tcp.ports=%s are in use; a port for each rank of this host is needed",
                one->ifa_name, list->options->ports);
        cor_place_print(one->ifa_addr, text, sizeof text);
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot listen on %s of %s: %s", text, one->ifa_name,
                             strerror(error));
    }
    list->fds[list->count] = fd;
    list->places[list->count++] = place;
    return COR_OK;
}

/* One loopback address is enough, and one place is kept for it. */
static int interface_has_room(const interface_list *list, int class)
{
    if (class < 2)
        return list->count < list->room - 1;
    if (list->options->no_loopback_beside && list->count > 0)
        return 0;
    for (int i = 0; i < list->count; i++)
        if (cor_place_is_loopback(&list->places[i]))
            return 0;
    return list->count < list->room;
}

/* Why there is nothing to listen on. */
static int interface_miss(const cor_listen_options *options, cor_listen_filter *filter, const struct ifaddrs *all,
                          cor_fault *fault)
{
    const char *hint = "";
    for (const struct ifaddrs *one = all; one; one = one->ifa_next)
        if (interface_is_of_link_alone(one) && cor_listen_filter_suits(filter, one))
            hint = ", but for addresses that hold on one link alone (fe80::), which are not used";
    return cor_fault_set(
        fault, COR_ERR_KNOB,
        "tcp.interface is \"%s\"; no interface that is up has this name or an address in this network%s",
        options->interface, hint);
}

/* What one host has not another may have, so this is no error. */
static void interface_tell_unmet(const cor_log *log, const cor_listen_filter *filter)
{
    for (int i = 0; i < filter->count; i++)
        if (!filter->list[i].is_met)
            COR_LOG(log, INFO, "tcp: nothing that is up on this host is \"%s\" (tcp.interface)", filter->list[i].text);
}

int cor_listen_open(const cor_listen_options *options, cor_place *places, int *fds, int room, int *count_p,
                    cor_fault *fault)
{
    struct ifaddrs *all;
    cor_fault why = {0};
    cor_listen_filter filter;
    interface_list list = {.options = options, .places = places, .fds = fds, .room = room};
    int rc = listen_range_parse(options->ports, &list.range, fault);
    if (rc == COR_OK)
        rc = cor_listen_filter_parse(options->interface, &filter, fault);
    if (rc != COR_OK)
        return rc;
    if (getifaddrs(&all) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot list the network interfaces: %s", strerror(errno));
    for (int class = 0; class <= 2; class ++)
        for (const struct ifaddrs *one = all; one; one = one->ifa_next)
            if (interface_class(one) == class && cor_listen_filter_suits(&filter, one) &&
                interface_has_room(&list, class) && interface_listen(&list, one, &why) != COR_OK)
                COR_LOG(options->log, DEBUG, "tcp: %s", why.text);
    if (list.count > 0)
        interface_tell_unmet(options->log, &filter);
    else if (why.code != COR_OK)
        rc = cor_fault_set(fault, why.code, "%s", why.text);
    else
        rc = interface_miss(options, &filter, all, fault);
    freeifaddrs(all);
    *count_p = list.count;
    return rc;
}
