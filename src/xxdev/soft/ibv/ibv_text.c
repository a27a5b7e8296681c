/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/soft/ibv/ibv_text.h"

#include "base/hex.h"
#include "base/sha256.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t text_get32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

/* ---- GIDs ------------------------------------------------------------------------------------------------------- */

/* Routers pass RoCE v2, and networks of today expect it; an IPv4 address is what administrators configure. */
int ibw_gid_rank(ibw_gid_kind kind, const uint8_t gid[IBW_GID_BYTES])
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}, none[IBW_GID_BYTES];
    int is_local = gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
    if (memcmp(gid, none, sizeof none) == 0)
        return 0;
    return 1 + 4 * (kind == IBW_GID_ROCE_2) + (memcmp(gid, mapped, sizeof mapped) == 0 ? 2 : !is_local);
}

const char *ibw_gid_kind_text(int kind)
{
    static const char *const texts[] = {"InfiniBand", "RoCE v1", "RoCE v2"};
    return texts[kind];
}

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

enum { SPOT_BYTES = 12 + IBW_GID_BYTES, SPOT_TEXT_MAX = 2 + 2 * SPOT_BYTES };

static void spot_print(const ibw_spot *spot, char out[SPOT_TEXT_MAX])
{
    uint8_t bytes[SPOT_BYTES] = {spot->gid_kind, spot->mtu, (uint8_t)spot->lid, (uint8_t)(spot->lid >> 8)};
    text_put32(bytes + 4, spot->queue);
    text_put32(bytes + 8, spot->key);
    memcpy(bytes + 12, spot->gid, IBW_GID_BYTES);
    out[0] = 'x';
    cor_hex_print(bytes, sizeof bytes, out + 1);
}

static int spot_parse(const char *text, ibw_spot *spot_p)
{
    uint8_t bytes[SPOT_BYTES];
    if (text[0] != 'x' || strlen(text) != SPOT_TEXT_MAX - 1 || !cor_hex_parse(text + 1, sizeof bytes, bytes))
        return 0;
    *spot_p = (ibw_spot){.gid_kind = bytes[0],
                         .mtu = bytes[1],
                         .lid = (uint16_t)(bytes[2] | bytes[3] << 8),
                         .queue = text_get32(bytes + 4),
                         .key = text_get32(bytes + 8)};
    memcpy(spot_p->gid, bytes + 12, IBW_GID_BYTES);
    return spot_p->gid_kind <= IBW_GID_ROCE_2 && spot_p->mtu >= 1 && spot_p->mtu <= 5 && spot_p->queue > 1 &&
           spot_p->queue <= IBW_NUMBER_MAX;
}

void ibw_address_print(const ibw_address *address, char text[COR_WIRE_ADDRESS_MAX])
{
    char secret[2 * IBW_SECRET_BYTES + 1] = "-", where[SPOT_TEXT_MAX + INET6_ADDRSTRLEN];
    if (!address->has_device) {
        snprintf(text, COR_WIRE_ADDRESS_MAX, "ibv%d,%s,none", IBW_VERSION, address->host);
        return;
    }
    if (address->has_secret)
        cor_hex_print(address->secret, IBW_SECRET_BYTES, secret);
    if (address->has_spot)
        spot_print(&address->spot, where);
    else
        ibw_place_print(&address->place, where, sizeof where);
    snprintf(text, COR_WIRE_ADDRESS_MAX, "ibv%d,%s,%zu,%s,%s", IBW_VERSION, address->host, address->buffer_bytes,
             secret, where);
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
    int is_read = sscanf(text, "ibv%*d,%39[^,],%9[0-9],%64[^,],%n", address.host, buffer, secret, &at) == 3 && at > 0;
    address.has_spot = is_read && spot_parse(text + at, &address.spot);
    if (!is_read || !address_parse_secret(secret, &address) ||
        (!address.has_spot && !place_parse(text + at, &address.place)))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "\"%.60s\" is no address of the verbs wire", text);
    address.buffer_bytes = strtoul(buffer, NULL, 10);
    address.has_device = 1;
    *address_p = address;
    return COR_OK;
}

/* ---- greetings -------------------------------------------------------------------------------------------------- */

static const uint8_t greeting_magic[4] = {'C', 'o', 'V', IBW_VERSION};

