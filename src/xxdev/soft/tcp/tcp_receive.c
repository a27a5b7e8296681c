/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: frames out of a stream of bytes, each checked, each once and in order. */
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum {
    RECEIVE_ROUNDS = 8,      /* reads before others get their turn */
    RECEIVE_BEYOND = 4096,   /* read beyond a landing payload: the next heads, and what must be copied then */
    RECEIVE_BULK = 16,       /* packets after a long one for which little is read at once: more of its kind may come */
    RECEIVE_LONG = 12 << 10, /* from here on a read more costs less than a copy more */
};

void tcp_in_reset(tcp_link *link)
{
    tcp_in *in = &link->in;
    in->start = in->end = in->landed = 0;
    in->landing.payload = NULL;
    in->has_frame = in->owes_ack = 0;
}

/* ---- one frame -------------------------------------------------------------------------------------------------- */

/* A head is there. COR_ERR_PROTOCOL: it cannot follow what came before. */
static int in_take_head(tcp_wire *wire, tcp_link *link, const uint8_t *head, cor_fault *fault)
{
    tcp_in *in = &link->in;
    int rc = tcp_frame_decode(head, wire->config.packet_max_bytes, &in->frame, fault);
    if (rc != COR_OK)
        return rc;
    uint32_t expected = in->frame.kind == TCP_PACKET ? in->received + 1 : 0;
    if (in->frame.sequence != expected)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "packet %u came where %u was to come", in->frame.sequence,
                             expected);
    if (!tcp_acknowledged(wire, link, in->frame.acknowledged))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it acknowledges packet %u of %u", in->frame.acknowledged,
                             link->out.next - 1);
    return COR_OK;
}

/* The whole frame is there. */
static inline void in_deliver(tcp_wire *wire, tcp_link *link, const void *data)
{
    tcp_in *in = &link->in;
    in->has_frame = 0;
    in->landing.payload = NULL;
    in->received = in->frame.sequence;
    /* Set before: what the sink sends in answer acknowledges this packet as well. */
    in->owes_ack |= in->frame.flags & TCP_WANTS_ACK;
    wire->options.deliver(wire->options.sink, link->rank, &in->frame.header, data, in->frame.bytes);
}

/* Part of the payload is there. Where shall the rest go: straight to its place, or into the buffer? */
static int in_await_payload(tcp_wire *wire, tcp_link *link, const uint8_t *data, size_t there)
{
    tcp_in *in = &link->in;
    in->has_frame = 1;
    in->landed = 0;
    if (wire->options.land(wire->options.sink, link->rank, &in->frame.header, in->frame.bytes, &in->landing)) {
        char *memory = cor_payload_map(in->landing.payload);
        memcpy(memory + in->landing.offset, data, there);
        cor_payload_unmap(in->landing.payload, memory, 1);
        in->landed = there;
        in->start = in->end = 0;
        return COR_OK;
    }
    if (in->frame.bytes <= in->capacity)
        return COR_OK;
    uint8_t *larger = realloc(in->buffer, in->frame.bytes);
    if (!larger)
        return COR_ERR_MEMORY;
    in->buffer = larger;
    in->capacity = in->frame.bytes;
    return COR_OK;
}

/* ---- what is in the buffer -------------------------------------------------------------------------------------- */

