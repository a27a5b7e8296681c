/* SPDX-License-Identifier: Apache-2.0 */
/* Packets, and all that ends in the library. */
#include "base/clock.h"
#include "xxdev/soft/library/library_state.h"

#include <string.h>

enum { PACKET_LOOK_POLLS = 256, PACKET_LOOK_NS = 1000 * 1000 * 1000 };

/* ---- items ------------------------------------------------------------------------------------------------------ */

library_item *library_take(library_wire *wire, library_kind kind)
{
    int has_frame = kind == LIBRARY_SEND || kind == LIBRARY_RECEIVE;
    library_item *item = cor_pool_get(&wire->items);
    cor_header *frame = item && has_frame ? cor_pool_get(&wire->frames) : NULL;
    if (item && has_frame && !frame) {
        cor_pool_put(&wire->items, item);
        item = NULL;
    }
    if (item)
        *item = (library_item){.wire = wire, .kind = kind, .frame = frame};
    return item;
}

void library_give_back(library_item *item)
{
    if (item->frame)
        cor_pool_put(&item->wire->frames, item->frame);
    cor_pool_put(&item->wire->items, item);
}

void library_end(library_item *item)
{
    item->is_ended = 1;
    cor_list_append(&item->wire->ended, &item->link);
}

/* What follows is done in poll(): a library may not be called from within its progress. */
void library_done(cor_tagged_transfer *transfer, const cor_tagged_result *result)
{
    library_item *item = (library_item *)(void *)transfer;
    item->result = *result;
    cor_list_remove(&item->link);
    library_end(item);
}

int library_receive(library_item *item, uint64_t tag, void *memory, size_t bytes)
{
    library_wire *wire = item->wire;
    const cor_tagged_meeting *meeting = &wire->meeting;
    int rc =
        meeting->ops->receive(meeting->library, tag, LIBRARY_WHAT_MASK,
                              (cor_tagged_data){.memory = memory, .bytes = bytes}, &item->transfer, &item->result);
    item->is_ended = 0;
    if (rc == COR_TAGGED_STARTED)
        cor_list_append(&wire->started, &item->link);
    else if (rc == COR_TAGGED_DONE)
        library_end(item);
    return rc < 0 ? rc : 0;
}

void library_unreached(void *subject, int peer, int error)
{
    library_wire *wire = subject;
    library_peer *p = &wire->peers[peer];
    if (wire->is_ending || p->is_lost || p->error)
        return;
    p->error = error ? error : -1;
    wire->unreached++;
}

/* ---- lost peers ------------------------------------------------------------------------------------------------- */

/* What was sent to a lost peer may never end. */
static void packet_forget(library_wire *wire, cor_list *list, int peer)
{
    for (cor_link *link = list->next; link != list; link = link->next) {
        library_item *item = COR_OWNER(link, library_item, link);
        if ((item->kind != LIBRARY_SEND && item->kind != LIBRARY_PUT) || item->peer != peer || item->is_forgotten)
            continue;
        item->is_forgotten = 1;
        wire->under_way--;
    }
}

static void packet_lose(library_wire *wire, int peer, const cor_fault *why)
{
    library_peer *p = &wire->peers[peer];
    if (p->is_lost)
        return;
    p->is_lost = 1;
    wire->unreached -= p->error != 0;
    p->error = 0;
    while (!cor_list_is_empty(&p->early)) {
        library_item *item = COR_OWNER(p->early.next, library_item, link);
        cor_list_remove(&item->link);
        library_give_back(item);
    }
    packet_forget(wire, &wire->started, peer);
    packet_forget(wire, &wire->ended, peer);
    wire->meeting.ops->lose(wire->meeting.library, peer);
    wire->options.lost(wire->options.sink, peer, why);
}

static int packet_tell_unreached(library_wire *wire)
{
    int count = 0;
    for (int peer = 0; wire->unreached > 0 && peer < wire->options.size; peer++) {
        cor_fault why;
        char text[160];
        if (!wire->peers[peer].error)
            continue;
        wire->meeting.ops->explain(wire->peers[peer].error, text, sizeof text);
        cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: %s reports: %s", peer, wire->meeting.ops->name, text);
        packet_lose(wire, peer, &why);
        count++;
    }
    return count;
}

