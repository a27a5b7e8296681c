/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of sockets, of IPv4 and IPv6. */
#ifndef COR_BASE_PLACE_H
#define COR_BASE_PLACE_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

/* An address and a port, with the length of the network's prefix. */
typedef struct cor_place {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } socket;
    int prefix_bits;
} cor_place;

socklen_t cor_place_bytes(const cor_place *place);
int cor_place_is_loopback(const cor_place *place);
/* In host order; 0: the kernel chooses. */
int cor_place_port(const cor_place *place);
void cor_place_set_port(cor_place *place, int port);
/* "192.0.2.1 port 4711" */
void cor_place_print(const struct sockaddr *place, char *out, size_t out_bytes);
/* The address alone, of either family, into a place without port and prefix. 0: it is not an address. */
int cor_place_parse(const char *text, cor_place *place_p);

/* The bytes of the address itself, of IPv4 or IPv6. */
const void *cor_sockaddr_bits(const struct sockaddr *address);
/* Do the first bits of both agree? */
int cor_bits_are_within(const void *address, const void *network, int bits);

#endif
