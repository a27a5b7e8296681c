/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/hex.h"
#include "dynamic/port.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SECRET_DIGITS = 2 * COR_SECRET_BYTES };
static const char name_mark[] = "corunna2+";

void port_name_print(const port_name *name, char text[COR_PORT_MAX])
{
    char digits[NAME_SECRET_DIGITS + 1], address[INET6_ADDRSTRLEN];
    cor_hex_print(name->secret, COR_SECRET_BYTES, digits);
    size_t at = (size_t)snprintf(text, COR_PORT_MAX, "%s%s", name_mark, digits);
    for (int i = 0; i < name->count; i++) {
        const struct sockaddr *place = &name->places[i].socket.any;
        inet_ntop(place->sa_family, cor_sockaddr_bits(place), address, sizeof address);
        at += (size_t)snprintf(text + at, COR_PORT_MAX - at, "+%d@%s", cor_place_port(&name->places[i]), address);
    }
}

/* A place, of which `text` is the rest of the name; the length that it takes, 0: it is none. */
static size_t name_parse_place(const char *text, cor_place *place_p)
{
    char address[INET6_ADDRSTRLEN] = "";
    int port = 0, at = 0;
    if (sscanf(text, "%5d@%45[0-9a-f.:]%n", &port, address, &at) != 2 || port < 1 || port > 65535 ||
        !cor_place_parse(address, place_p))
        return 0;
    cor_place_set_port(place_p, port);
    return (size_t)at;
}

int port_name_parse(const char *text, port_name *name_p)
{
    port_name name = {0};
    if (!text || strncmp(text, name_mark, sizeof name_mark - 1) != 0 || strnlen(text, COR_PORT_MAX) == COR_PORT_MAX)
        return 0;
    text += sizeof name_mark - 1;
    if (strlen(text) < NAME_SECRET_DIGITS || !cor_hex_parse(text, COR_SECRET_BYTES, name.secret))
        return 0;
    text += NAME_SECRET_DIGITS;
    while (*text == '+' && name.count < PORT_PLACES_MAX) {
        size_t length = name_parse_place(text + 1, &name.places[name.count++]);
        if (!length)
            return 0;
        text += 1 + length;
    }
    if (*text || name.count == 0)
        return 0;
    *name_p = name;
    return 1;
}

void port_name_describe(const char *text, char where[PORT_WHERE_MAX])
{
    port_name name;
    if (port_name_parse(text, &name)) {
        cor_place_print(&name.places[0].socket.any, where, PORT_WHERE_MAX);
        return;
    }
    /* It may be a part of a name, or the name of another version's port, with a secret behind its first '+'. */
    enum { SHOWN_MAX = 24 };
    size_t shown = text ? strcspn(text, "+") + 1 : 0;
    shown = shown < SHOWN_MAX ? shown : SHOWN_MAX;
    snprintf(where, PORT_WHERE_MAX, "\"%.*s%s\"", (int)shown, text ? text : "",
             text && strlen(text) > shown ? "..." : "");
}
