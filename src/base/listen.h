/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening sockets on the addresses of this host that the user has chosen: what the knobs tcp.interface and tcp.ports
 * say, for the wire between ranks (xxdev/soft/tcp) and for ports (dynamic).
 *
 * tcp.interface is a list of names of interfaces, addresses and networks; empty: all that others can reach. Addresses
 * that hold on one link alone (fe80::) are not used, since a caller would have to know its own interface's name. Each
 * address gets a socket of its own, so nothing listens where it was not asked to.
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
    int is_met; /* something here suits it */
} cor_listen_word;

typedef struct cor_listen_filter {
    int count; /* 0: everything suits */
    cor_listen_word list[COR_LISTEN_INTERFACE_MAX / 2];
    char copy[COR_LISTEN_INTERFACE_MAX];
} cor_listen_filter;

struct ifaddrs;
int cor_listen_filter_parse(const char *text, cor_listen_filter *filter, cor_fault *fault);
/* The interface has an address of IPv4 or IPv6. */
int cor_listen_filter_suits(cor_listen_filter *filter, const struct ifaddrs *one);

/* ---- listening --------------------------------------------------------------------------------------------------- */

typedef struct cor_listen_options {
    const char *interface, *ports; /* the knobs */
    int start;                     /* where in the range to begin: ranks of a host begin at different ports */
    int queue;                     /* connections that a socket holds in the kernel */
    int heartbeat_s;               /* the knob, for cor_connection_keep */
    int is_shared;                 /* cor_listen_again may follow, if the kernel chooses the port */
    int no_loopback_beside;        /* the loopback only where nothing else suits */
    const cor_log *log;
} cor_listen_options;

/* One socket for each suitable address: IPv4, IPv6, then one loopback address, for which a place is kept. They are the
 * caller's on success, non-blocking and closed on exec; the places have their ports. COR_ERR_KNOB: nothing suits;
 * COR_ERR_SYSTEM: no port is free. */
int cor_listen_open(const cor_listen_options *options, cor_place *places, int *fds, int room, int *count_p,
                    cor_fault *fault);
/* One more socket at an address and port of cor_listen_open. -1: errno says why. */
int cor_listen_again(const cor_place *place, int queue);
/* Of a connection, either end: send at once, and let the kernel look after the other host. It asks when it has heard
 * nothing for a while, and gives the connection up when neither an answer nor an acknowledgement has come for half of
 * heartbeat_s; 0: never. None of this needs the other program to do anything. */
void cor_connection_keep(int fd, int heartbeat_s);
/* As many connections as the kernel lets a socket hold. */
int cor_listen_queue(void);

#endif
