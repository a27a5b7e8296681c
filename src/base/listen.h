/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening sockets on the addresses of this host that the user has chosen: the knobs tcp.interface and tcp.ports, for
 * the wire between ranks (xxdev/soft/tcp) and for ports (dynamic).
 *
 * tcp.interface is a list of names of interfaces, addresses and networks; empty: all that others can reach. Link-local
 * addresses (fe80::) are not used, since the peer would have to know the name of its own interface. Each address gets a
 * socket of its own, so nothing listens on other addresses.
 */
#ifndef COR_BASE_LISTEN_H
#define COR_BASE_LISTEN_H

#include "base/error.h"
#include "base/log.h"
#include "base/place.h"

#include <stdint.h>

enum { COR_LISTEN_INTERFACE_MAX = 128, COR_LISTEN_PORTS_MAX = 16 };

/* ---- the words of tcp.interface ---------------------------------------------------------------------------------- */

typedef struct cor_listen_word {
    const char *text;
    int family; /* AF_UNSPEC: the name of an interface */
    uint8_t network[16];
    int bits;
    int is_met; /* an interface of this host matches it */
} cor_listen_word;

typedef struct cor_listen_filter {
    int count; /* 0: everything matches */
    cor_listen_word list[COR_LISTEN_INTERFACE_MAX / 2];
    char copy[COR_LISTEN_INTERFACE_MAX];
} cor_listen_filter;

struct ifaddrs;
int cor_listen_filter_parse(const char *text, cor_listen_filter *filter, cor_fault *fault);
/* Does this interface, which has an address of IPv4 or IPv6, match the filter? */
int cor_listen_filter_suits(cor_listen_filter *filter, const struct ifaddrs *one);

/* ---- listening --------------------------------------------------------------------------------------------------- */

typedef struct cor_listen_options {
    const char *interface, *ports; /* the knobs */
    int start;                     /* where in the range to start: ranks of a host start at different ports */
    int queue;                     /* the backlog of a socket in the kernel */
    int heartbeat_s;               /* the knob, for cor_connection_keep */
    int is_shared;                 /* cor_listen_again may follow, if the kernel chooses the port */
    int no_loopback_beside;        /* the loopback only where nothing else matches */
    const cor_log *log;
} cor_listen_options;

/* One socket for each matching address: IPv4, IPv6, then one loopback address, for which a place is reserved. On
 * success the caller owns the sockets, which are non-blocking and closed on exec; the places have their ports.
 * COR_ERR_KNOB: nothing matches; COR_ERR_SYSTEM: no port is free. */
int cor_listen_open(const cor_listen_options *options, cor_place *places, int *fds, int room, int *count_p,
                    cor_fault *fault);
/* One more socket at an address and port of cor_listen_open. -1, with errno. */
int cor_listen_again(const cor_place *place, int queue);
/* For either end of a connection: send without delay (TCP_NODELAY), and let the kernel monitor the other host. The
 * kernel probes an idle connection, and closes it when neither an answer nor an acknowledgement has arrived for half of
 * heartbeat_s; 0: never. None of this involves the other program. */
void cor_connection_keep(int fd, int heartbeat_s);
/* The longest backlog that the kernel permits. */
int cor_listen_queue(void);

#endif
