/* SPDX-License-Identifier: Apache-2.0 */
/* Sending: frames, credits, and the places of the send queue. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdlib.h>
#include <string.h>

static void send_backlog(ibw_wire *wire, ibw_link *link);

/* ---- the send queue --------------------------------------------------------------------------------------------- */

static int send_wants_signal(const ibw_wire *wire, const ibw_link *link, const ibw_sent *sent)
{
    /* Completions come for every Nth place, and for all while few buffers of the wire are free. */
    return sent->copy || link->unsignalled + 1 >= (uint32_t)wire->config.signal_every ||
           wire->free_count < wire->send_buffers / 2;
}

int ibw_post(ibw_wire *wire, ibw_link *link, struct ibv_send_wr *request, ibw_sent sent)
{
    struct ibv_send_wr *bad;
    request->wr_id = (uint64_t)(uint32_t)link->rank << 32 | link->sent_next;
    if (send_wants_signal(wire, link, &sent)) {
        request->send_flags |= IBV_SEND_SIGNALED;
        link->unsignalled = 0;
    } else {
        link->unsignalled++;
    }
    int error = ibv_post_send(link->qp, request, &bad);
    if (COR_UNLIKELY(error)) {
        if (sent.buffer)
            ibw_buffer_put(wire, sent.buffer);
        if (sent.copy)
            sent.copy->pending--;
        ibw_link_fail(wire, link, "the RDMA device takes no more for it: %s", strerror(error));
        return 0;
    }
    link->sent[link->sent_next++ % (uint32_t)wire->config.send_queue] = sent;
    return 1;
}

static ibw_sent *send_place(const ibw_wire *wire, const ibw_link *link, uint32_t number)
{
    return &link->sent[number % (uint32_t)wire->config.send_queue];
}

/* What a place refers to is done; nothing, if that was known. */
static void send_release(ibw_wire *wire, ibw_link *link, uint32_t number, int is_fine)
{
    ibw_sent *place = send_place(wire, link, number), sent = *place;
    *place = (ibw_sent){0};
    if (sent.buffer)
        ibw_buffer_put(wire, sent.buffer);
    if (sent.copy)
        ibw_copy_done(wire, link, sent.copy, is_fine);
}

/* A place is free when it and all before it are done. Reads keep theirs, each until its own completion. */
void ibw_sent_done(ibw_wire *wire, ibw_link *link, uint32_t number, int is_fine)
{
    if (number - link->sent_done >= link->sent_next - link->sent_done)
        return; /* it was done with a later one */
    for (; (int32_t)(number - link->sent_seen) >= 0; link->sent_seen++) {
        const ibw_copy *copy = send_place(wire, link, link->sent_seen)->copy;
        if (!copy || !copy->is_get)
            send_release(wire, link, link->sent_seen, is_fine);
    }
    send_release(wire, link, number, is_fine);
    while (link->sent_done != link->sent_seen && !send_place(wire, link, link->sent_done)->copy)
        link->sent_done++;
    if (COR_UNLIKELY(link->backlog_first != NULL))
        send_backlog(wire, link);
    if (!cor_list_is_empty(&link->copies))
        ibw_copies_start(wire, link);
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* `memory` is a registered buffer, or the one for inline frames if there is none. */
static void send_frame(ibw_wire *wire, ibw_link *link, ibw_buffer *buffer, uint8_t *memory, uint32_t bytes)
{
    ibw_frame *frame = (ibw_frame *)(void *)memory;
    struct ibv_sge place = {.addr = (uintptr_t)memory, .length = bytes, .lkey = buffer ? buffer->lkey : 0};
    struct ibv_send_wr request = {
        .sg_list = &place, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = buffer ? 0 : IBV_SEND_INLINE};
    frame->credits = ibw_credits_to_tell(link);
    frame->mails = (uint8_t)link->mailbox.sent;
    link->must_greet = 0;
    link->frames_sent++;
    link->credits--;
    ibw_post(wire, link, &request, (ibw_sent){.buffer = buffer});
}

static int send_defer(ibw_wire *wire, ibw_link *link, ibw_buffer *buffer)
{
    buffer->next = NULL;
    if (link->backlog_first)
        link->backlog_last->next = buffer;
    else
        link->backlog_first = buffer;
    link->backlog_last = buffer;
    if (link->backlog_count++ == 0)
        wire->options.connecting(wire->options.sink);
    if (link->state == IBW_IDLE)
        ibw_call(wire, link);
    return COR_OK;
}

/* Budget: checks, one copy, one post. */
int ibw_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
             size_t bytes)
{
    ibw_wire *wire = ibw_of(base);
    ibw_link *link = ibw_link_get(wire, rank);
    size_t frame_bytes = sizeof(ibw_frame) + bytes;
    if (COR_UNLIKELY(!link || link->state == IBW_LOST))
        return link ? COR_ERR_PEER : COR_AGAIN;
    int is_open = link->state == IBW_OPEN && link->backlog_count == 0;
    /* The last credit and the last place are for credits. */
    if (is_open ? link->credits < 2 || ibw_send_room(wire, link) < 2 : link->backlog_count == IBW_BACKLOG_MAX)
        return COR_AGAIN;
    if (wire->mail_slot_bytes && is_open && ibw_mailbox_has_room(wire, link, bytes))
        return ibw_mailbox_send(wire, link, header, payload, offset, bytes);
    ibw_buffer *buffer = NULL;
    if (!is_open || frame_bytes > wire->inline_max_bytes) {
        buffer = ibw_buffer_get(wire);
        if (!buffer)
            return COR_AGAIN;
        buffer->bytes = (uint32_t)frame_bytes;
    }
    uint8_t *memory = buffer ? buffer->memory : wire->inline_frame;
    ibw_frame *frame = (ibw_frame *)(void *)memory;
    *frame = (ibw_frame){.kind = IBW_PACKET, .bytes = (uint32_t)bytes, .header = *header};
    if (bytes)
        cor_payload_read(payload, offset, memory + sizeof *frame, bytes);
    ibw_count_packet(wire, link, offset, bytes);
    if (COR_UNLIKELY(!is_open))
        return send_defer(wire, link, buffer);
    send_frame(wire, link, buffer, memory, (uint32_t)frame_bytes);
    return COR_OK;
}