/* Returns packets delivered, or a negative code: COR_ERR_PEER, without a fault, if the peer says that it ends. */
static int in_parse(tcp_wire *wire, tcp_link *link, cor_fault *fault)
{
    tcp_in *in = &link->in;
    int count = 0;
    for (;;) {
        size_t there = in->end - in->start;
        if (!in->has_frame) {
            if (there < TCP_FRAME_BYTES)
                break;
            int rc = in_take_head(wire, link, in->buffer + in->start, fault);
            if (rc != COR_OK)
                return rc;
            in->start += TCP_FRAME_BYTES;
            there -= TCP_FRAME_BYTES;
            if (in->frame.kind == TCP_BYE)
                return COR_ERR_PEER;
            if (in->frame.kind == TCP_ACK) {
                count++;
                continue;
            }
        }
        const uint8_t *data = in->buffer + in->start;
        if (there < in->frame.bytes) {
            if (!in->has_frame && in_await_payload(wire, link, data, there) != COR_OK)
                return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a packet of %u bytes", in->frame.bytes);
            break;
        }
        in->start += in->frame.bytes;
        in->bulk = in->frame.bytes >= RECEIVE_LONG ? RECEIVE_BULK : in->bulk - (in->bulk > 0);
        in_deliver(wire, link, data);
        count++;
    }
    if (in->start == in->end)
        in->start = in->end = 0;
    return count;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static ssize_t in_read_landing(tcp_link *link, size_t *asked_p)
{
    tcp_in *in = &link->in;
    char *memory = cor_payload_map(in->landing.payload);
    struct iovec parts[2] = {{memory + in->landing.offset + in->landed, in->frame.bytes - in->landed},
                             {in->buffer, RECEIVE_BEYOND}};
    *asked_p = parts[0].iov_len + parts[1].iov_len;
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t got = recvmsg(link->fd, &message, MSG_DONTWAIT);
    int error = errno; /* mapping may change it */
    cor_payload_unmap(in->landing.payload, memory, got > 0);
    errno = error;
    if (got <= 0)
        return got;
    size_t landed = (size_t)got < parts[0].iov_len ? (size_t)got : parts[0].iov_len;
    in->landed += landed;
    in->end = (size_t)got - landed;
    return got;
}

static ssize_t in_read_buffer(tcp_link *link, int flags, size_t *asked_p)
{
    tcp_in *in = &link->in;
    size_t wanted = in->has_frame ? in->frame.bytes : TCP_FRAME_BYTES;
    if (in->start > 0 && in->capacity - in->start < wanted + TCP_FRAME_BYTES) {
        memmove(in->buffer, in->buffer + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    *asked_p = in->capacity - in->end;
    if (in->bulk > 0 && *asked_p > RECEIVE_BEYOND && !in->has_frame)
        *asked_p = RECEIVE_BEYOND;
    ssize_t got = recv(link->fd, in->buffer + in->end, *asked_p, flags);
    if (got > 0)
        in->end += (size_t)got;
    return got;
}

static int in_failed(tcp_wire *wire, tcp_link *link, ssize_t got)
{
    int error = got < 0 ? errno : link->send_error;
    if (got < 0 && (error == EAGAIN || error == EWOULDBLOCK || error == EINTR))
        return 0;
    tcp_link_break(wire, link, error ? strerror(error) : "it closed the connection");
    return 1;
}

int tcp_receive(tcp_wire *wire, tcp_link *link, int may_wait)
{
    tcp_in *in = &link->in;
    int events = 0;
    for (int round = 0; round < RECEIVE_ROUNDS; round++) {
        size_t asked;
        ssize_t got = in->landing.payload ? in_read_landing(link, &asked)
                                          : in_read_buffer(link, may_wait && round == 0 ? 0 : MSG_DONTWAIT, &asked);
        if (got <= 0) {
            if (in_failed(wire, link, got))
                return events + 1;
            break;
        }
        events++;
        if (in->landing.payload && in->landed == in->frame.bytes) {
            in_deliver(wire, link, NULL);
            in->bulk = RECEIVE_BULK;
        }
        if (!in->landing.payload) {
            cor_fault fault;
            int count = in_parse(wire, link, &fault);
            if (COR_UNLIKELY(count < 0)) {
                if (count == COR_ERR_PEER)
                    tcp_link_bye(wire, link);
                else
                    tcp_link_lose(wire, link, fault.text);
                return events;
            }
        }
        if (COR_UNLIKELY(link->state != TCP_OPEN)) /* the sink has rejected what came */
            return events;
        if ((size_t)got < asked)
            break; /* that was all */
    }
    if (COR_UNLIKELY(in->owes_ack) && !link->is_clogged)
        tcp_flush(wire, link);
    return events;
}
