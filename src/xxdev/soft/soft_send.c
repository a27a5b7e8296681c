/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half of the protocols, and the outbox of packets that found no room. */
#include "xxdev/soft/soft_state.h"

#include <string.h>

static inline int soft_has_credits(const cor_soft *soft, const soft_peer *peer, uint32_t cost)
{
    return peer->credits_used - peer->credits_back + cost <= soft->credit_limit;
}

void soft_mark_busy(cor_soft *soft, soft_peer *peer)
{
    if (!peer->is_busy) {
        peer->is_busy = 1;
        cor_list_append(&soft->busy, &peer->busy);
        /* The caller may leave and make no further call, and no doorbell is rung when the peer makes room: a sleeping
         * thread of this rank must serve the outbox. */
        cor_waiter_wake(&soft->base.waiter);
    }
}

/* ---- control packets -------------------------------------------------------------------------------------------- */

void soft_control_send(cor_soft *soft, soft_peer *peer, cor_header header, const void *body, size_t body_bytes)
{
    if (COR_UNLIKELY(peer->lost != NULL))
        return;
    cor_payload payload = cor_payload_plain(body, body_bytes);
    if (cor_list_is_empty(&peer->controls) && soft_packet(peer, &header, &payload, 0, body_bytes) == COR_OK)
        return;
    soft_control *control = cor_pool_get(&soft->controls);
    if (!control)
        soft_no_memory(soft, "a control packet");
    control->header = header;
    control->body_bytes = (uint32_t)body_bytes;
    if (body_bytes)
        memcpy(control->body, body, body_bytes);
    cor_list_append(&peer->controls, &control->link);
    soft_mark_busy(soft, peer);
}

void soft_tell_credits(cor_soft *soft, soft_peer *peer)
{
    cor_header header = {.kind = SOFT_CREDIT};
    if (peer->owes_credit || peer->lost)
        return;
    if (soft_packet(peer, &header, NULL, 0, 0) != COR_OK) {
        peer->owes_credit = 1;
        soft_mark_busy(soft, peer);
    }
}

void soft_give_credits(cor_soft *soft, soft_peer *peer, uint32_t credits)
{
    peer->credits_given += credits;
    /* Report credits in a packet of their own only if no other packet has for long. */
    if (COR_UNLIKELY(peer->credits_given - peer->credits_told > soft->credit_limit / 2))
        soft_tell_credits(soft, peer);
}

/* ---- sends ------------------------------------------------------------------------------------------------------ */

static int soft_try_eager(cor_soft *soft, soft_peer *peer, cor_transfer *t)
{
    cor_header header = {
        .kind = SOFT_EAGER, .type_class = t->payload.type_class, .context = t->context, .tag = t->tag};
    if (t->is_sync) {
        header.flags = SOFT_WANTS_DONE;
        header.id = t->id ? t->id : soft_exchange_add(soft, t);
        if (!header.id)
            soft_no_memory(soft, "a synchronous send");
    }
    int rc = soft_packet(peer, &header, &t->payload, 0, t->payload.bytes);
    if (rc != COR_OK)
        return rc;
    if (t->is_sync) {
        t->state = SOFT_ASKED;
        return COR_OK;
    }
    if (COR_UNLIKELY(t->id)) /* it would have sent a request, but found no room for that until credits arrived */
        soft_exchange_remove(soft, t);
    soft_complete(soft, t, COR_OK);
    return COR_OK;
}

/* Does the message go at once? An urgent one for which credits are missing only if it is no longer than what is stored
 * of a request: beyond the bound the peer stores envelopes, and the data stay here. */
static int soft_is_eager(const cor_soft *soft, const soft_peer *peer, const cor_transfer *t)
{
    size_t bytes = t->payload.bytes;
    if (COR_UNLIKELY(t->is_urgent) && bytes > SOFT_MESSAGE_COST * SOFT_CREDIT_UNIT)
        return bytes <= peer->eager_max_bytes && soft_has_credits(soft, peer, soft_credits(bytes));
    return bytes <= peer->eager_max_bytes;
}

/* Short messages are sent at once, for longer ones a request; either costs credits, except for an urgent one.
 * COR_AGAIN: not now; the peer is stalled if credits are missing. */
