/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rendezvous: the sender of a long message first sends a request, and the data move when the receive is posted.
 *
 *   RTS    the sender's request: the length of the message, and how its memory may be accessed.
 *   then   the receiver, which knows both sides, chooses (soft_choose):
 *     copy     the sender is a thread of this process: copy out of its payload. DONE.
 *     get      the wire copies out of the sender's memory. DONE.
 *     put      CTS with a key; the wire copies into the receiver's memory, for the sender. WRITTEN, unless the wire
 *              notifies the receiver itself.
 *     pieces   CTS; DATA packets, which the wire may send from the sender's memory.
 *
 * A get or put that fails is replaced by pieces. All transfers here are found by an id (soft_exchange), so that a lost
 * peer leaves nothing behind.
 */
#include "xxdev/soft/soft_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- which way -------------------------------------------------------------------------------------------------- */

typedef enum soft_way { SOFT_BY_COPY, SOFT_BY_GET, SOFT_BY_PUT, SOFT_BY_PIECES } soft_way;

static int soft_is_aligned(const soft_peer *peer, const void *address)
{
    return !peer->get_align_bytes || (uintptr_t)address % peer->get_align_bytes == 0;
}

/* The receiver gets: fewer packets, and the sender need not be there. Beyond a size, or where addresses do not allow
 * it, the sender puts. */
static int soft_offers_get(const soft_peer *peer, const cor_transfer *t)
{
    return t->payload.bytes <= peer->get_max_bytes && soft_is_aligned(peer, t->payload.base);
}

static soft_way soft_choose(const soft_peer *peer, const cor_transfer *t, int flags)
{
    if (flags & SOFT_SAME_MEMORY)
        return SOFT_BY_COPY;
    if (!peer->memory || t->payload.ops) /* an array cannot stay where it is */
        return SOFT_BY_PIECES;
    if (flags & SOFT_HAS_KEY && soft_is_aligned(peer, t->payload.base))
        return SOFT_BY_GET;
    return flags & SOFT_CAN_PUT ? SOFT_BY_PUT : SOFT_BY_PIECES;
}

/* ---- what requests and clearances carry ------------------------------------------------------------------------- */

