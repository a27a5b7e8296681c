/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half: packets are kept until they are acknowledged, and leave as the kernel takes them. */
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum {
    SEND_PARTS = 64,
    SEND_FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL,
    SEND_FIRST_MIN = 8 << 10, /* from here on a packet is sent before it is copied */
    SEND_FAR_MIN = 4 << 20,   /* a message of this size is not in the nearer caches */
    SEND_FETCH_BYTES = 256 << 10,
    SEND_CORKED_MAX = 64 << 10, /* packets that wait for each other leave when they are so many bytes */
};

static inline tcp_kept *out_kept(tcp_out *out, uint32_t number)
{
    return &out->kept[number % TCP_KEPT];
}

/* ---- keeping ---------------------------------------------------------------------------------------------------- */

/* Where `bytes` find room in the ring, in one piece; UINT64_MAX: nowhere yet. */
static inline uint64_t out_place(const tcp_wire *wire, const tcp_out *out, size_t bytes)
{
    uint64_t size = wire->config.retain_bytes, room = size - (out->ring_end & (size - 1));
    uint64_t place = bytes <= room ? out->ring_end : out->ring_end + room;
    if (COR_UNLIKELY(place + bytes - out->ring_start > size || out->next - out->first >= TCP_KEPT))
        return UINT64_MAX;
    return place;
}

/* Keep a packet; its head and a copied payload are one piece of the ring. is_awaited: the acknowledgement is wanted at
 * once. Returns NULL: no room. */
static inline tcp_kept *out_keep(tcp_wire *wire, tcp_link *link, const cor_header *header, size_t copied, size_t zcopy,
                                 int is_awaited)
{
    tcp_out *out = &link->out;
    uint64_t place = out_place(wire, out, TCP_FRAME_BYTES + copied);
    if (COR_UNLIKELY(place == UINT64_MAX))
        return NULL;
    tcp_frame frame = {
        .kind = TCP_PACKET,
        .bytes = (uint32_t)(copied + zcopy),
        .sequence = out->next,
        .acknowledged = link->in.received,
        .header = *header,
    };
    out->unasked_bytes += TCP_FRAME_BYTES + copied;
    out->unasked++;
    if (is_awaited || out->unasked_bytes > wire->config.retain_bytes / 4 || out->unasked > TCP_KEPT / 4) {
        frame.flags = TCP_WANTS_ACK;
        out->unasked_bytes = out->unasked = 0;
    }
    tcp_kept *kept = out_kept(out, out->next);
    *kept =
        (tcp_kept){.start = place, .ring_bytes = (uint32_t)(TCP_FRAME_BYTES + copied), .zcopy_bytes = (uint32_t)zcopy};
    tcp_frame_encode(&frame, (uint8_t *)out->ring + (place & (wire->config.retain_bytes - 1)));
    out->ring_end = place + kept->ring_bytes;
    out->next++;
    return kept;
}

int tcp_acknowledged(tcp_wire *wire, tcp_link *link, uint32_t number)
{
    tcp_out *out = &link->out;
    uint32_t count = number + 1 - out->first;
    if ((int32_t)count <= 0)
        return 1; /* an old one, from a packet that was sent again or had to wait */
    if (count > out->next - out->first)
        return 0;
    int zcopy = 0;
    for (; count > 0; count--, out->first++) {
        const tcp_kept *kept = out_kept(out, out->first);
        out->ring_start = kept->start + kept->ring_bytes;
        zcopy += kept->zcopy != NULL;
    }
    if (out->first == out->next)
        out->ring_start = out->ring_end = 0; /* the same few lines of memory again and again */
    for (; zcopy > 0; zcopy--)
        wire->options.zcopy_done(wire->options.sink, link->rank);
    return 1;
}

void tcp_out_rewind(tcp_link *link)
{
    link->out.leaving = link->out.first;
    link->out.left_bytes = 0;
    link->out.control_bytes = link->out.control_left = 0;
}

int tcp_is_flushed(cor_wire *base)
{
    tcp_wire *wire = tcp_of(base);
    for (int i = 0; i < wire->options.size; i++) {
        const tcp_link *link = wire->links[i];
        if (link && link->state != TCP_LOST && link->out.leaving != link->out.next)
            return 0;
    }
    return 1;
}

/* ---- leaving ---------------------------------------------------------------------------------------------------- */

static void link_set_clogged(tcp_wire *wire, tcp_link *link, int is_clogged)
{
    if (link->is_clogged == is_clogged)
        return;
    link->is_clogged = is_clogged;
    if (wire->watches_links)
        tcp_watch(wire, link->fd, TCP_AT_LINK, link->rank, is_clogged, 0);
}

static void out_make_control(tcp_link *link, int kind)
{
    tcp_out *out = &link->out;
    tcp_frame frame = {.kind = (uint8_t)kind, .acknowledged = link->in.received};
    tcp_frame_encode(&frame, out->control);
    out->control_bytes = TCP_FRAME_BYTES;
    out->control_left = 0;
    link->in.owes_ack = 0;
}