static int soft_try_send(cor_soft *soft, soft_peer *peer, cor_transfer *t)
{
    int is_short = soft_is_eager(soft, peer, t);
    uint32_t cost = soft_credits(is_short ? t->payload.bytes : 0);
    if (!t->is_urgent && !soft_has_credits(soft, peer, cost)) {
        soft_flow_stall(soft, peer, cost);
        return COR_AGAIN;
    }
    peer->is_stalled = 0;            /* from here on only room may be missing */
    size_t bytes = t->payload.bytes; /* the transfer may be done, and its caller's again */
    int rc = is_short ? soft_try_eager(soft, peer, t) : soft_rendezvous_ask(soft, peer, t);
    if (rc == COR_OK) {
        peer->credits_used += cost;
        soft_count(is_short ? &peer->counts.eager_sent : &peer->counts.long_sent, bytes);
    }
    return rc;
}

static __attribute__((noinline)) int soft_send_slow(cor_soft *soft, soft_peer *peer, cor_transfer *t, uint32_t context,
                                                    const cor_payload *payload, int is_sync)
{
    if (COR_UNLIKELY(peer->lost != NULL))
        return cor_losses_check(&soft->base.losses, peer->rank, context);
    t->is_send = 1;
    t->is_sync = (uint8_t)is_sync;
    t->is_urgent = 0;
    t->context = context;
    t->id = 0;
    t->moved = t->zcopy_pending = 0;
    t->has_handle = 0;
    t->payload = *payload;
    cor_device_hold_later(&soft->base, t);
    if (cor_list_is_empty(&peer->sends) && soft_try_send(soft, peer, t) == COR_OK)
        return COR_OK;
    t->state = SOFT_QUEUED;
    cor_list_append(&peer->sends, &t->link);
    if (COR_UNLIKELY(!cor_list_is_empty(&peer->wishes)))
        soft_flow_queued(soft, peer, t);
    if (!peer->is_stalled)
        soft_mark_busy(soft, peer);
    return COR_OK;
}

static inline void soft_begin(cor_transfer *t, int peer, int tag, size_t bytes)
{
    t->is_done = 0;
    t->error = COR_OK;
    t->peer = peer;
    t->tag = tag;
    t->is_cancelled = 0;
    t->bytes = t->message_bytes = bytes;
}

/* Budget: an eager message that finds room costs the checks, one header and the wire's copy; nothing is queued, the
 * payload is not even copied into the transfer. */
int soft_isend(cor_device *device, cor_transfer *t, int rank, uint32_t context, int tag, const cor_payload *payload)
{
    cor_soft *soft = soft_of(device);
    soft_peer *peer = &soft->peers[rank];
    uint32_t cost = soft_credits(payload->bytes);
    soft_begin(t, rank, tag, payload->bytes);
    if (COR_LIKELY(payload->bytes <= peer->eager_max_bytes && cor_list_is_empty(&peer->sends) &&
                   soft_has_credits(soft, peer, cost))) {
        cor_header header = {.kind = SOFT_EAGER, .type_class = payload->type_class, .context = context, .tag = tag};
        if (COR_LIKELY(soft_packet(peer, &header, payload, 0, payload->bytes) == COR_OK)) {
            peer->credits_used += cost;
            soft_count(&peer->counts.eager_sent, payload->bytes);
            t->is_done = 1;
            return COR_OK;
        }
    }
    return soft_send_slow(soft, peer, t, context, payload, 0);
}

int soft_issend(cor_device *device, cor_transfer *t, int rank, uint32_t context, int tag, const cor_payload *payload)
{
    cor_soft *soft = soft_of(device);
    soft_begin(t, rank, tag, payload->bytes);
    return soft_send_slow(soft, &soft->peers[rank], t, context, payload, 1);
}

/* The failed peer to name in the error: this rank's, or the one that the notifier reported. */
void soft_notify_failure(cor_device *device, int rank, uint32_t context, int tag)
{
    cor_soft *soft = soft_of(device);
    int lost = soft->blamed;
    for (int i = 0; i < soft->size; i++)
        if (soft->peers[i].lost)
            lost = i;
    cor_header header = {.kind = SOFT_ABANDONED, .context = context, .tag = tag, .id = (uint32_t)lost};
    soft_control_send(soft, &soft->peers[rank], header, NULL, 0);
}

/* A message to this rank itself is here, or in packets that have left: no other peer is involved. 1: no receive had
 * matched it, and it was removed. */
static int send_cancel_own(cor_soft *soft, cor_transfer *t)
{
    do {
        if (soft_forget_message(soft, t->peer, t->context, t->tag, t->id)) {
            soft_exchange_remove(soft, t);
            return 1;
        }
    } while (!t->is_done && t->state == SOFT_ASKED && soft->base.ops->progress(&soft->base, t->peer) > 0);
    return 0;
}

