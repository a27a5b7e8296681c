/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: sent short, from frames or from where they lie; delivered by their numbers. */
#include "xxdev/soft/fabric/fabric_state.h"

#include <stdio.h>
#include <string.h>

/* ---- frames ----------------------------------------------------------------------------------------------------- */

void fabric_pools_init(fabric_wire *wire)
{
    cor_pool_init(&wire->small, sizeof(fabric_frame) + FABRIC_SMALL_BYTES);
    if (wire->packet_max_bytes < FABRIC_PACKET_MAX)
        wire->packet_max_bytes = FABRIC_PACKET_MAX; /* of packets that come */
    cor_pool_init(&wire->large, sizeof(fabric_frame) + wire->packet_max_bytes);
    cor_pool_init(&wire->bare, sizeof(fabric_frame));
    cor_pool_init(&wire->copying, sizeof(fabric_copy));
}

static fabric_frame *packet_take(fabric_wire *wire, cor_pool *pool, int peer, size_t bytes)
{
    fabric_frame *frame = cor_pool_get(pool);
    if (!frame)
        return NULL;
    frame->wire = wire;
    frame->pool = pool;
    frame->peer = peer;
    frame->is_zcopy = frame->is_done = frame->has_failed = 0;
    frame->packet.bytes = bytes;
    frame->packet.payload = &frame->packet.header + 1;
    return frame;
}

/* With room for so many bytes behind its header. */
static fabric_frame *packet_take_for(fabric_wire *wire, int peer, size_t bytes)
{
    return packet_take(wire, bytes <= FABRIC_SMALL_BYTES ? &wire->small : &wire->large, peer, bytes);
}

static void packet_give_back(fabric_frame *frame)
{
    cor_pool_put(frame->pool, frame);
}

static fabric_frame *packet_frame(cor_link *link)
{
    return COR_OWNER(link, fabric_frame, link);
}

static void packet_drop_list(cor_list *list)
{
    while (!cor_list_is_empty(list)) {
        fabric_frame *frame = packet_frame(list->next);
        cor_list_remove(&frame->link);
        if (frame->is_zcopy)
            cor_list_remove(&frame->order);
        packet_give_back(frame);
    }
}

/* ---- to this rank itself ---------------------------------------------------------------------------------------- */

static int packet_send_own(fabric_wire *wire, const cor_header *header, const cor_payload *payload, size_t offset,
                           size_t bytes)
{
    fabric_frame *frame = wire->own_count < FABRIC_OWN_SENDS ? packet_take_for(wire, wire->rank, bytes) : NULL;
    if (!frame)
        return COR_AGAIN;
    frame->packet.header.packet = *header;
    if (bytes > 0)
        cor_payload_read(payload, offset, &frame->packet.header + 1, bytes);
    cor_list_append(&wire->own, &frame->link);
    wire->own_count++;
    return COR_OK;
}

