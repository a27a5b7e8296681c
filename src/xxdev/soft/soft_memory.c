/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remote memory for the layer above: gets and puts by the wire that reaches the peer.
 *
 * Memory is registered with every wire that some peer is reached by, so a key has one part for each wire. A transfer is
 * in the table of exchanges while a wire copies, and so it fails when the peer is lost.
 */
#include "xxdev/soft/soft_state.h"

#include <stdlib.h>
#include <string.h>

/* The key of device memory, for wire i of the rank that made it; no bytes: not accessible by that wire. */
typedef struct soft_memory_key {
    cor_wire_key of_wire[COR_SOFT_WIRES_MAX];
} soft_memory_key;

_Static_assert(sizeof(soft_memory_key) <= COR_DEVICE_KEY_MAX, "the keys of all wires fit");

typedef struct soft_registration {
    void *of_wire[COR_SOFT_WIRES_MAX];
    uint8_t is_entered[COR_SOFT_WIRES_MAX];
} soft_registration;

static int memory_wire_index(const cor_soft *soft, const soft_peer *peer)
{
    int i = 0;
    while (i < soft->wire_count && soft->wires[i] != peer->wire)
        i++;
    return i;
}

/* Does any peer use this wire's remote memory? */
static int memory_is_used(const cor_soft *soft, const cor_wire *wire)
{
    for (int rank = 0; rank < soft->size; rank++)
        if (soft->peers[rank].wire == wire && soft->peers[rank].windows)
            return 1;
    return 0;
}

static int memory_enter(cor_device *device, void *base, size_t bytes, cor_device_key *key_p, void **registration_p)
{
    cor_soft *soft = soft_of(device);
    soft_memory_key *key = (soft_memory_key *)(void *)key_p->data;
    soft_registration *registration = calloc(1, sizeof *registration);
    memset(key_p, 0, sizeof *key_p);
    if (!registration)
        return COR_ERR_MEMORY;
    for (int i = 0; i < soft->wire_count && bytes > 0; i++) {
        cor_wire *wire = soft->wires[i];
        if (!memory_is_used(soft, wire))
            continue;
        int rc =
            wire->ops->memory->enter(wire, base, bytes, COR_WIRE_SHARED, &key->of_wire[i], &registration->of_wire[i]);
        registration->is_entered[i] = rc == COR_OK;
        if (rc != COR_OK)
            key->of_wire[i].bytes = 0;
    }
    *registration_p = registration;
    return COR_OK;
}

static void memory_leave(cor_device *device, void *registration_of)
{
    cor_soft *soft = soft_of(device);
    soft_registration *registration = registration_of;
    for (int i = 0; i < soft->wire_count; i++)
        if (registration->is_entered[i])
            soft->wires[i]->ops->memory->leave(soft->wires[i], registration->of_wire[i]);
    free(registration);
}

static const cor_wire_key *memory_key(const cor_soft *soft, const soft_peer *peer, const cor_device_key *key)
{
    int i = memory_wire_index(soft, peer);
    if (i == soft->wire_count)
        return NULL;
    return &((const soft_memory_key *)(const void *)key->data)->of_wire[i];
}

static int memory_reaches(cor_device *device, int rank, const cor_device_key *key)
{
    const cor_soft *soft = soft_of(device);
    const soft_peer *peer = &soft->peers[rank];
    if (!peer->windows || !peer->windows->get || peer->is_pushed)
        return 0;
    const cor_wire_key *part = memory_key(soft, peer, key);
    return part && part->bytes > 0 && part->bytes <= COR_WIRE_KEY_MAX;
}

/* The wire may be done before the start returns. */
static int memory_start(cor_soft *soft, cor_transfer *t, int rank, const cor_device_key *key, size_t offset,
                        size_t bytes)
{
    soft_peer *peer = &soft->peers[rank];
    cor_wire_key own;
    t->is_done = 0;
    t->error = COR_OK;
    t->is_cancelled = 0;
    t->peer = rank;
    t->bytes = bytes;
    t->has_handle = 0;
    t->state = SOFT_REACHING;
    if (peer->lost)
        return cor_losses_check(&soft->base.losses, rank, 0);
    int rc = peer->windows->enter(peer->wire, t->payload.base, bytes, t->is_send ? COR_WIRE_READ : COR_WIRE_WRITTEN,
                                  &own, &t->handle);
    if (rc != COR_OK)
        return rc;
    t->has_handle = 1;
    if (!soft_exchange_add(soft, t))
        soft_no_memory(soft, "an access to memory of a peer");
    const cor_wire_key *part = memory_key(soft, peer, key);
    rc = t->is_send ? peer->windows->put(peer->wire, rank, part, offset, t->payload.base, t->handle, bytes, 0, t)
                    : peer->windows->get(peer->wire, rank, part, offset, t->payload.base, t->handle, bytes, t);
    if (rc != COR_OK)
        soft_exchange_remove(soft, t);
    return rc;
}

static int memory_get(cor_device *device, cor_transfer *t, int rank, const cor_device_key *key, size_t offset,
                      void *to, size_t bytes)
{
    cor_soft *soft = soft_of(device);
    size_t align = soft->peers[rank].get_align_bytes;
    if (align > 1 && ((uintptr_t)to % align != 0 || offset % align != 0 || bytes % align != 0))
        return COR_AGAIN;
    t->is_send = 0;
    t->payload = cor_payload_plain(to, bytes);
    return memory_start(soft, t, rank, key, offset, bytes);
}

static int memory_put(cor_device *device, cor_transfer *t, int rank, const cor_device_key *key, size_t offset,
                      const void *from, size_t bytes)
{
    t->is_send = 1;
    t->payload = cor_payload_plain(from, bytes);
    return memory_start(soft_of(device), t, rank, key, offset, bytes);
}

void soft_reached(cor_soft *soft, cor_transfer *t, int error)
{
    soft_exchange_remove(soft, t);
    soft_complete(soft, t, error);
}

const cor_device_memory_ops soft_memory = {
    .enter = memory_enter,
    .leave = memory_leave,
    .reaches = memory_reaches,
    .get = memory_get,
    .put = memory_put,
};