static int out_add_part(struct iovec *parts, int count, const void *base, size_t bytes, size_t *skip)
{
    if (*skip >= bytes) {
        *skip -= bytes;
        return count;
    }
    char *from = (char *)(uintptr_t)base + *skip;
    bytes -= *skip;
    *skip = 0;
    if (count > 0 && (char *)parts[count - 1].iov_base + parts[count - 1].iov_len == from) {
        parts[count - 1].iov_len += bytes;
        return count;
    }
    parts[count] = (struct iovec){from, bytes};
    return count + 1;
}

/* A zero-copy payload that stands in memory only while it is written. */
typedef struct out_mapped {
    const cor_payload *payload; /* NULL: none */
    void *memory;
} out_mapped;

/* The kernel copies no faster than data come from far memory one line after the other; asked for before, many come at
 * once. `zcopy` is the payload of the packet, of which `left` bytes have left. Returns how much of it may go now. */
static size_t out_fetch(tcp_kept *kept, const char *zcopy, size_t left)
{
    size_t end = kept->zcopy_bytes - left < SEND_FETCH_BYTES ? kept->zcopy_bytes : left + SEND_FETCH_BYTES;
    for (size_t at = kept->fetched_bytes > left ? kept->fetched_bytes : left; at < end; at += COR_CACHE_LINE)
        __builtin_prefetch(zcopy + at, 0, 2);
    kept->fetched_bytes = (uint32_t)end;
    return end;
}

/* What is to leave next. A control goes between two packets only, and one payload at a time is mapped. */
static int out_gather(const tcp_wire *wire, tcp_link *link, struct iovec *parts, out_mapped *mapped)
{
    tcp_out *out = &link->out;
    size_t skip = out->left_bytes, none = 0;
    int count = 0;
    if (link->in.owes_ack && out->control_bytes == 0)
        out_make_control(link, TCP_ACK);
    if (out->control_bytes && skip == 0)
        count =
            out_add_part(parts, 0, out->control + out->control_left, out->control_bytes - out->control_left, &none);
    for (uint32_t number = out->leaving; number != out->next && count + 2 <= SEND_PARTS; number++) {
        tcp_kept *kept = out_kept(out, number);
        const char *head = out->ring + (kept->start & (wire->config.retain_bytes - 1));
        count = out_add_part(parts, count, head, kept->ring_bytes, &skip);
        const char *zcopy = kept->zcopy ? kept->zcopy->base : NULL;
        if (kept->zcopy && kept->zcopy->ops) {
            *mapped = (out_mapped){kept->zcopy, cor_payload_map(kept->zcopy)};
            zcopy = mapped->memory;
        }
        if (kept->zcopy) {
            size_t bytes = kept->zcopy_bytes;
            if (kept->zcopy->bytes >= SEND_FAR_MIN)
                bytes = out_fetch(kept, zcopy + kept->zcopy_offset, skip);
            count = out_add_part(parts, count, zcopy + kept->zcopy_offset, bytes, &skip);
            if (bytes < kept->zcopy_bytes)
                break;
        }
        if (mapped->payload || (out->left_bytes && out->control_bytes))
            break; /* the control first, once this one is out */
    }
    return count;
}

/* So many bytes of it are with the kernel. */
static void out_advance(tcp_out *out, size_t bytes)
{
    if (out->control_bytes && out->left_bytes == 0) {
        size_t rest = out->control_bytes - out->control_left, piece = bytes < rest ? bytes : rest;
        out->control_left += piece;
        bytes -= piece;
        if (out->control_left == out->control_bytes)
            out->control_bytes = out->control_left = 0;
    }
    out->left_bytes += bytes;
    while (out->leaving != out->next) {
        const tcp_kept *kept = out_kept(out, out->leaving);
        size_t whole = (size_t)kept->ring_bytes + kept->zcopy_bytes;
        if (out->left_bytes < whole)
            return;
        out->left_bytes -= whole;
        out->leaving++;
    }
}

void tcp_flush(tcp_wire *wire, tcp_link *link)
{
    while (link->state == TCP_OPEN) {
        struct iovec parts[SEND_PARTS];
        struct msghdr message = {.msg_iov = parts};
        out_mapped mapped = {0};
        message.msg_iovlen = (size_t)out_gather(wire, link, parts, &mapped);
        if (message.msg_iovlen == 0) {
            link_set_clogged(wire, link, 0);
            return;
        }
        ssize_t sent = sendmsg(link->fd, &message, SEND_FLAGS);
        int error = errno; /* mapping may change it */
        if (mapped.payload)
            cor_payload_unmap(mapped.payload, mapped.memory, 0);
        errno = error;
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            /* What is wrong with the connection the reading half finds out. */
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                link->send_error = errno;
            link_set_clogged(wire, link, 1);
            return;
        }
        out_advance(&link->out, (size_t)sent);
    }
}