int soft_cancel_send(cor_soft *soft, cor_transfer *t)
{
    if (t->state == SOFT_QUEUED) {
        cor_list_remove(&t->link);
        if (t->id)
            soft_exchange_remove(soft, t);
        /* The next may need more credits than this one. */
        soft_peer *peer = &soft->peers[t->peer];
        peer->is_stalled = 0;
        soft_mark_busy(soft, peer);
        return 1;
    }
    if (t->state == SOFT_ASKED && t->peer == soft->rank)
        return send_cancel_own(soft, t);
    /* The receiver has the message. It drops it if no receive has matched it, and confirms that; else the transfer
     * continues. */
    if (t->state == SOFT_ASKED)
        soft_control_send(soft, &soft->peers[t->peer],
                          (cor_header){.kind = SOFT_CANCEL, .context = t->context, .tag = t->tag, .id = t->id}, NULL,
                          0);
    return 0;
}

void soft_on_cancelled(cor_soft *soft, soft_peer *peer, const cor_header *header)
{
    cor_transfer *t = soft_exchange_find(soft, header->id);
    if (!t || t->peer != peer->rank || t->state != SOFT_ASKED) {
        soft_reject(soft, peer, "word that a send (%u) is cancelled that does not wait for it", header->id);
        return;
    }
    soft_exchange_remove(soft, t);
    t->is_cancelled = 1;
    t->bytes = 0;
    soft_complete(soft, t, COR_OK);
}

/* ---- the outbox ------------------------------------------------------------------------------------------------- */

/* Until the wire is full or credits are missing. */
static int soft_pump_sends(cor_soft *soft, soft_peer *peer)
{
    const cor_wire_ops *wire = peer->wire->ops;
    int sent = 0, has_many = peer->sends.next != peer->sends.prev;
    if (has_many && wire->cork)
        wire->cork(peer->wire);
    while (!cor_list_is_empty(&peer->sends)) {
        cor_transfer *t = COR_OWNER(peer->sends.next, cor_transfer, link);
        /* Out of the queue first: a transfer that is done belongs to its caller again. */
        cor_list_remove(&t->link);
        if (soft_try_send(soft, peer, t) != COR_OK) {
            cor_list_prepend(&peer->sends, &t->link);
            break;
        }
        sent++;
    }
    if (has_many && wire->cork)
        wire->uncork(peer->wire, peer->rank);
    return sent;
}

/* Controls first: they let the other side continue. Returns the packets sent; is_empty: nothing is left for the
 * peer. */
static int soft_pump_peer(cor_soft *soft, soft_peer *peer, int *is_empty_p)
{
    int sent = 0;
    *is_empty_p = 0;
    while (!cor_list_is_empty(&peer->controls)) {
        soft_control *control = COR_OWNER(peer->controls.next, soft_control, link);
        cor_payload body = cor_payload_plain(control->body, control->body_bytes);
        if (soft_packet(peer, &control->header, &body, 0, control->body_bytes) != COR_OK)
            return sent;
        cor_list_remove(&control->link);
        cor_pool_put(&soft->controls, control);
        sent++;
    }
    sent += soft_pump_sends(soft, peer);
    if (!cor_list_is_empty(&peer->sends) && !peer->is_stalled)
        return sent;
    if (COR_UNLIKELY(peer->is_holding) && cor_list_is_empty(&peer->sends))
        soft_flow_resume(soft, peer);
    while (!cor_list_is_empty(&peer->streams)) {
        cor_transfer *t = COR_OWNER(peer->streams.next, cor_transfer, link);
        sent += soft_stream(soft, peer, t);
        if (!cor_list_is_empty(&peer->streams) && peer->streams.next == &t->link)
            return sent;
    }
    if (peer->owes_credit && peer->credits_given != peer->credits_told) {
        cor_header header = {.kind = SOFT_CREDIT};
        if (soft_packet(peer, &header, NULL, 0, 0) != COR_OK)
            return sent;
        sent++;
    }
    peer->owes_credit = 0;
    *is_empty_p = cor_list_is_empty(&peer->controls); /* a stall may have been reported just now */
    return sent;
}

int soft_pump(cor_soft *soft)
{
    int sent = 0;
    cor_link *link = soft->busy.next;
    while (link != &soft->busy) {
        soft_peer *peer = COR_OWNER(link, soft_peer, busy);
        int is_empty;
        link = link->next;
        sent += soft_pump_peer(soft, peer, &is_empty);
        if (is_empty) {
            peer->is_busy = 0;
            cor_list_remove(&peer->busy);
        }
    }
    return sent;
}
