/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames: what a connection carries after both ends have authenticated.
 *
 * A head of 40 bytes, all numbers little-endian, and then `bytes` of payload:
 *
 *    0 kind   1 flags   2 mark (16 bits)   4 bytes   8 sequence   12 acknowledged
 *   16 kind of the packet   17 its flags   18 its type class   19 zero   20 context   24 tag   28 credit   32 id   36
 *   id2
 *
 * Packets are numbered from 1 on, separately in each direction; the other kinds carry 0 and may be between any two
 * packets. `acknowledged` is the number of the last packet that the sender of the frame has delivered.
 */
#ifndef COR_TCP_FRAME_H
#define COR_TCP_FRAME_H

#include "base/little.h"
#include "xxdev/soft/wire.h"

enum { TCP_FRAME_BYTES = 40, TCP_FRAME_MARK = 0xc04a };

enum {
    TCP_PACKET = 1,
    TCP_ACK, /* only the acknowledgement */
    TCP_BYE, /* the last frame of an orderly end */
};

enum { TCP_WANTS_ACK = 1 };

typedef struct tcp_frame {
    uint8_t kind, flags;
    uint32_t bytes, sequence, acknowledged;
    cor_header header;
} tcp_frame;

void tcp_frame_encode(const tcp_frame *frame, uint8_t out[TCP_FRAME_BYTES]);

/* The input may be any bytes. COR_ERR_PROTOCOL, with a fault that names the invalid field; frame_p is written on
 * success only. */
int tcp_frame_decode(const uint8_t in[TCP_FRAME_BYTES], size_t payload_max, tcp_frame *frame_p, cor_fault *fault);

#endif