void tcp_send_control(tcp_wire *wire, tcp_link *link, int kind)
{
    if (link->state != TCP_OPEN)
        return;
    tcp_flush(wire, link);
    if (link->out.left_bytes != 0 || link->out.control_bytes != 0)
        return;
    out_make_control(link, kind);
    tcp_flush(wire, link);
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int send_to_self(tcp_wire *wire, const cor_header *header, const cor_payload *payload,
                                                  size_t offset, size_t bytes)
{
    tcp_note *note = malloc(sizeof *note + bytes);
    if (!note)
        return COR_AGAIN;
    note->header = *header;
    note->bytes = bytes;
    if (bytes)
        cor_payload_read(payload, offset, note->data, bytes);
    cor_list_append(&wire->notes, &note->link);
    /* Another thread of this rank may sleep, waiting for it. */
    tcp_wake(wire);
    return COR_OK;
}

/* The first packet to this peer, or one while there is no connection, or none can be any more. */
static __attribute__((noinline)) int send_without_connection(tcp_wire *wire, int rank, tcp_link **link_p)
{
    tcp_link *link = tcp_link_get(wire, rank);
    if (!link)
        return COR_AGAIN;
    if (link->state == TCP_UNUSED)
        tcp_call(wire, link, cor_clock_ns());
    if (link->state == TCP_LOST)
        return COR_ERR_PEER;
    if (link->out.first == link->out.next)
        wire->options.connecting(wire->options.sink);
    *link_p = link;
    return COR_OK;
}

/* A long packet leaves first; the copy, for the case that it must go again, is made while it is on
 * its way. Returns what the kernel took, or -1. */
static __attribute__((noinline)) ssize_t send_then_keep(tcp_link *link, char *head, const cor_payload *payload,
                                                        size_t offset, size_t bytes)
{
    void *memory = cor_payload_map(payload);
    struct iovec parts[2] = {{head, TCP_FRAME_BYTES}, {(char *)memory + offset, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t sent = sendmsg(link->fd, &message, SEND_FLAGS);
    memcpy(head + TCP_FRAME_BYTES, parts[1].iov_base, bytes);
    cor_payload_unmap(payload, memory, 0);
    return sent;
}

/* Budget for 8 bytes: 48 bytes into the ring, one system call. */
int tcp_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
             size_t bytes)
{
    tcp_wire *wire = tcp_of(base);
    tcp_link *link = wire->links[rank];
    if (COR_UNLIKELY(!link || link->state != TCP_OPEN)) {
        if (rank == wire->options.rank)
            return send_to_self(wire, header, payload, offset, bytes);
        int rc = send_without_connection(wire, rank, &link);
        if (rc != COR_OK)
            return rc;
    }
    tcp_kept *kept = out_keep(wire, link, header, bytes, 0, 0);
    if (COR_UNLIKELY(!kept))
        return COR_AGAIN;
    tcp_out *out = &link->out;
    char *head = out->ring + (kept->start & (wire->config.retain_bytes - 1));
    int is_ready = COR_LIKELY(link->state == TCP_OPEN && !link->is_clogged && !wire->is_corked);
    int leaves_first = is_ready && bytes >= SEND_FIRST_MIN && cor_payload_is_mappable(payload);
    if (bytes && !leaves_first)
        cor_payload_read(payload, offset, head + TCP_FRAME_BYTES, bytes);
    if (!is_ready) {
        if (!link->is_clogged && out->ring_end - out_kept(out, out->leaving)->start >= SEND_CORKED_MAX)
            tcp_flush(wire, link);
        return COR_OK;
    }
    link->in.owes_ack = 0;
    ssize_t sent = COR_UNLIKELY(leaves_first) ? send_then_keep(link, head, payload, offset, bytes)
                                              : send(link->fd, head, kept->ring_bytes, SEND_FLAGS);
    if (COR_LIKELY(sent == (ssize_t)kept->ring_bytes))
        out->leaving++;
    else if (sent > 0)
        out_advance(out, (size_t)sent);
    if (COR_UNLIKELY(sent != (ssize_t)kept->ring_bytes))
        tcp_flush(wire, link);
    return COR_OK;
}

void tcp_cork(cor_wire *base)
{
    tcp_of(base)->is_corked = 1;
}

void tcp_uncork(cor_wire *base, int rank)
{
    tcp_wire *wire = tcp_of(base);
    tcp_link *link = wire->links[rank];
    wire->is_corked = 0;
    if (link && link->state == TCP_OPEN && !link->is_clogged)
        tcp_flush(wire, link);
}

int tcp_send_zcopy(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
                   size_t bytes, int is_last)
{
    tcp_wire *wire = tcp_of(base);
    tcp_link *link = wire->links[rank];
    if (!link || link->state != TCP_OPEN) {
        int rc = send_without_connection(wire, rank, &link);
        if (rc != COR_OK)
            return rc;
    }
    tcp_kept *kept = out_keep(wire, link, header, 0, bytes, is_last);
    if (!kept)
        return COR_AGAIN;
    kept->zcopy = payload;
    kept->zcopy_offset = offset;
    if (!link->is_clogged)
        tcp_flush(wire, link);
    return COR_OK;
}
