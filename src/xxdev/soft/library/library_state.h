/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COR_SOFT_LIBRARY_STATE_H
#define COR_SOFT_LIBRARY_STATE_H

#include "base/list.h"
#include "base/pool.h"
#include "xxdev/soft/library/library.h"
#include "xxdev/tagged/tagged_meeting.h"

/*
 * Tags: what 16 | sender 15 | 32. Left of the sender stands LIBRARY_PACKET, or, of a long message, LIBRARY_MEMORY and the
 * number of the memory that it is for; right of it the number of the packet, or the receiver's id of the message.
 */
enum {
    LIBRARY_PEER_SHIFT = 32,
    LIBRARY_PEER_BITS = 15,
    LIBRARY_WHAT_SHIFT = LIBRARY_PEER_SHIFT + LIBRARY_PEER_BITS,
    LIBRARY_TAG_BITS = LIBRARY_WHAT_SHIFT + 16,
    LIBRARY_PACKET = 1,
    LIBRARY_MEMORY = 0x8000,
    LIBRARY_MEMORIES = 0x4000,
};

enum {
    LIBRARY_PACKET_BYTES = 8192, /* of payload, at most */
    LIBRARY_RECEIVES = 32,       /* for packets, posted at once */
    LIBRARY_SENDS = 16,          /* packets to one peer that are under way */
    LIBRARY_BATCH = 64,
    LIBRARY_LOOKS = 16, /* peers that are looked at in a second */
};

typedef enum library_kind { LIBRARY_SEND, LIBRARY_RECEIVE, LIBRARY_PUT, LIBRARY_LANDING } library_kind;

/* What the library was asked for. */
typedef struct library_item {
    cor_tagged_transfer transfer; /* the bridge's; first */
    struct library_wire *wire;
    library_kind kind;
    int peer;                 /* of what is sent */
    int is_forgotten;         /* the peer it is sent to was lost: nothing waits for it */
    int is_ended;             /* it stands in `ended` */
    cor_tagged_result result; /* from then on */
    cor_link link;
    cor_header *frame; /* of packets: header, and payload behind it */
    void *context;     /* of a put: for options.copied */
    uint32_t number;   /* of a landing: of the memory */
    void *memory;      /* of a landing */
    size_t bytes;
    int has_landed, is_left; /* of a landing: its receive is over; leave() was called. With both it is free */
} library_item;

typedef struct library_peer {
    uint32_t sent, taken; /* packets, and so their numbers */
    int under_way;        /* sends of packets */
    int is_met;           /* one has arrived, or left */
    int is_lost;
    int error;      /* the library's, since which it is not reached; 0: none */
    cor_list early; /* library_item: packets whose predecessors have not come */
} library_peer;

typedef struct library_wire {
    cor_wire base;
    cor_wire_options options;
    cor_tagged_meeting meeting;
    library_peer *peers;
    uint8_t *awaited;
    cor_pool items, frames;
    cor_list started; /* library_item: what the library has */
    cor_list ended;   /* library_item: what it has ended, and poll() has not looked at */
    int under_way;    /* sends that were not forgotten */
    int unreached;    /* peers with an error that are not lost yet */
    int is_ending;
    uint32_t polls;
    uint64_t looked_ns;
    int next_looked; /* the peer to begin with */
    /* Sleeps that end at once without an event: after some of them the rank naps. While UCX 1.13 waits for a peer to accept
     * a TCP connection its descriptor is always readable, and ofi_rxm does not tell when such a wait is over. */
    int fruitless, is_napping;
    uint64_t armed_ns;
    uint16_t free_numbers[LIBRARY_MEMORIES];
    int free_count;
} library_wire;

static inline library_wire *library_of(cor_wire *base)
{
    return (library_wire *)(void *)base;
}

static inline uint64_t library_tag(unsigned what, int peer, uint32_t number)
{
    return (uint64_t)what << LIBRARY_WHAT_SHIFT | (uint64_t)(uint32_t)peer << LIBRARY_PEER_SHIFT | number;
}

/* Who has sent what this receive got. -1: that is not known; what comes from outside may name anybody. */
static inline int library_sender(const library_item *item)
{
    uint64_t tag = item->result.tag, what = tag >> LIBRARY_WHAT_SHIFT;
    int peer = (int)(tag >> LIBRARY_PEER_SHIFT & ((1 << LIBRARY_PEER_BITS) - 1));
    int is_known = what == (item->kind == LIBRARY_RECEIVE ? LIBRARY_PACKET : LIBRARY_MEMORY | item->number);
    return is_known && peer < item->wire->options.size ? peer : -1;
}

#define LIBRARY_WHAT_MASK (UINT64_C(0xffff) << LIBRARY_WHAT_SHIFT)

/* library_packet.c */
library_item *library_take(library_wire *wire, library_kind kind); /* NULL: no memory */
void library_give_back(library_item *item);
void library_end(library_item *item);                                              /* poll() will look at it */
int library_receive(library_item *item, uint64_t tag, void *memory, size_t bytes); /* 0, or the library's error */
int library_post_receives(library_wire *wire, cor_fault *fault);
int library_send(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                 size_t bytes);
int library_poll(cor_wire *base, int first);
void library_reject(cor_wire *base, int peer, const char *what);
/* Called by the bridge. */
void library_done(cor_tagged_transfer *transfer, const cor_tagged_result *result);
void library_unreached(void *subject, int peer, int error);

/* library_memory.c */
extern const cor_wire_memory_ops library_memory;
void library_put_ended(library_item *item);
void library_landed(library_item *item);

#endif
