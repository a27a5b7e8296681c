/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/soft/ibv/ibv_mailbox.h"

#include "xxdev/soft/ibv/ibv_state.h"

#include <stdlib.h>
#include <string.h>

/* A mail: the head, a frame with its packet, and at the next multiple of 8 the mark of the head once more. The mark has
 * the number of the mail and the bytes of the packet, in one word: so the end can be found as soon as the beginning is
 * there. */
typedef struct mail_head {
    uint64_t mark;
    uint32_t frames; /* sent before it on this connection */
    uint32_t unused;
} mail_head;

enum {
    MAIL_ALIGN = 64,
    MAIL_WORD_BYTES = MAIL_ALIGN, /* ahead of the slots */
    MAIL_MARK_BYTES = sizeof(uint64_t),
    MAIL_OVERHEAD = (int)(sizeof(mail_head) + sizeof(ibw_frame)) + MAIL_MARK_BYTES,
    MAIL_PACKET_MIN = 8, /* smaller slots are not worth their memory */
};

/* Mails are counted from here, shortly before the count begins anew, so that every job sees that. Modulo 256 it is 0,
 * as where there is no mailbox. */
#define MAIL_FIRST 0xffffff00u

/* Of the mail after so many: never 0, which stands in a slot that is clear. */
static uint32_t mail_number(uint32_t count)
{
    return (count & 0x7fffffffu) + 1;
}

static uint64_t mail_mark(uint32_t number, size_t packet_bytes)
{
    return (uint64_t)number << 32 | (uint32_t)packet_bytes;
}

_Static_assert(IBW_MAIL_SLOTS < 256, "a frame tells the number of mails before it modulo 256");

/* Where the second mark is. */
static size_t mail_end(size_t packet_bytes)
{
    return (sizeof(mail_head) + sizeof(ibw_frame) + packet_bytes + 7) / 8 * 8;
}

