/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames: what a connection carries once both ends have proved themselves.
 *
 * A head of 40 bytes, all numbers little-endian, and then `bytes` of payload:
 *
 *    0 kind   1 flags   2 mark (16 bits)   4 bytes   8 sequence   12 acknowledged
 *   16 kind of the packet   17 its flags   18 its type class   19 zero   20 context   24 tag   28 credit   32 id   36 id2
 *
 * Packets are numbered from 1 on, separately in each direction; the other kinds carry 0 and go between any two
 * packets. `acknowledged` is the number of the last packet that has been delivered on the side that speaks.
 */
#ifndef COR_TCP_FRAME_H
#define COR_TCP_FRAME_H

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

/* Little-endian numbers, at any address. */
static inline void tcp_put32(uint8_t *at, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    memcpy(at, &value, sizeof value);
}

static inline uint32_t tcp_get32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline void tcp_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline uint16_t tcp_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

#endif
