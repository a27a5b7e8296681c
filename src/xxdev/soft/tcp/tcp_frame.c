/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/soft/tcp/tcp_frame.h"

void tcp_frame_encode(const tcp_frame *frame, uint8_t out[TCP_FRAME_BYTES])
{
    out[0] = frame->kind;
    out[1] = frame->flags;
    cor_put16(out + 2, TCP_FRAME_MARK);
    cor_put32(out + 4, frame->bytes);
    cor_put32(out + 8, frame->sequence);
    cor_put32(out + 12, frame->acknowledged);
    out[16] = frame->header.kind;
    out[17] = frame->header.flags;
    out[18] = (uint8_t)frame->header.type_class;
    out[19] = 0;
    cor_put32(out + 20, frame->header.context);
    cor_put32(out + 24, (uint32_t)frame->header.tag);
    cor_put32(out + 28, frame->header.credit);
    cor_put32(out + 32, frame->header.id);
    cor_put32(out + 36, frame->header.id2);
}

static int frame_check(const uint8_t *in, size_t payload_max, const tcp_frame *frame, cor_fault *fault)
{
    if (cor_get16(in + 2) != TCP_FRAME_MARK)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame has the mark %04x", cor_get16(in + 2));
    if (frame->kind < TCP_PACKET || frame->kind > TCP_BYE)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame is of unknown kind %d", frame->kind);
    if (frame->flags & ~TCP_WANTS_ACK)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame has unknown flags %02x", frame->flags);
    if (frame->bytes > payload_max)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame announces %u bytes, at most %zu are possible",
                             frame->bytes, payload_max);
    if (in[19] != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame has %02x where nothing belongs", in[19]);
    if (frame->kind != TCP_PACKET && (frame->bytes != 0 || frame->header.kind != 0))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame of kind %d carries a packet", frame->kind);
    if (frame->kind == TCP_PACKET && frame->header.kind == 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "a frame carries a packet of no kind");
    return COR_OK;
}

int tcp_frame_decode(const uint8_t in[TCP_FRAME_BYTES], size_t payload_max, tcp_frame *frame_p, cor_fault *fault)
{
    tcp_frame frame = {
        .kind = in[0],
        .flags = in[1],
        .bytes = cor_get32(in + 4),
        .sequence = cor_get32(in + 8),
        .acknowledged = cor_get32(in + 12),
        .header = {.kind = in[16],
                   .flags = in[17],
                   .type_class = in[18],
                   .context = cor_get32(in + 20),
                   .tag = (int32_t)cor_get32(in + 24),
                   .credit = cor_get32(in + 28),
                   .id = cor_get32(in + 32),
                   .id2 = cor_get32(in + 36)},
    };
    int rc = frame_check(in, payload_max, &frame, fault);
    if (COR_LIKELY(rc == COR_OK))
        *frame_p = frame;
    return rc;
}
