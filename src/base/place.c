/* SPDX-License-Identifier: Apache-2.0 */
#include "base/place.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>

socklen_t cor_place_bytes(const cor_place *place)
{
    return place->socket.any.sa_family == AF_INET ? sizeof place->socket.v4 : sizeof place->socket.v6;
}

int cor_place_is_loopback(const cor_place *place)
{
    if (place->socket.any.sa_family == AF_INET)
        return ntohl(place->socket.v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&place->socket.v6.sin6_addr);
}

int cor_place_port(const cor_place *place)
{
    return ntohs(place->socket.any.sa_family == AF_INET ? place->socket.v4.sin_port : place->socket.v6.sin6_port);
}

void cor_place_set_port(cor_place *place, int port)
{
    if (place->socket.any.sa_family == AF_INET)
        place->socket.v4.sin_port = htons((uint16_t)port);
    else
        place->socket.v6.sin6_port = htons((uint16_t)port);
}

void cor_place_print(const struct sockaddr *place, char *out, size_t out_bytes)
{
    char text[INET6_ADDRSTRLEN] = "an unknown place";
    int port = 0;
    if (place->sa_family == AF_INET || place->sa_family == AF_INET6) {
        inet_ntop(place->sa_family, cor_sockaddr_bits(place), text, sizeof text);
        port = cor_place_port((const cor_place *)(const void *)place);
    }
    snprintf(out, out_bytes, "%s port %d", text, port);
}

int cor_place_parse(const char *text, cor_place *place_p)
{
    cor_place place = {0};
    if (inet_pton(AF_INET, text, &place.socket.v4.sin_addr) == 1)
        place.socket.v4.sin_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &place.socket.v6.sin6_addr) == 1)
        place.socket.v6.sin6_family = AF_INET6;
    else
        return 0;
    *place_p = place;
    return 1;
}

const void *cor_sockaddr_bits(const struct sockaddr *address)
{
    return address->sa_family == AF_INET
               ? (const void *)&((const struct sockaddr_in *)(const void *)address)->sin_addr
               : (const void *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

int cor_bits_are_within(const void *address, const void *network, int bits)
{
    const uint8_t *a = address, *n = network;
    for (; bits >= 8; bits -= 8)
        if (*a++ != *n++)
            return 0;
    return bits == 0 || (*a ^ *n) >> (8 - bits) == 0;
}
