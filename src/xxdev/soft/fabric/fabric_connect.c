/* SPDX-License-Identifier: Apache-2.0 */
/* How ranks exchange what they chose and their addresses in the library. */
#include "base/hex.h"
#include "xxdev/soft/fabric/fabric_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_PREFIX_MAX = 16,
    CONNECT_ROUND_BYTES = (COR_WIRE_ADDRESS_MAX - CONNECT_PREFIX_MAX) / 2,
    CONNECT_ADDRESS_MAX = 1 << 16,
    CONNECT_PROTOCOL = 5,
};

/* ---- what all ranks need alike ---------------------------------------------------------------------------------- */

/* Beside the build; exchanged in round 0. The version of the library stands for its protocol, which no library promises
 * to keep. */
typedef struct connect_choice {
    char version[24], choice[COR_FABRIC_TEXT_MAX];
    size_t address_bytes, eager_max_bytes;
    int handles_errors;
} connect_choice;

static void connect_print(const connect_choice *own, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%zu,%zu,%d,%s,%s", own->address_bytes, own->eager_max_bytes, own->handles_errors,
             own->version, own->choice);
}

static int connect_parse(const char *text, connect_choice *choice_p)
{
    *choice_p = (connect_choice){0};
    return text && sscanf(text, ",%zu,%zu,%d,%23[^,],%63s", &choice_p->address_bytes, &choice_p->eager_max_bytes,
                          &choice_p->handles_errors, choice_p->version, choice_p->choice) >= 4;
}

static void connect_own(const fabric_wire *wire, connect_choice *own_p)
{
    *own_p = (connect_choice){.eager_max_bytes = wire->config.eager_max_bytes,
                              .handles_errors = wire->config.handles_errors};
    wire->ops->address(wire->library, &own_p->address_bytes);
    wire->ops->library_version(own_p->version, sizeof own_p->version);
    wire->ops->choice(wire->library, own_p->choice, sizeof own_p->choice);
    for (char *at = own_p->choice; *at; at++) /* an address has no spaces */
        *at = *at > ' ' && *at < 127 ? *at : '_';
}

/* Does a rank have what rank 0 has? */
static int connect_compare(const fabric_wire *wire, int peer, const connect_choice *other, const connect_choice *first,
                           cor_fault *fault)
{
    const cor_fabric_ops *ops = wire->ops;
    const char *knobs = wire->kind->knobs;
    if (strcmp(other->version, first->version) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d uses %s %s, rank 0 %s %s: all ranks of a job need the same version of it", peer,
                             ops->name, other->version, ops->name, first->version);
    if (strcmp(other->choice, first->choice) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d uses %s of %s, rank 0 %s: set %s alike on all ranks of a job", peer,
                             other->choice, ops->name, first->choice, ops->choice_settings);
    if (other->eager_max_bytes != first->eager_max_bytes)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "%s.eager_max is %zu on rank 0 and %zu on rank %d: set it alike on all ranks of a job",
                             knobs, first->eager_max_bytes, other->eager_max_bytes, peer);
    if (other->handles_errors != first->handles_errors)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "%s.errors is %s on rank 0 and %s on rank %d: set it alike on all ranks of a job", knobs,
                             first->handles_errors ? "yes" : "no", other->handles_errors ? "yes" : "no", peer);
    return COR_OK;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* How many of so many bytes the round that begins there brings. */
static size_t connect_part(size_t bytes, size_t from)
{
    return bytes - from < CONNECT_ROUND_BYTES ? bytes - from : CONNECT_ROUND_BYTES;
}

static int connect_prefix(const fabric_wire *wire, char *text)
{
    return snprintf(text, CONNECT_PREFIX_MAX, "%s%d,", wire->kind->plugin.name, CONNECT_PROTOCOL);
}

void cor_fabric_address(cor_wire *base, char *text)
{
    const fabric_wire *wire = fabric_of(base);
    connect_choice own;
    int length = connect_prefix(wire, text);
    connect_own(wire, &own);
    connect_print(&own, text + length, (size_t)(COR_WIRE_ADDRESS_MAX - length));
}

