#include "xxdev/soft/ibv/ibv_text.h"
#include "base/hex.h"

#include "base/sha256.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- addresses -------------------------------------------------------------------------------------------------- */

static const void *place_bits(const ibw_place *place, int *port_p)
{
    int is_v4 = place->any.sa_family == AF_INET;
    *port_p = ntohs(is_v4 ? place->v4.sin_port : place->v6.sin6_port);
    return is_v4 ? (const void *)&place->v4.sin_addr : (const void *)&place->v6.sin6_addr;
}

void ibw_place_print(const ibw_place *place, char *out, size_t out_bytes)
{
    char text[INET6_ADDRSTRLEN] = "";
    int port;
    const void *bits = place_bits(place, &port);
    inet_ntop(place->any.sa_family, bits, text, sizeof text);
    snprintf(out, out_bytes, "%s+%d", text, port);
}

static int place_parse(const char *text, ibw_place *place_p)
{
    char copy[INET6_ADDRSTRLEN + 1];
    char *end;
    const char *plus = strchr(text, '+');
    if (!plus || (size_t)(plus - text) >= sizeof copy)
        return 0;
    memcpy(copy, text, (size_t)(plus - text));
    copy[plus - text] = 0;
    long port = strtol(plus + 1, &end, 10);
    if (*end || port < 1 || port > 65535)
        return 0;
    *place_p = (ibw_place){0};
    if (inet_pton(AF_INET, copy, &place_p->v4.sin_addr) == 1) {
        place_p->v4.sin_family = AF_INET;
        place_p->v4.sin_port = htons((uint16_t)port);
        return 1;
    }
    *place_p = (ibw_place){0};
    if (inet_pton(AF_INET6, copy, &place_p->v6.sin6_addr) != 1)
        return 0;
    place_p->v6.sin6_family = AF_INET6;
    place_p->v6.sin6_port = htons((uint16_t)port);
    return 1;
}

void ibw_address_print(const ibw_address *address, char text[COR_WIRE_ADDRESS_MAX])
{
    char secret[2 * IBW_SECRET_BYTES + 1] = "-", place[INET6_ADDRSTRLEN + 8];
    if (!address->has_device) {
        snprintf(text, COR_WIRE_ADDRESS_MAX, "ibv%d,%s,none", IBW_VERSION, address->host);
        return;
    }
    if (address->has_secret)
        cor_hex_print(address->secret, IBW_SECRET_BYTES, secret);
    ibw_place_print(&address->place, place, sizeof place);
    snprintf(text, COR_WIRE_ADDRESS_MAX, "ibv%d,%s,%zu,%s,%s", IBW_VERSION, address->host, address->buffer_bytes,
             secret, place);
}

static int address_parse_secret(const char *word, ibw_address *address)
{
    if (strcmp(word, "-") == 0)
        return 1;
    if (strlen(word) != 2 * IBW_SECRET_BYTES)
        return 0;
    address->has_secret = cor_hex_parse(word, IBW_SECRET_BYTES, address->secret);
    return address->has_secret;
}

int ibw_address_parse(const char *text, ibw_address *address_p, cor_fault *fault)
{
    ibw_address address = {0};
    char buffer[10], secret[2 * IBW_SECRET_BYTES + 1];
    int at = 0;
    if (sscanf(text, "ibv%*d,%39[^,],%n", address.host, &at) == 1 && at > 0 && strcmp(text + at, "none") == 0) {
        *address_p = address;
        return COR_OK;
    }
    at = 0;
    if (sscanf(text, "ibv%*d,%39[^,],%9[0-9],%64[^,],%n", address.host, buffer, secret, &at) != 3 || at == 0 ||
        !address_parse_secret(secret, &address) || !place_parse(text + at, &address.place))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "\"%.60s\" is no address of the verbs wire", text);
    address.buffer_bytes = strtoul(buffer, NULL, 10);
    address.has_device = 1;
    *address_p = address;
    return COR_OK;
}

/* ---- greetings -------------------------------------------------------------------------------------------------- */

static const uint8_t greeting_magic[4] = {'C', 'o', 'V', IBW_VERSION};

static void greeting_put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t greeting_get32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static void greeting_sign(const ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES],
                          uint8_t mac[IBW_MAC_BYTES])
{
    uint8_t text[16];
    cor_hmac hmac;
    greeting_put32(text, (uint32_t)greeting->is_answer);
    greeting_put32(text + 4, greeting->from);
    greeting_put32(text + 8, greeting->to);
    greeting_put32(text + 12, greeting->credits);
    cor_hmac_init(&hmac, secret, IBW_SECRET_BYTES);
    cor_hmac_add(&hmac, text, sizeof text);
    cor_hmac_end(&hmac, mac);
}

void ibw_greeting_write(const ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES],
                        uint8_t out[IBW_GREETING_BYTES])
{
    memcpy(out, greeting_magic, 4);
    greeting_put32(out + 4, greeting->from);
    greeting_put32(out + 8, greeting->credits);
    greeting_put32(out + 12, 0);
    greeting_sign(greeting, secret, out + 16);
}

/* Some fabrics fill private data up with zeros. */
int ibw_greeting_read(ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES], const void *data, size_t bytes)
{
    const uint8_t *in = data;
    uint8_t mac[IBW_MAC_BYTES];
    if (bytes < IBW_GREETING_BYTES || memcmp(in, greeting_magic, 4) != 0)
        return 0;
    greeting->from = greeting_get32(in + 4);
    greeting->credits = greeting_get32(in + 8);
    greeting_sign(greeting, secret, mac);
    return cor_bytes_are_equal(mac, in + 16, IBW_MAC_BYTES);
}