static void greeting_sign(const ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES],
                          uint8_t mac[IBW_MAC_BYTES])
{
    uint8_t text[16];
    cor_hmac hmac;
    text_put32(text, (uint32_t)greeting->is_answer);
    text_put32(text + 4, greeting->from);
    text_put32(text + 8, greeting->to);
    text_put32(text + 12, greeting->credits);
    cor_hmac_init(&hmac, secret, IBW_SECRET_BYTES);
    cor_hmac_add(&hmac, text, sizeof text);
    cor_hmac_end(&hmac, mac);
}

void ibw_greeting_write(const ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES],
                        uint8_t out[IBW_GREETING_BYTES])
{
    memcpy(out, greeting_magic, 4);
    text_put32(out + 4, greeting->from);
    text_put32(out + 8, greeting->credits);
    text_put32(out + 12, 0);
    greeting_sign(greeting, secret, out + 16);
}

/* Some fabrics fill private data up with zeros. */
int ibw_greeting_read(ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES], const void *data, size_t bytes)
{
    const uint8_t *in = data;
    uint8_t mac[IBW_MAC_BYTES];
    if (bytes < IBW_GREETING_BYTES || memcmp(in, greeting_magic, 4) != 0)
        return 0;
    greeting->from = text_get32(in + 4);
    greeting->credits = text_get32(in + 8);
    greeting_sign(greeting, secret, mac);
    return cor_bytes_are_equal(mac, in + 16, IBW_MAC_BYTES);
}

/* ---- datagrams -------------------------------------------------------------------------------------------------- */

enum { DATAGRAM_SIGNED_BYTES = IBW_DATAGRAM_BYTES - IBW_MAC_BYTES };

static const uint8_t datagram_magic[4] = {'C', 'o', 'X', IBW_VERSION};

static void datagram_sign(const uint8_t *bytes, const uint8_t secret[IBW_SECRET_BYTES], uint8_t mac[IBW_MAC_BYTES])
{
    cor_hmac hmac;
    cor_hmac_init(&hmac, secret, IBW_SECRET_BYTES);
    cor_hmac_add(&hmac, bytes, DATAGRAM_SIGNED_BYTES);
    cor_hmac_end(&hmac, mac);
}

void ibw_datagram_write(const ibw_datagram *datagram, const uint8_t secret[IBW_SECRET_BYTES],
                        uint8_t out[IBW_DATAGRAM_BYTES])
{
    const uint32_t words[] = {datagram->from,    datagram->to,    datagram->call,
                              datagram->credits, datagram->queue, datagram->packet};
    memcpy(out, datagram_magic, 4);
    out[4] = datagram->kind;
    out[5] = datagram->reason;
    out[6] = datagram->reads;
    out[7] = 0;
    for (int i = 0; i < 6; i++)
        text_put32(out + 8 + 4 * i, words[i]);
    datagram_sign(out, secret, out + DATAGRAM_SIGNED_BYTES);
}

static int datagram_is_sound(const ibw_datagram *datagram)
{
    if (datagram->kind == IBW_REFUSAL)
        return datagram->reason >= IBW_STRANGER && datagram->reason <= IBW_NO_ROOM;
    return (datagram->kind == IBW_CALL || datagram->kind == IBW_ANSWER) && datagram->credits >= 4 &&
           datagram->credits <= 1 << 14 && datagram->queue > 1 && datagram->queue <= IBW_NUMBER_MAX &&
           datagram->packet <= IBW_NUMBER_MAX;
}

int ibw_datagram_read(ibw_datagram *datagram_p, const uint8_t secret[IBW_SECRET_BYTES], int to, int size,
                      const void *data, size_t bytes)
{
    const uint8_t *in = data;
    uint8_t mac[IBW_MAC_BYTES];
    if (bytes != IBW_DATAGRAM_BYTES || memcmp(in, datagram_magic, 4) != 0)
        return 0;
    datagram_sign(in, secret, mac);
    if (!cor_bytes_are_equal(mac, in + DATAGRAM_SIGNED_BYTES, IBW_MAC_BYTES))
        return 0;
    ibw_datagram found = {.kind = in[4],
                          .reason = in[5],
                          .reads = in[6],
                          .from = text_get32(in + 8),
                          .to = text_get32(in + 12),
                          .call = text_get32(in + 16),
                          .credits = text_get32(in + 20),
                          .queue = text_get32(in + 24),
                          .packet = text_get32(in + 28)};
    if (found.to != (uint32_t)to || found.from >= (uint32_t)size || found.from == found.to || found.call == 0 ||
        !datagram_is_sound(&found))
        return 0;
    *datagram_p = found;
    return 1;
}