int cor_fabric_address_more(cor_wire *base, int round, char *text)
{
    const fabric_wire *wire = fabric_of(base);
    size_t bytes, from = (size_t)(round - 1) * CONNECT_ROUND_BYTES;
    if (from >= wire->address_max_bytes)
        return 0;
    int length = connect_prefix(wire, text);
    const unsigned char *address = wire->ops->address(wire->library, &bytes);
    if (from < bytes)
        cor_hex_print(address + from, connect_part(bytes, from), text + length);
    return 1;
}

static int connect_bad_address(const fabric_wire *wire, int peer, const char *text, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_UNREACHABLE, "rank %d tells %s \"%.100s\"", peer, wire->options.device, text);
}

int cor_fabric_connect(cor_wire *base, const char *const *texts, uint8_t *reached, cor_fault *fault)
{
    fabric_wire *wire = fabric_of(base);
    connect_choice first = {0}, other;
    for (int i = 0; i < wire->size; i++) {
        if (!connect_parse(strchr(texts[i], ','), &other) || other.address_bytes > CONNECT_ADDRESS_MAX)
            return connect_bad_address(wire, i, texts[i], fault);
        first = i == 0 ? other : first;
        int rc = connect_compare(wire, i, &other, &first, fault);
        if (rc != COR_OK)
            return rc;
        wire->address_bytes[i] = other.address_bytes;
        if (wire->address_max_bytes < other.address_bytes)
            wire->address_max_bytes = other.address_bytes;
        reached[i] = 1;
    }
    wire->addresses = calloc((size_t)wire->size, wire->address_max_bytes);
    if (!wire->addresses)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", wire->size);
    return COR_OK;
}

static int connect_learn_part(fabric_wire *wire, int peer, size_t from, const char *text, cor_fault *fault)
{
    const char *comma = strchr(text, ',');
    uint8_t *address = wire->addresses + (size_t)peer * wire->address_max_bytes;
    size_t bytes = wire->address_bytes[peer];
    if (from >= bytes)
        return COR_OK;
    if (!comma || !cor_hex_parse(comma + 1, connect_part(bytes, from), address + from))
        return connect_bad_address(wire, peer, text, fault);
    return COR_OK;
}

int cor_fabric_connect_more(cor_wire *base, int round, const char *const *texts, cor_fault *fault)
{
    fabric_wire *wire = fabric_of(base);
    int rc = COR_OK;
    for (int i = 0; rc == COR_OK && i < wire->size; i++)
        rc = connect_learn_part(wire, i, (size_t)(round - 1) * CONNECT_ROUND_BYTES, texts[i], fault);
    return rc;
}

/* ---- all addresses are there ------------------------------------------------------------------------------------ */

static void connect_learn_routes(fabric_wire *wire)
{
    for (int i = 0; i < wire->size; i++) {
        fabric_peer *p = &wire->peers[i];
        wire->ops->route(wire->library, i, &p->route);
        if (wire->packet_max_bytes < p->route.packet_max_bytes)
            wire->packet_max_bytes = p->route.packet_max_bytes;
    }
    fabric_pools_init(wire);
}

int cor_fabric_attach(cor_wire *base, cor_fault *fault)
{
    fabric_wire *wire = fabric_of(base);
    char why[160];
    int rc = 0;
    for (int i = 0; rc == 0 && i < wire->size; i++) {
        wire->peers[i].is_near = wire->options.host->index_of[i] >= 0;
        rc = wire->ops->connect(wire->library, i, wire->addresses + (size_t)i * wire->address_max_bytes,
                                wire->address_bytes[i], wire->peers[i].is_near);
    }
    free(wire->addresses);
    wire->addresses = NULL;
    rc = rc == 0 ? wire->ops->start(wire->library) : rc;
    if (rc == 0) {
        connect_learn_routes(wire);
        return COR_OK;
    }
    wire->ops->explain(rc, why, sizeof why);
    return cor_fault_set(fault, COR_ERR_UNREACHABLE, "%s cannot connect: %s: %s", wire->options.device,
                         wire->ops->name, why);
}