void library_reject(cor_wire *base, int peer, const char *what)
{
    library_wire *wire = library_of(base);
    cor_fault why;
    cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: it sent %s", peer, what);
    packet_lose(wire, peer, &why);
}

static void packet_send_nothing(library_wire *wire, int peer)
{
    const cor_header nothing = {0};
    const cor_payload empty = cor_payload_plain(NULL, 0);
    library_send(&wire->base, peer, &nothing, &empty, 0, 0);
}

/* Once a second: is a peer that something waits for still there? */
static void packet_look(library_wire *wire, uint64_t now)
{
    int first = wire->next_looked, looks = 0;
    wire->looked_ns = now;
    if (wire->is_ending)
        return;
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    for (int i = 0; i < wire->options.size && looks < LIBRARY_LOOKS; i++) {
        int peer = (first + i) % wire->options.size;
        cor_fault why;
        if (!wire->awaited[peer] || wire->peers[peer].is_lost)
            continue;
        looks++;
        wire->next_looked = peer + 1;
        if (wire->options.has_ended(wire->options.sink, peer)) {
            cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: its process has ended", peer);
            packet_lose(wire, peer, &why);
        } else if (wire->peers[peer].under_way == 0) {
            packet_send_nothing(wire, peer);
        }
    }
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static int packet_post(library_item *item)
{
    return library_receive(item, library_tag(LIBRARY_PACKET, 0, 0), item->frame,
                           sizeof(cor_header) + LIBRARY_PACKET_BYTES);
}

int library_post_receives(library_wire *wire, cor_fault *fault)
{
    for (int i = 0; i < LIBRARY_RECEIVES; i++) {
        library_item *item = library_take(wire, LIBRARY_RECEIVE);
        if (!item)
            return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for packets of %s", wire->meeting.ops->name);
        int rc = packet_post(item);
        if (rc != 0) {
            char text[160];
            wire->meeting.ops->explain(rc, text, sizeof text);
            return cor_fault_set(fault, COR_ERR_SYSTEM, "%s takes no receive: %s", wire->meeting.ops->name, text);
        }
    }
    return COR_OK;
}

static void packet_deliver(library_wire *wire, int peer, const library_item *item)
{
    library_peer *p = &wire->peers[peer];
    if (p->taken++ == 0 && p->sent == 0) /* a library tells of the end of those alone that it has sent to */
        packet_send_nothing(wire, peer);
    p->is_met = 1;
    if (item->result.end == COR_TAGGED_TRUNCATED || item->result.bytes < sizeof(cor_header))
        library_reject(&wire->base, peer, "a packet of an impossible length");
    else if (item->frame->kind != 0) /* else it only says that its sender lives */
        wire->options.deliver(wire->options.sink, peer, item->frame, item->frame + 1,
                              item->result.bytes - sizeof(cor_header));
}

static library_item *packet_next_early(const library_peer *p)
{
    for (cor_link *link = p->early.next; link != &p->early; link = link->next) {
        library_item *item = COR_OWNER(link, library_item, link);
        if ((uint32_t)item->result.tag == p->taken)
            return item;
    }
    return NULL;
}

static void packet_post_again(library_wire *wire, library_item *item)
{
    char text[160];
    int rc = packet_post(item);
    if (rc == 0)
        return;
    wire->meeting.ops->explain(rc, text, sizeof text);
    COR_LOG(wire->options.log, ERROR, "%s takes no receive: %s", wire->meeting.ops->name, text);
    library_give_back(item);
}

/* Each item that was delivered receives again. */
static int packet_arrived(library_wire *wire, library_item *item)
{
    int peer = library_sender(item), count = 0;
    library_peer *p = peer >= 0 ? &wire->peers[peer] : NULL;
    int is_there = item->result.end == COR_TAGGED_OK || item->result.end == COR_TAGGED_TRUNCATED;
    if (!p || p->is_lost || !is_there) {
        if (p && item->result.end == COR_TAGGED_FAILED) /* those behind it could not be delivered either */
            library_unreached(wire, peer, item->result.error);
        packet_post_again(wire, item);
        return 1;
    }
    if ((int32_t)((uint32_t)item->result.tag - p->taken) < 0) {
        library_reject(&wire->base, peer, "a packet twice");
        packet_post_again(wire, item);
        return 1;
    }
    if ((uint32_t)item->result.tag != p->taken) {
        library_item *other = library_take(wire, LIBRARY_RECEIVE);
        cor_list_append(&p->early, &item->link);
        if (other)
            packet_post_again(wire, other);
        return 1;
    }
    for (; item && !p->is_lost; item = packet_next_early(p), count++) {
        if (count > 0)
            cor_list_remove(&item->link);
        packet_deliver(wire, peer, item);
        if (count > 0)
            library_give_back(item); /* another one was posted for it */
        else
            packet_post_again(wire, item);
    }
    return count;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static void packet_sent(library_item *item)
{
    library_wire *wire = item->wire;
    library_peer *p = &wire->peers[item->peer];
    p->under_way--;
    wire->under_way -= !item->is_forgotten;
    if (item->result.end == COR_TAGGED_OK)
        p->is_met = 1;
    else
        library_unreached(wire, item->peer, item->result.error);
    library_give_back(item);
}

int library_send(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                 size_t bytes)
{
    library_wire *wire = library_of(base);
    const cor_tagged_meeting *meeting = &wire->meeting;
    library_peer *p = &wire->peers[peer];
    if (p->is_lost)
        return COR_ERR_PEER;
    library_item *item = p->under_way < LIBRARY_SENDS ? library_take(wire, LIBRARY_SEND) : NULL;
    if (!item)
        return COR_AGAIN;
    *item->frame = *header;
    if (bytes > 0)
        cor_payload_read(payload, offset, item->frame + 1, bytes);
    item->peer = peer;
    p->under_way++;
    wire->under_way++;
    const cor_tagged_data data = {.memory = item->frame, .bytes = sizeof(cor_header) + bytes};
    int rc = meeting->ops->send(meeting->library, peer, library_tag(LIBRARY_PACKET, wire->options.rank, p->sent++),
                                data, 0, &item->transfer);
    if (rc == COR_TAGGED_STARTED) {
        cor_list_append(&wire->started, &item->link);
        if (!p->is_met && p->under_way == 1)
            wire->options.connecting(wire->options.sink);
        return COR_OK;
    }
    item->result = (cor_tagged_result){.end = rc < 0 ? COR_TAGGED_FAILED : COR_TAGGED_OK, .error = rc};
    packet_sent(item);
    return COR_OK;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static int packet_end(library_wire *wire, library_item *item)
{
    switch (item->kind) {
    case LIBRARY_SEND:
        packet_sent(item);
        break;
    case LIBRARY_RECEIVE:
        return packet_arrived(wire, item);
    case LIBRARY_PUT:
        library_put_ended(item);
        break;
    case LIBRARY_LANDING:
        library_landed(item);
        break;
    }
    return 1;
}

int library_poll(cor_wire *base, int first)
{
    library_wire *wire = library_of(base);
    int events = 0;
    (void)first;
    wire->meeting.ops->progress(wire->meeting.library);
    while (events < LIBRARY_BATCH && !cor_list_is_empty(&wire->ended)) {
        library_item *item = COR_OWNER(wire->ended.next, library_item, link);
        cor_list_remove(&item->link);
        events += packet_end(wire, item);
    }
    if (COR_UNLIKELY(wire->unreached > 0))
        events += packet_tell_unreached(wire);
    if (events > 0)
        wire->fruitless = 0;
    if (events == 0 && ++wire->polls % PACKET_LOOK_POLLS == 0) {
        uint64_t now = cor_clock_ns();
        if (now - wire->looked_ns > PACKET_LOOK_NS)
            packet_look(wire, now);
    }
    return events;
}