/* 0: it is as long as none. */
static int soft_parse(soft_rts *rts_p, const void *data, size_t bytes)
{
    if (bytes < SOFT_RTS_LEAST_BYTES || bytes > sizeof *rts_p)
        return 0;
    memcpy(rts_p, data, bytes);
    return rts_p->key.bytes == bytes - SOFT_RTS_LEAST_BYTES;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static int soft_register(soft_peer *peer, cor_transfer *t, size_t bytes, cor_wire_key *key_p)
{
    cor_wire_use use = t->is_send ? COR_WIRE_READ : COR_WIRE_WRITTEN;
    int rc = peer->memory->enter(peer->wire, t->payload.base, bytes, use, key_p, &t->handle);
    t->has_handle = rc == COR_OK;
    return rc;
}

void soft_unregister(cor_soft *soft, cor_transfer *t)
{
    soft_peer *peer = &soft->peers[t->peer];
    t->has_handle = 0;
    peer->windows->leave(peer->wire, t->handle);
}

/* Register the memory of a send, unless that was done for a request that found no room. */
static int soft_offer(cor_soft *soft, soft_peer *peer, cor_transfer *t, cor_wire_key *key_p)
{
    if (COR_LIKELY(!t->has_handle)) {
        if (soft_register(peer, t, t->payload.bytes, key_p) == COR_OK)
            return 1;
        key_p->bytes = 0;
        return 0;
    }
    const cor_wire_key *key = *soft_exchange_key(soft, t);
    key_p->bytes = key->bytes;
    memcpy(key_p->data, key->data, key->bytes);
    return 1;
}

/* The request will be sent again. Without memory for the key it registers again. */
static void soft_keep_key(cor_soft *soft, cor_transfer *t, const cor_wire_key *key)
{
    cor_wire_key **kept = soft_exchange_key(soft, t);
    if (!*kept)
        *kept = malloc(sizeof **kept);
    if (*kept)
        **kept = *key;
    else
        soft_unregister(soft, t);
}

/* ---- the sender asks -------------------------------------------------------------------------------------------- */

int soft_rendezvous_ask(cor_soft *soft, soft_peer *peer, cor_transfer *t)
{
    if (!t->id && !soft_exchange_add(soft, t))
        soft_no_memory(soft, "a rendezvous");
    cor_header header = {
        .kind = SOFT_RTS, .type_class = t->payload.type_class, .context = t->context, .tag = t->tag, .id = t->id};
    soft_rts rts;
    rts.bytes = t->payload.bytes;
    rts.key.bytes = 0;
    if (peer->is_same_memory) {
        /* The receiving thread reads through the payload itself. */
        if (t->payload.ops) {
            cor_list_remove(&t->unheld);
            cor_payload_hold(&t->payload);
        }
        header.flags = SOFT_SAME_MEMORY;
        const cor_payload *payload = &t->payload;
        rts.key.bytes = sizeof payload;
        memcpy(rts.key.data, &payload, sizeof payload);
    } else if (peer->memory && !t->payload.ops) {
        header.flags = SOFT_CAN_PUT;
        if (soft_offers_get(peer, t) && soft_offer(soft, peer, t, &rts.key))
            header.flags |= SOFT_HAS_KEY;
    }
    cor_payload body = cor_payload_plain(&rts, SOFT_RTS_LEAST_BYTES + rts.key.bytes);
    int rc = soft_packet(peer, &header, &body, 0, body.bytes);
    if (rc == COR_OK)
        t->state = SOFT_ASKED;
    else if (COR_UNLIKELY(header.flags & SOFT_HAS_KEY))
        soft_keep_key(soft, t, &rts.key);
    return rc;
}

/* Hand over one piece, without a copy where the wire can do that and it is worth it. */
static int soft_stream_piece(soft_peer *peer, cor_transfer *t, size_t piece)
{
    cor_header header = {.kind = SOFT_DATA, .id = t->peer_id};
    if (!peer->zcopy_min_bytes || piece < peer->zcopy_min_bytes || !cor_payload_is_mappable(&t->payload))
        return soft_packet(peer, &header, &t->payload, t->moved, piece);
    header.credit = peer->credits_given;
    int is_last = t->bytes - t->moved - piece < peer->zcopy_min_bytes; /* a short rest is copied */
    int rc = peer->wire->ops->send_zcopy(peer->wire, peer->rank, &header, &t->payload, t->moved, piece, is_last);
    if (rc == COR_OK) {
        peer->credits_told = header.credit;
        t->zcopy_pending++;
    }
    return rc;
}

/* Hand over as many pieces as find room. Returns how many; the transfer is done when the last has left and the wire
 * refers to nothing of it any more. */
int soft_stream(cor_soft *soft, soft_peer *peer, cor_transfer *t)
{
    int pieces = 0;
    while (t->moved < t->bytes) {
        size_t left = t->bytes - t->moved;
        size_t piece = left < peer->packet_max_bytes ? left : peer->packet_max_bytes;
        if (soft_stream_piece(peer, t, piece) != COR_OK)
            return pieces;
        t->moved += piece;
        pieces++;
    }
    cor_list_remove(&t->link);
    if (t->zcopy_pending > 0) {
        t->state = SOFT_UNACKED;
        cor_list_append(&peer->unacked, &t->link);
        return pieces;
    }
    soft_exchange_remove(soft, t);
    soft_complete(soft, t, COR_OK);
    return pieces;
}

static void soft_stream_begin(cor_soft *soft, soft_peer *peer, cor_transfer *t)
{
    t->state = SOFT_STREAMING;
    int is_first = cor_list_is_empty(&peer->streams);
    cor_list_append(&peer->streams, &t->link);
    if (is_first)
        soft_stream(soft, peer, t);
    if (!cor_list_is_empty(&peer->streams))
        soft_mark_busy(soft, peer);
}

/* 0: it goes in pieces instead. */
static int soft_put(soft_peer *peer, cor_transfer *t, const cor_wire_key *to)
{
    cor_wire_key own;
    if (!peer->memory || t->payload.ops || (!t->has_handle && soft_register(peer, t, t->bytes, &own) != COR_OK))
        return 0;
    t->state = SOFT_PUTTING;
    return peer->memory->put(peer->wire, peer->rank, to, 0, t->payload.base, t->handle, t->bytes, t->peer_id, t) ==
           COR_OK;
}

void soft_on_cts(cor_soft *soft, soft_peer *peer, const cor_header *header, const void *data, size_t bytes)
{
    cor_transfer *t = soft_exchange_find(soft, header->id);
    soft_cts cts;
    if (!t || t->peer != peer->rank || t->state != SOFT_ASKED || !soft_parse(&cts, data, bytes)) {
        soft_reject(soft, peer, "a clearance for a send (%u) that does not wait for it", header->id);
        return;
    }
    t->peer_id = header->id2;
    t->bytes = cts.bytes < t->payload.bytes ? cts.bytes : t->payload.bytes;
    if (!(header->flags & SOFT_HAS_KEY) || !soft_put(peer, t, &cts.key))
        soft_stream_begin(soft, peer, t);
}

/* Matched, or copied. */
void soft_on_done(cor_soft *soft, soft_peer *peer, const cor_header *header)
{
    cor_transfer *t = soft_exchange_find(soft, header->id);
    if (!t || t->peer != peer->rank || t->state != SOFT_ASKED) {
        soft_reject(soft, peer, "word that a send (%u) is done that does not wait for it", header->id);
        return;
    }
    soft_exchange_remove(soft, t);
    soft_complete(soft, t, COR_OK);
}

/* ---- the receiver answers --------------------------------------------------------------------------------------- */

static int soft_outcome(const cor_transfer *t)
{
    return t->message_bytes > t->bytes ? COR_ERR_TRUNCATE : COR_OK;
}

/* The message has arrived; its sender may continue. */
static void soft_finish(cor_soft *soft, soft_peer *peer, cor_transfer *t, uint32_t id)
{
    soft_control_send(soft, peer, (cor_header){.kind = SOFT_DONE, .id = id}, NULL, 0);
    soft_complete(soft, t, soft_outcome(t));
}

static void soft_clear(cor_soft *soft, soft_peer *peer, cor_transfer *t, int may_put)
{
    cor_header header = {.kind = SOFT_CTS, .id = t->peer_id, .id2 = t->id};
    soft_cts cts;
    cts.bytes = t->bytes;
    t->state = SOFT_RECEIVING;
    t->moved = 0;
    if (may_put && soft_register(peer, t, t->bytes, &cts.key) == COR_OK)
        header.flags = SOFT_HAS_KEY;
    else
        cts.key.bytes = 0;
    soft_control_send(soft, peer, header, &cts, SOFT_RTS_LEAST_BYTES + cts.key.bytes);
}

/* 0: it cannot be started. It may be done when this returns. */
static int soft_get(soft_peer *peer, cor_transfer *t, const cor_wire_key *from)
{
    cor_wire_key own;
    if (soft_register(peer, t, t->bytes, &own) != COR_OK)
        return 0;
    t->state = SOFT_GETTING;
    return peer->memory->get(peer->wire, peer->rank, from, 0, t->payload.base, t->handle, t->bytes, t) == COR_OK;
}

void soft_answer(cor_soft *soft, cor_transfer *t, const soft_request *request)
{
    soft_peer *peer = &soft->peers[request->peer];
    int error = cor_transfer_meet(t, request->peer, request->tag, request->type_class, request->rts->bytes);
    soft_count(&peer->counts.long_received, request->rts->bytes);
    t->peer_id = request->id;
    if (COR_UNLIKELY(peer->lost != NULL)) { /* the request came before it was lost, the data never will */
        t->bytes = 0;
        soft_complete(soft, t, cor_losses_check(&soft->base.losses, peer->rank, 0));
        return;
    }
    if (error == COR_ERR_MISMATCH) {
        soft_control_send(soft, peer, (cor_header){.kind = SOFT_DONE, .id = request->id}, NULL, 0);
        soft_complete(soft, t, error);
        return;
    }
    soft_way way = soft_choose(peer, t, request->flags);
    if (way == SOFT_BY_COPY && t->bytes > 0) {
        const cor_payload *from;
        memcpy(&from, request->rts->key.data, sizeof from);
        cor_payload_copy(&t->payload, from, t->bytes);
    }
    if (way == SOFT_BY_COPY)
        soft_count(&peer->counts.copied, t->bytes);
    if (way == SOFT_BY_COPY || t->bytes == 0) {
        soft_finish(soft, peer, t, request->id);
        return;
    }
    if (!soft_exchange_add(soft, t))
        soft_no_memory(soft, "a rendezvous");
    if (way == SOFT_BY_GET && soft_get(peer, t, &request->rts->key))
        return;
    if (t->has_handle)
        soft_unregister(soft, t);
    soft_clear(soft, peer, t, way == SOFT_BY_PUT);
}

cor_transfer *soft_find_streamed(cor_soft *soft, int peer, uint32_t id, size_t bytes)
{
    cor_transfer *t = soft_exchange_find(soft, id);
    int is_awaited = t && !t->is_send && t->peer == peer && t->state == SOFT_RECEIVING && bytes <= t->bytes - t->moved;
    return is_awaited ? t : NULL;
}

void soft_on_data(cor_soft *soft, soft_peer *peer, const cor_header *header, const void *data, size_t bytes)
{
    cor_transfer *t = soft_find_streamed(soft, peer->rank, header->id, bytes);
    if (!t) {
        soft_reject(soft, peer, "%zu bytes for a receive (%u) that does not wait for them", bytes, header->id);
        return;
    }
    if (data)
        cor_payload_write(&t->payload, t->moved, data, bytes);
    t->moved += bytes;
    if (t->moved == t->bytes) {
        soft_exchange_remove(soft, t);
        soft_complete(soft, t, soft_outcome(t));
    }
}

void soft_written(void *sink, int rank, uint32_t id)
{
    cor_soft *soft = sink;
    cor_transfer *t = soft_find_streamed(soft, rank, id, 0);
    if (!t || !t->has_handle || t->moved > 0) {
        soft_reject(soft, &soft->peers[rank], "word that it has written to a receive (%u) that gave it no memory", id);
        return;
    }
    soft_exchange_remove(soft, t);
    soft_complete(soft, t, soft_outcome(t));
}

/* ---- a get or put is done --------------------------------------------------------------------------------------- */

void soft_copied(void *sink, void *context, int error)
{
    cor_soft *soft = sink;
    cor_transfer *t = context;
    soft_peer *peer = &soft->peers[t->peer];
    if (COR_UNLIKELY(t->state == SOFT_REACHING)) {
        soft_reached(soft, t, error);
    } else if (error != COR_OK && t->is_send) {
        soft_stream_begin(soft, peer, t);
    } else if (error != COR_OK) {
        soft_unregister(soft, t);
        soft_clear(soft, peer, t, 0);
    } else if (t->is_send) {
        if (!peer->puts_tell)
            soft_control_send(soft, peer, (cor_header){.kind = SOFT_WRITTEN, .id = t->peer_id}, NULL, 0);
        soft_exchange_remove(soft, t);
        soft_complete(soft, t, COR_OK);
    } else {
        soft_exchange_remove(soft, t);
        soft_count(&peer->counts.copied, t->bytes);
        soft_finish(soft, peer, t, t->peer_id);
    }
}

/* ---- what is believed ------------------------------------------------------------------------------------------- */

/* The key of a request is believed only as far as the wire makes it possible. */
int soft_rts_is_fair(cor_soft *soft, soft_peer *peer, const cor_header *header, const void *data, size_t bytes,
                     soft_rts *rts_p)
{
    if (!soft_parse(rts_p, data, bytes))
        soft_reject(soft, peer, "a rendezvous request of %zu bytes", bytes);
    else if ((header->flags & SOFT_SAME_MEMORY &&
              (!peer->is_same_memory || rts_p->key.bytes != sizeof(const cor_payload *))) ||
             (header->flags & SOFT_HAS_KEY && (!peer->wire->ops->memory || !peer->wire->ops->memory->get)))
        soft_reject(soft, peer, "a rendezvous request for memory that is not shared");
    else
        return soft_tag_is_fair(soft, peer, header->tag);
    return 0;
}
