/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of what ranks exchange before they are connected, and of the header of every packet. All of it is checked
 * on input. */
#ifndef COR_IBV_TEXT_H
#define COR_IBV_TEXT_H

#include "xxdev/soft/wire.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum {
    IBW_VERSION = 2,
    IBW_HOST_MAX = 40,
    IBW_SECRET_BYTES = 32,
    IBW_MAC_BYTES = 32,
    IBW_GREETING_BYTES = 48,
    IBW_DATAGRAM_BYTES = 64,
    IBW_OFFER_BYTES = 16,
    IBW_GID_BYTES = 16,
    IBW_NUMBER_MAX = (1 << 24) - 1, /* of queue pairs and packets */
};

typedef union ibw_place {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} ibw_place;

/* The address of a rank's queue pair for datagrams, by which connections are made without RDMA CM. */
typedef enum ibw_gid_kind { IBW_GID_IB, IBW_GID_ROCE_1, IBW_GID_ROCE_2 } ibw_gid_kind;

typedef struct ibw_spot {
    uint8_t gid_kind;
    uint8_t mtu; /* as verbs number them: 1 is 256 bytes, 5 is 4096 */
    uint16_t lid;
    uint32_t queue, key;
    uint8_t gid[IBW_GID_BYTES];
} ibw_spot;

/* A rank's address: ibv2,<host>,<buffer bytes>,<secret or ->,<where>, and without a device ibv2,<host>,none.
 * <where> is <IP address>+<port>, or x and the spot as 56 hexadecimal digits. */
typedef struct ibw_address {
    char host[IBW_HOST_MAX];
    int has_device, has_secret, has_spot;
    uint8_t secret[IBW_SECRET_BYTES];
    size_t buffer_bytes;
    ibw_place place;
    ibw_spot spot;
} ibw_address;

void ibw_address_print(const ibw_address *address, char text[COR_WIRE_ADDRESS_MAX]);
int ibw_address_parse(const char *text, ibw_address *address_p, cor_fault *fault);
void ibw_place_print(const ibw_place *place, char *out, size_t out_bytes);

/* The GID that connections made by datagrams should use has the highest rank; 0: none at all. */
int ibw_gid_rank(ibw_gid_kind kind, const uint8_t gid[IBW_GID_BYTES]);
const char *ibw_gid_kind_text(int kind);

/* The private data of a connection of RDMA CM, in both directions. */
typedef struct ibw_greeting {
    int is_answer;
    uint32_t from, to; /* ranks */
    uint32_t credits;  /* receives that the sender of this has posted for the other */
} ibw_greeting;

void ibw_greeting_write(const ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES],
                        uint8_t out[IBW_GREETING_BYTES]);
/* 0: it does not come from a rank of this job, or is not for this rank. The caller sets is_answer and to, the rest is
 * written. */
int ibw_greeting_read(ibw_greeting *greeting, const uint8_t secret[IBW_SECRET_BYTES], const void *data, size_t bytes);

/* How a connection is made without RDMA CM. A request is repeated until it is answered or refused, and a repeated
 * request gets the same answer again. */
enum { IBW_CALL = 1, IBW_ANSWER, IBW_REFUSAL };

/* Why a rank refuses a request; with RDMA CM the first byte of the rejection. */
enum { IBW_STRANGER = 1, IBW_CROSSING, IBW_NO_ROOM };

typedef struct ibw_datagram {
    uint8_t kind;
    uint8_t reason; /* of a refusal */
    uint8_t reads;  /* RDMA reads that the sender of this serves concurrently */
    uint32_t from, to;
    uint32_t call;    /* number of the request, higher than those before */
    uint32_t credits; /* as in a greeting */
    uint32_t queue;   /* number of the queue pair that is offered */
    uint32_t packet;  /* number of its first packet */
} ibw_datagram;

void ibw_datagram_write(const ibw_datagram *datagram, const uint8_t secret[IBW_SECRET_BYTES],
                        uint8_t out[IBW_DATAGRAM_BYTES]);
/* 0: it does not come from another of `size` ranks of this job, is not for rank `to`, or is malformed. */
int ibw_datagram_read(ibw_datagram *datagram_p, const uint8_t secret[IBW_SECRET_BYTES], int to, int size,
                      const void *data, size_t bytes);

enum { IBW_PACKET = 1, IBW_CREDITS, IBW_OFFER };

typedef struct ibw_frame {
    uint8_t kind;
    uint8_t mails;    /* written to the receiver's mailbox before this frame, modulo 256 */
    uint16_t credits; /* receives for the receiver's packets that are posted again */
    uint32_t bytes;   /* that follow */
    cor_header header;
} ibw_frame;

/* Is this a frame that a rank may send? */
static inline int ibw_frame_is_sound(const ibw_frame *frame, size_t received_bytes)
{
    return received_bytes >= sizeof *frame && frame->bytes == received_bytes - sizeof *frame &&
           frame->kind >= IBW_PACKET && frame->kind <= IBW_OFFER &&
           (frame->kind == IBW_PACKET || frame->bytes == (frame->kind == IBW_OFFER ? IBW_OFFER_BYTES : 0));
}

#endif