/* ---- frames without a packet ------------------------------------------------------------------------------------ */

/* 0: no room now. */
static int send_short(ibw_wire *wire, ibw_link *link, int kind, const void *data, uint32_t bytes)
{
    ibw_buffer *buffer = NULL;
    if (link->credits < 1 || ibw_send_room(wire, link) < 1)
        return 0;
    if (sizeof(ibw_frame) + bytes > wire->inline_max_bytes && !(buffer = ibw_buffer_get(wire)))
        return 0;
    uint8_t *memory = buffer ? buffer->memory : wire->inline_frame;
    *(ibw_frame *)(void *)memory = (ibw_frame){.kind = (uint8_t)kind, .bytes = bytes};
    if (bytes)
        memcpy(memory + sizeof(ibw_frame), data, bytes);
    send_frame(wire, link, buffer, memory, (uint32_t)sizeof(ibw_frame) + bytes);
    return 1;
}

int ibw_send_offer(ibw_wire *wire, ibw_link *link, const ibw_offer *offer)
{
    _Static_assert(sizeof *offer == IBW_OFFER_BYTES, "an offer has no gaps");
    return send_short(wire, link, IBW_OFFER, offer, sizeof *offer);
}

/* The frames that wait for the connection; as far as credits and places reach. */
static void send_backlog(ibw_wire *wire, ibw_link *link)
{
    while (link->backlog_first && link->state == IBW_OPEN && link->credits >= 2 && ibw_send_room(wire, link) >= 2) {
        ibw_buffer *buffer = link->backlog_first;
        link->backlog_first = buffer->next;
        link->backlog_count--;
        send_frame(wire, link, buffer, buffer->memory, buffer->bytes);
    }
}

/* The caller sends something: over iWARP nothing may come to it before. */
void ibw_link_opened(ibw_wire *wire, ibw_link *link)
{
    link->must_greet = link->state == IBW_CALLING;
    ibw_link_set(wire, link, IBW_OPEN);
    ibw_mailbox_open(wire, link);
    ibw_send_credits(wire, link);
    ibw_copies_start(wire, link);
}

/* A peer that has half of its credits left does not wait; one that owes some has something to say soon. A greeting for
 * which no buffer is free is sent later, as credits are: connections that wait to be made may hold all buffers. */
void ibw_send_credits(ibw_wire *wire, ibw_link *link)
{
    uint32_t most = (uint32_t)wire->config.credits / 2;
    if (link->state != IBW_OPEN)
        return;
    if (COR_UNLIKELY(link->backlog_first != NULL))
        send_backlog(wire, link);
    if (link->mailbox.memory)
        ibw_mailbox_tell(wire, link);
    if ((link->owed >= most || link->must_greet) && !send_short(wire, link, IBW_CREDITS, NULL, 0))
        wire->owing = 1;
}

void ibw_sends_owed(ibw_wire *wire)
{
    wire->owing = 0;
    for (int rank = 0; rank < wire->options.size; rank++)
        if (wire->links[rank])
            ibw_send_credits(wire, wire->links[rank]);
}

/* An empty RDMA write, one at a time: if the peer's adapter does not acknowledge it, the retries of ours run out. Where
 * the queue is full something else is being retried. iWARP completes it when TCP has it; TCP gives up in its own time,
 * but only if it has something to send. */
void ibw_send_probe(ibw_wire *wire, ibw_link *link)
{
    struct ibv_send_wr request = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED};
    if (ibw_send_room(wire, link) < 2 || (int32_t)(link->probed - link->sent_done) > 0)
        return;
    if (ibw_post(wire, link, &request, (ibw_sent){0}))
        link->probed = link->sent_next;
}

/* What is posted leaves without us. */
int ibw_is_flushed(cor_wire *base)
{
    const ibw_wire *wire = ibw_of(base);
    for (int rank = 0; rank < wire->options.size; rank++)
        if (wire->links[rank] && (wire->links[rank]->backlog_count || !cor_list_is_empty(&wire->links[rank]->copies)))
            return 0;
    return 1;
}
