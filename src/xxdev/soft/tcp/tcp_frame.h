/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames: what a connection carries once both ends have proved themselves.
 *
 * A head of 40 bytes, all numbers little-endian, and then `bytes` of payload:
 *
 *    0 kind   1 flags   2 mark (16 bits)   4 bytes   8 sequence   12 acknowledged
 *   16 kind of the packet   17 its flags   18 its type class   19 zero   20 context   24 tag   28 credit   32 id   36
 *   id2
 *
 * Packets are numbered from 1 on, separately in each direction; the other kinds carry 0 and go between any two
 * packets. `acknowledged` is the number of the last packet that has been delivered on the side that speaks.
 */
#ifndef COR_TCP_FRAME_H
#define COR_TCP_FRAME_H

#include "base/little.h"
#include "xxdev/soft/wire.h"

enum { TCP_FRAME_BYTES = 40, TCP_FRAME_MARK = 0xc04a };

enum {
    TCP_PACKET = 1,
    TCP_ACK, /* nothing but the acknowledgement */
    TCP_BYE, /* the last frame of an orderly end */
};

enum { TCP_WANTS_ACK = 1 };

typedef struct tcp_frame {
    uint8_t kind, flags;
    uint32_t bytes, sequence, acknowledged;
    cor_header header;
} tcp_frame;

void tcp_frame_encode(const tcp_frame *frame, uint8_t out[TCP_FRAME_BYTES]);

/* Any bytes may come in. COR_ERR_PROTOCOL names the field that cannot be; frame_p is written on success only. */
int tcp_frame_decode(const uint8_t in[TCP_FRAME_BYTES], size_t payload_max, tcp_frame *frame_p, cor_fault *fault);

#endif