/* Those that are there now: what they make this rank send to itself comes with the next poll. */
int fabric_deliver_own(fabric_wire *wire)
{
    int count = wire->own_count;
    for (int i = 0; i < count; i++) {
        fabric_frame *frame = packet_frame(wire->own.next);
        cor_list_remove(&frame->link);
        wire->own_count--;
        wire->options.deliver(wire->options.sink, wire->rank, &frame->packet.header.packet, frame->packet.payload,
                              frame->packet.bytes);
        packet_give_back(frame);
    }
    return count;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

/* Zero-copy packets are told of in the order they were sent, by poll(): one may end in the call that sends it. */
static int packet_tell_zcopies(fabric_wire *wire, int peer)
{
    cor_list *zcopies = &wire->peers[peer].zcopies;
    int count = 0;
    for (; !cor_list_is_empty(zcopies); count++) {
        fabric_frame *frame = COR_OWNER(zcopies->next, fabric_frame, order);
        if (!frame->is_done)
            break;
        cor_list_remove(&frame->order);
        packet_give_back(frame);
        wire->options.zcopy_done(wire->options.sink, peer);
    }
    return count;
}

int fabric_tell_zcopies(fabric_wire *wire)
{
    int count = 0;
    while (!cor_list_is_empty(&wire->untold)) {
        fabric_peer *p = COR_OWNER(wire->untold.next, fabric_peer, untold);
        cor_list_remove(&p->untold);
        p->is_untold = 0;
        count += packet_tell_zcopies(wire, (int)(p - wire->peers));
    }
    return count;
}

static void packet_zcopy_ended(fabric_wire *wire, fabric_peer *p, fabric_frame *frame)
{
    frame->is_done = 1;
    if (!p->is_untold)
        cor_list_append(&wire->untold, &p->untold);
    p->is_untold = 1;
}

static void packet_ended(fabric_frame *frame, int error)
{
    fabric_wire *wire = frame->wire;
    int peer = frame->peer;
    fabric_peer *p = &wire->peers[peer];
    if (COR_UNLIKELY(p->is_lost)) { /* nothing waits for it any more */
        p->referring -= frame->is_zcopy;
        packet_give_back(frame);
        return;
    }
    p->under_way--;
    wire->under_way--;
    if (error == 0)
        p->is_met = 1;
    else
        fabric_unreached(wire, peer, error);
    if (!frame->is_zcopy) {
        packet_give_back(frame);
    } else if (error == 0) {
        packet_zcopy_ended(wire, p, frame);
    } else { /* its loss is told */
        frame->has_failed = 1;
    }
}

void fabric_sent(cor_fabric_packet *packet, int error)
{
    packet_ended(COR_OWNER(packet, fabric_frame, packet), error);
}

static void packet_block(fabric_wire *wire, fabric_peer *p, fabric_frame *frame)
{
    if (cor_list_is_empty(&p->queue))
        cor_list_append(&wire->blocked, &p->blocked);
    cor_list_append(&p->queue, &frame->link);
}

/* A frame that is filled in is sent, or waits for the library. */
static void packet_begin(fabric_wire *wire, int peer, fabric_frame *frame, const cor_header *header)
{
    fabric_peer *p = &wire->peers[peer];
    frame->packet.header = (cor_fabric_header){*header, (uint32_t)wire->rank, p->sent++};
    p->under_way++;
    wire->under_way++;
    int rc = cor_list_is_empty(&p->queue) ? wire->ops->send(wire->library, peer, &frame->packet) : COR_FABRIC_AGAIN;
    if (rc == COR_FABRIC_AGAIN)
        packet_block(wire, p, frame);
    if (rc == COR_FABRIC_DONE || rc < 0)
        packet_ended(frame, rc);
    else if (!p->is_met && p->under_way == 1)
        wire->options.connecting(wire->options.sink);
}

/* Budget for a short packet of plain memory: the checks, a header on the stack and the library's own send. */
int cor_fabric_send(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                    size_t bytes)
{
    fabric_wire *wire = fabric_of(base);
    fabric_peer *p = &wire->peers[peer];
    if (COR_UNLIKELY(p->is_lost))
        return COR_ERR_PEER;
    if (COR_UNLIKELY(peer == wire->rank))
        return packet_send_own(wire, header, payload, offset, bytes);
    if (COR_LIKELY(bytes <= FABRIC_SHORT_BYTES && (bytes == 0 || !payload->ops) && cor_list_is_empty(&p->queue))) {
        const cor_fabric_header own = {*header, (uint32_t)wire->rank, p->sent};
        const void *from = bytes > 0 ? (const char *)payload->base + offset : NULL;
        int rc = wire->ops->send_short(wire->library, peer, &own, from, bytes);
        if (COR_LIKELY(rc == COR_FABRIC_DONE)) {
            p->sent++;
            return COR_OK;
        }
        if (rc < 0) {
            fabric_unreached(wire, peer, rc);
            return COR_OK;
        }
    }
    fabric_frame *frame = p->under_way < FABRIC_SENDS ? packet_take_for(wire, peer, bytes) : NULL;
    if (!frame)
        return COR_AGAIN;
    if (bytes > 0)
        cor_payload_read(payload, offset, &frame->packet.header + 1, bytes);
    packet_begin(wire, peer, frame, header);
    return COR_OK;
}

/* What can only be mapped is copied: it cannot stay mapped while the library waits. */
int cor_fabric_send_zcopy(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload,
                          size_t offset, size_t bytes, int is_last)
{
    fabric_wire *wire = fabric_of(base);
    fabric_peer *p = &wire->peers[peer];
    (void)is_last;
    if (p->is_lost)
        return COR_ERR_PEER;
    if (p->under_way >= FABRIC_SENDS)
        return COR_AGAIN;
    fabric_frame *frame =
        payload->ops ? packet_take_for(wire, peer, bytes) : packet_take(wire, &wire->bare, peer, bytes);
    if (!frame)
        return COR_AGAIN;
    if (payload->ops)
        cor_payload_read(payload, offset, &frame->packet.header + 1, bytes);
    else
        frame->packet.payload = (const char *)payload->base + offset;
    frame->is_zcopy = 1;
    cor_list_append(&p->zcopies, &frame->order);
    packet_begin(wire, peer, frame, header);
    return COR_OK;
}

static int packet_send_queue(fabric_wire *wire, fabric_peer *p)
{
    int count = 0;
    while (!cor_list_is_empty(&p->queue)) {
        fabric_frame *frame = packet_frame(p->queue.next);
        int rc = wire->ops->send(wire->library, frame->peer, &frame->packet);
        if (rc == COR_FABRIC_AGAIN)
            return count;
        cor_list_remove(&frame->link);
        count++;
        if (rc == COR_FABRIC_DONE || rc < 0)
            packet_ended(frame, rc);
    }
    cor_list_remove(&p->blocked);
    return count;
}

/* Each peer has a turn. */
int fabric_send_queued(fabric_wire *wire)
{
    int count = 0;
    cor_link *link = wire->blocked.next;
    while (link != &wire->blocked) {
        fabric_peer *p = COR_OWNER(link, fabric_peer, blocked);
        link = link->next;
        count += packet_send_queue(wire, p);
    }
    return count;
}

void fabric_send_nothing(fabric_wire *wire, int peer, int flags)
{
    const cor_header nothing = {.flags = (uint8_t)flags};
    cor_fabric_send(&wire->base, peer, &nothing, NULL, 0, 0);
}

/* What was sent to a lost peer may end late, or never; when it does, its frame is free again. */
void fabric_forget_packets(fabric_wire *wire, int peer)
{
    fabric_peer *p = &wire->peers[peer];
    wire->under_way -= p->under_way;
    p->under_way = 0;
    if (!cor_list_is_empty(&p->queue))
        cor_list_remove(&p->blocked);
    packet_drop_list(&p->queue);
    packet_drop_list(&p->early);
    while (!cor_list_is_empty(&p->zcopies)) {
        fabric_frame *frame = COR_OWNER(p->zcopies.next, fabric_frame, order);
        cor_list_remove(&frame->order);
        if (frame->is_done || frame->has_failed)
            packet_give_back(frame);
        else
            p->referring++;
    }
    if (p->is_untold)
        cor_list_remove(&p->untold);
    p->is_untold = 0;
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static void packet_deliver(fabric_wire *wire, int peer, const cor_fabric_header *header, const void *payload,
                           size_t bytes)
{
    fabric_peer *p = &wire->peers[peer];
    if (COR_UNLIKELY(p->taken++ == 0 &&
                     p->sent == 0)) /* a library tells of the end of those alone that it has sent to */
        fabric_send_nothing(wire, peer, 0);
    p->is_met = 1;
    wire->delivered++;
    if (COR_LIKELY(header->packet.kind != 0)) /* else it only says that its sender lives */
        wire->options.deliver(wire->options.sink, peer, &header->packet, payload, bytes);
    else if (header->packet.flags & FABRIC_ASKS)
        fabric_send_nothing(wire, peer, 0);
}

static void packet_keep(fabric_wire *wire, int peer, const cor_fabric_header *header, const void *payload,
                        size_t bytes)
{
    fabric_peer *p = &wire->peers[peer];
    if (p->early_bytes >= FABRIC_EARLY_BYTES) {
        fabric_reject(wire, peer, "too many packets ahead of one that has not come");
        return;
    }
    fabric_frame *frame = packet_take_for(wire, peer, bytes);
    if (!frame) {
        fabric_reject(wire, peer, "a packet for which there is no memory");
        return;
    }
    p->early_bytes += frame->pool->object_bytes;
    p->has_come_early = 1;
    frame->packet.header = *header;
    if (bytes > 0)
        memcpy(&frame->packet.header + 1, payload, bytes);
    cor_list_append(&p->early, &frame->link);
}

static fabric_frame *packet_next_early(const fabric_peer *p)
{
    for (cor_link *link = p->early.next; link != &p->early; link = link->next)
        if (packet_frame(link)->packet.header.number == p->taken)
            return packet_frame(link);
    return NULL;
}

static __attribute__((noinline)) void packet_deliver_early(fabric_wire *wire, int peer)
{
    fabric_peer *p = &wire->peers[peer];
    for (fabric_frame *frame; !p->is_lost && !p->rejected && (frame = packet_next_early(p)) != NULL;) {
        cor_list_remove(&frame->link);
        p->early_bytes -= frame->pool->object_bytes;
        packet_deliver(wire, peer, &frame->packet.header, frame->packet.payload, frame->packet.bytes);
        packet_give_back(frame);
    }
}

/* Budget: the checks, and the sink. */
void fabric_arrived(void *subject, const cor_fabric_header *header, const void *payload, size_t bytes)
{
    fabric_wire *wire = subject;
    if (COR_UNLIKELY(header->sender >= (uint32_t)wire->size || (int)header->sender == wire->rank)) {
        fabric_arrived_odd(wire, bytes);
        return;
    }
    int peer = (int)header->sender;
    fabric_peer *p = &wire->peers[peer];
    if (COR_UNLIKELY(p->is_lost || p->rejected))
        return;
    if (COR_UNLIKELY(bytes > wire->packet_max_bytes || (int32_t)(header->number - p->taken) < 0)) {
        fabric_reject(wire, peer,
                      bytes > wire->packet_max_bytes ? "a packet of an impossible length" : "a packet twice");
        return;
    }
    if (COR_UNLIKELY(header->number != p->taken)) {
        packet_keep(wire, peer, header, payload, bytes);
        return;
    }
    packet_deliver(wire, peer, header, payload, bytes);
    if (COR_UNLIKELY(!cor_list_is_empty(&p->early)))
        packet_deliver_early(wire, peer);
}

void fabric_arrived_odd(void *subject, size_t bytes)
{
    const fabric_wire *wire = subject;
    COR_LOG(wire->options.log, WARN, "%s: %zu bytes that no rank of this job can have sent", wire->base.ops->name,
            bytes);
}