uint32_t ibw_mailbox_slot_bytes(size_t packet_max_bytes, size_t buffer_bytes, size_t all_bytes, int ranks)
{
    size_t wanted = (mail_end(packet_max_bytes) + MAIL_MARK_BYTES + MAIL_ALIGN - 1) / MAIL_ALIGN * MAIL_ALIGN;
    size_t mailbox = ranks > 1 ? all_bytes / (size_t)(ranks - 1) : 0;
    size_t slot = mailbox > MAIL_WORD_BYTES ? (mailbox - MAIL_WORD_BYTES) / IBW_MAIL_SLOTS : 0;
    if (slot > buffer_bytes)
        slot = buffer_bytes;
    slot = slot / MAIL_ALIGN * MAIL_ALIGN;
    if (packet_max_bytes == 0 || slot < MAIL_OVERHEAD + MAIL_PACKET_MIN)
        return 0;
    return (uint32_t)(slot < wanted ? slot : wanted);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static size_t mailbox_bytes(uint32_t slot_bytes)
{
    return MAIL_WORD_BYTES + (size_t)slot_bytes * IBW_MAIL_SLOTS;
}

void ibw_mailbox_open(ibw_wire *wire, ibw_link *link)
{
    ibw_mailbox *box = &link->mailbox;
    void *memory = NULL;
    if (wire->mail_slot_bytes == 0 || box->memory)
        return;
    size_t bytes = mailbox_bytes(wire->mail_slot_bytes);
    if (posix_memalign(&memory, 4096, bytes) != 0)
        return;
    memset(memory, 0, bytes);
    box->region =
        wire->library.do_ibv_reg_mr(wire->domain, memory, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    if (!box->region) {
        COR_LOG(wire->options.log, INFO, "ibv: no mailbox for rank %d: its memory cannot be registered", link->rank);
        free(memory);
        return;
    }
    box->memory = memory;
    box->slot_bytes = wire->mail_slot_bytes;
    box->sent = box->taken = box->told = MAIL_FIRST;
    memcpy(memory, &box->sent, sizeof box->sent); /* the peer has taken all of them */
    ibw_offer offer = {.address = (uintptr_t)memory, .key = box->region->rkey, .slot_bytes = box->slot_bytes};
    if (ibw_send_offer(wire, link, &offer))
        wire->mail_links[wire->mailboxes++] = link;
    else
        ibw_mailbox_close(wire, link);
}

/* The queue pair is gone. */
void ibw_mailbox_close(ibw_wire *wire, ibw_link *link)
{
    ibw_mailbox *box = &link->mailbox;
    if (box->region)
        wire->library.do_ibv_dereg_mr(box->region);
    free(box->memory);
    *box = (ibw_mailbox){0};
}

int ibw_mailbox_offered(const ibw_wire *wire, ibw_link *link, const ibw_offer *offer)
{
    if (link->mailbox.peer.slot_bytes != 0 || offer->slot_bytes < MAIL_OVERHEAD + MAIL_PACKET_MIN ||
        offer->slot_bytes % MAIL_ALIGN != 0 || offer->slot_bytes > wire->config.buffer_bytes ||
        offer->address % MAIL_ALIGN != 0)
        return 0;
    link->mailbox.peer = *offer;
    return 1;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

/* Acquire: what the peer has taken it has also cleared. */
static uint32_t mailbox_known_taken(const ibw_mailbox *box)
{
    return __atomic_load_n((const uint32_t *)(const void *)box->memory, __ATOMIC_ACQUIRE);
}

int ibw_mailbox_has_room(ibw_wire *wire, ibw_link *link, size_t bytes)
{
    const ibw_mailbox *box = &link->mailbox;
    if (box->peer.slot_bytes == 0 || !box->memory || mail_end(bytes) + MAIL_MARK_BYTES > box->peer.slot_bytes)
        return 0;
    uint32_t waiting = box->sent - mailbox_known_taken(box);
    if (COR_UNLIKELY(waiting > IBW_MAIL_SLOTS)) {
        ibw_link_fail(wire, link, "it has taken more from its mailbox than was sent");
        return 0;
    }
    return waiting < IBW_MAIL_SLOTS;
}

/* Budget: one copy, one post. */
int ibw_mailbox_send(ibw_wire *wire, ibw_link *link, const cor_header *header, const cor_payload *payload,
                     size_t offset, size_t bytes)
{
    ibw_mailbox *box = &link->mailbox;
    size_t end = mail_end(bytes), mail_bytes = end + MAIL_MARK_BYTES;
    ibw_buffer *buffer = NULL;
    if (mail_bytes > wire->inline_max_bytes && !(buffer = ibw_buffer_get(wire)))
        return COR_AGAIN;
    uint8_t *memory = buffer ? buffer->memory : wire->inline_frame;
    mail_head *head = (mail_head *)(void *)memory;
    ibw_frame *frame = (ibw_frame *)(void *)(head + 1);
    uint64_t mark = mail_mark(mail_number(box->sent), bytes);
    *head = (mail_head){.mark = mark, .frames = link->frames_sent};
    *frame = (ibw_frame){.kind = IBW_PACKET, .bytes = (uint32_t)bytes, .header = *header};
    frame->credits = ibw_credits_to_tell(link);
    if (bytes)
        cor_payload_read(payload, offset, frame + 1, bytes);
    memcpy(memory + end, &mark, sizeof mark);
    struct ibv_sge place = {
        .addr = (uintptr_t)memory, .length = (uint32_t)mail_bytes, .lkey = buffer ? buffer->lkey : 0};
    struct ibv_send_wr request = {
        .sg_list = &place, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = buffer ? 0 : IBV_SEND_INLINE};
    request.wr.rdma.remote_addr =
        box->peer.address + MAIL_WORD_BYTES + (uint64_t)(box->sent % IBW_MAIL_SLOTS) * box->peer.slot_bytes;
    request.wr.rdma.rkey = box->peer.key;
    box->sent++;
    wire->counts.mails++;
    ibw_count_packet(wire, link, offset, bytes);
    ibw_post(wire, link, &request, (ibw_sent){.buffer = buffer});
    return COR_OK;
}

/* Tell the peer how much room it has again. What finds no place in the send queue is told later. */
void ibw_mailbox_tell(ibw_wire *wire, ibw_link *link)
{
    ibw_mailbox *box = &link->mailbox;
    ibw_buffer *buffer = NULL;
    if (box->taken - box->told < IBW_MAIL_SLOTS / 2)
        return;
    if (ibw_send_room(wire, link) < 2 ||
        (wire->inline_max_bytes < sizeof box->taken && !(buffer = ibw_buffer_get(wire)))) {
        wire->owing = 1;
        return;
    }
    uint8_t *memory = buffer ? buffer->memory : wire->inline_frame;
    memcpy(memory, &box->taken, sizeof box->taken);
    struct ibv_sge place = {.addr = (uintptr_t)memory, .length = sizeof box->taken, .lkey = buffer ? buffer->lkey : 0};
    struct ibv_send_wr request = {
        .sg_list = &place, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = buffer ? 0 : IBV_SEND_INLINE};
    request.wr.rdma.remote_addr = box->peer.address;
    request.wr.rdma.rkey = box->peer.key;
    box->told = box->taken;
    ibw_post(wire, link, &request, (ibw_sent){.buffer = buffer});
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

/* The mail that is next and complete, with the bytes of its packet; NULL: it is not there. Acquire: the bytes between
 * the marks are placed before the second one. */
static mail_head *mailbox_look(ibw_wire *wire, ibw_link *link, size_t *bytes_p)
{
    const ibw_mailbox *box = &link->mailbox;
    uint8_t *slot = box->memory + MAIL_WORD_BYTES + (size_t)(box->taken % IBW_MAIL_SLOTS) * box->slot_bytes;
    mail_head *head = (mail_head *)(void *)slot;
    uint64_t mark = __atomic_load_n(&head->mark, __ATOMIC_ACQUIRE);
    if (COR_LIKELY(mark >> 32 != mail_number(box->taken)))
        return NULL;
    size_t end = mail_end((uint32_t)mark);
    if (end + MAIL_MARK_BYTES > box->slot_bytes) {
        ibw_link_fail(wire, link, "it wrote a mail of %u bytes to a slot of %u", (uint32_t)mark, box->slot_bytes);
        return NULL;
    }
    if (__atomic_load_n((uint64_t *)(void *)(slot + end), __ATOMIC_ACQUIRE) != mark ||
        (int32_t)(head->frames - link->frames_received) > 0)
        return NULL;
    *bytes_p = (uint32_t)mark;
    return head;
}

static int mailbox_next(ibw_wire *wire, ibw_link *link)
{
    size_t bytes;
    mail_head *head = link->state == IBW_OPEN ? mailbox_look(wire, link, &bytes) : NULL;
    if (!head)
        return 0;
    ibw_frame_take(wire, link, (const ibw_frame *)(const void *)(head + 1), sizeof(ibw_frame) + bytes);
    memset(head, 0, mail_end(bytes) + MAIL_MARK_BYTES);
    link->mailbox.taken++;
    ibw_send_credits(wire, link); /* and what waited for credits that came in it */
    return 1;
}

int ibw_mailbox_take_until(ibw_wire *wire, ibw_link *link, uint8_t mails)
{
    while ((uint8_t)link->mailbox.taken != mails)
        if (!link->mailbox.memory || !mailbox_next(wire, link)) {
            ibw_link_fail(wire, link, "mails that it sent before a frame are not there");
            return 0;
        }
    return 1;
}

/* One turn of each at most: completions are waiting too. */
int ibw_mailboxes_take(ibw_wire *wire)
{
    int count = 0;
    for (int i = 0; i < wire->mailboxes; i++)
        for (int taken = 0; taken < IBW_MAIL_SLOTS && mailbox_next(wire, wire->mail_links[i]); taken++)
            count++;
    return count;
}

int ibw_mailboxes_are_empty(ibw_wire *wire)
{
    size_t bytes;
    for (int i = 0; i < wire->mailboxes; i++)
        if (wire->mail_links[i]->state == IBW_OPEN && mailbox_look(wire, wire->mail_links[i], &bytes))
            return 0;
    return 1;
}
