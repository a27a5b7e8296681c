/* SPDX-License-Identifier: Apache-2.0 */
/* A rank's address as text:
 * tcp2,<CPUs>,<which>,<host key>,<host>,<secret or ->,<address>/<prefix>+<port>,... */
#include "xxdev/soft/tcp/tcp_state.h"

#include "base/hex.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ----------------------------------------------------------------------------------------------------- */

static int address_print_place(const cor_place *place, char *out, size_t room)
{
    char text[INET6_ADDRSTRLEN];
    if (!inet_ntop(place->socket.any.sa_family, cor_sockaddr_bits(&place->socket.any), text, sizeof text))
        return 0;
    int length = snprintf(out, room, ",%s/%d+%d", text, place->prefix_bits, cor_place_port(place));
    return length > 0 && (size_t)length < room;
}

static int address_parse_place(char *word, cor_place *place_p)
{
    char *slash = strchr(word, '/'), *plus = strchr(word, '+');
    if (!slash || !plus || plus < slash)
        return 0;
    *slash = *plus = 0;
    char *end;
    long prefix = strtol(slash + 1, &end, 10);
    long port = strtol(plus + 1, NULL, 10);
    cor_place place;
    if (!cor_place_parse(word, &place) || *end || prefix < 0 || prefix > 128 || port < 1 || port > 65535)
        return 0;
    place.prefix_bits = (int)prefix;
    cor_place_set_port(&place, (int)port);
    *place_p = place;
    return 1;
}

/* ---- the text --------------------------------------------------------------------------------------------------- */

/* Places that find no room are left out: they come in the order of usefulness. */
void tcp_address_print(const tcp_address *address, char text[COR_WIRE_ADDRESS_MAX])
{
    char secret[2 * COR_SECRET_BYTES + 1] = "-";
    if (address->has_secret)
        cor_hex_print(address->secret, COR_SECRET_BYTES, secret);
    int at = snprintf(text, COR_WIRE_ADDRESS_MAX, "tcp%d,%08x,%s,%s", COR_HELLO_VERSION, address->host_key,
                      address->host, secret);
    for (int i = 0; i < address->place_count; i++) {
        if (!address_print_place(&address->places[i], text + at, (size_t)(COR_WIRE_ADDRESS_MAX - at))) {
            text[at] = 0;
            return;
        }
        at += (int)strlen(text + at);
    }
}

static int address_parse_secret(const char *word, tcp_address *address)
{
    if (strcmp(word, "-") == 0)
        return 1;
    if (strlen(word) != 2 * COR_SECRET_BYTES)
        return 0;
    address->has_secret = cor_hex_parse(word, COR_SECRET_BYTES, address->secret);
    return address->has_secret;
}

int tcp_address_parse(const char *text, tcp_address *address_p, cor_fault *fault)
{
    tcp_address address = {0};
    char copy[COR_WIRE_ADDRESS_MAX], secret[2 * COR_SECRET_BYTES + 1];
    int at = 0;
    if (sscanf(text, "tcp%*d,%x,%39[^,],%64[^,]%n", &address.host_key, address.host, secret, &at) != 3 ||
        !address_parse_secret(secret, &address))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "\"%.60s\" is no address of the TCP wire", text);
    snprintf(copy, sizeof copy, "%s", text + at);
    char *rest = NULL;
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (address.place_count == TCP_PLACES_MAX)
            break;
        if (!address_parse_place(word, &address.places[address.place_count]))
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "\"%.60s\" is no place in an address of the TCP wire", word);
        address.place_count++;
    }
    if (address.place_count == 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "\"%.60s\" names no place to call", text);
    *address_p = address;
    return COR_OK;
}
