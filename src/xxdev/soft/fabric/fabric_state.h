/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's end of the wire, used under the rank's lock. */
#ifndef COR_FABRIC_STATE_H
#define COR_FABRIC_STATE_H

#include "base/list.h"
#include "base/pool.h"
#include "wait/host.h"
#include "xxdev/soft/fabric/fabric.h"
#include "xxdev/soft/fabric/fabric_bridge.h"

enum {
    FABRIC_SMALL_BYTES = 512,      /* of payload, in a small frame */
    FABRIC_SENDS = 16,             /* packets to one peer that are under way */
    FABRIC_OWN_SENDS = 64,         /* packets to this rank itself */
    FABRIC_SHORT_BYTES = 8192,     /* longer ones are not offered to send_short */
    FABRIC_PACKET_MAX = 64 << 10,  /* the longest of any rank: adapters of hosts may differ, and so their routes */
    FABRIC_LOOKS = 16,             /* peers that are looked at in a second */
    FABRIC_EARLY_BYTES = 64 << 20, /* of frames with packets of one peer that came early */
    FABRIC_HOLE_LOOKS = 10,        /* in which later packets come, until an earlier one counts as never sent */
};

/* A packet: to a peer, to this rank itself, or one that came early. Small frames have room for FABRIC_SMALL_BYTES of
 * payload behind the header, large ones for packet_max_bytes, those of zero-copy packets for none. */
typedef struct fabric_frame {
    cor_link link; /* in a queue, in `own` or in `early` */
    struct fabric_wire *wire;
    cor_pool *pool;
    int peer;
    int is_zcopy, is_done, has_failed; /* of a zero-copy packet: its end was told, or its failure */
    cor_link order;                    /* of a zero-copy packet: in peer.zcopies */
    cor_fabric_packet packet;
} fabric_frame;

/* A get, put or update. */
typedef struct fabric_copy {
    cor_fabric_job job; /* first */
    struct fabric_wire *wire;
    cor_link link; /* in wire.copies */
    int peer;
    void *context;
} fabric_copy;

typedef struct fabric_peer {
    cor_wire_route route;
    uint32_t sent, taken; /* packets, and so their numbers */
    int under_way;        /* sends of packets, those in the queue among them */
    uint8_t is_met;       /* one has arrived, or left */
    uint8_t is_lost, is_near;
    int referring;          /* of a lost one: copies and zero-copy packets that the library has not ended */
    int error;              /* the library's, since which it is not reached; 0: none */
    int is_own;             /* that is for want of something in this process: an errno, or -1; 0: it is not */
    uint64_t since_ns;      /* when that was noticed */
    char *rejected;         /* why it is to be lost, or NULL */
    cor_list queue;         /* fabric_frame: what the library had no room for */
    cor_list early;         /* fabric_frame: packets whose predecessors have not come */
    size_t early_bytes;     /* of these frames */
    uint32_t hole;          /* the number that was waited for when the peer was last looked at */
    int hole_looks;         /* of these, how many found further packets in `early` */
    uint8_t has_come_early; /* since the last look */
    cor_list zcopies;       /* fabric_frame.order: the oldest first */
    cor_link blocked;       /* in wire.blocked, while something is in the queue */
    cor_link untold;        /* in wire.untold, while zero-copy packets have ended and the device does not know */
    uint8_t is_untold;
} fabric_peer;

typedef struct fabric_wire {
    cor_wire base;
    cor_wire_options options;
    const cor_fabric_kind *kind;
    const cor_fabric_ops *ops;
    cor_fabric_library *library; /* NULL: not open yet */
    cor_fabric_config config;
    int rank, size;
    fabric_peer *peers;
    uint8_t *awaited;
    uint8_t *addresses; /* of all ranks, address_max_bytes each, while the set-up goes on */
    size_t *address_bytes;
    size_t address_max_bytes;
    size_t packet_max_bytes; /* of all routes, and of what comes */
    cor_pool small, large, bare, copying;
    cor_list own;     /* fabric_frame: to this rank itself */
    cor_list blocked; /* fabric_peer */
    cor_list untold;  /* fabric_peer */
    cor_list copies;  /* fabric_copy: under way, to peers that are not lost */
    int own_count;
    int under_way; /* sends and copies to peers that are not lost */
    int troubled;  /* peers with an error, or rejected, that are not lost yet */
    int is_ending;
    int delivered; /* by this poll */
    uint32_t polls;
    uint64_t looked_ns;
    uint64_t patience_ns; /* for what goes to a lost peer to end */
    char failure[200];    /* why no peer is reached any more; "": they are */
    int is_stopped;       /* so the library was told */
    int next_looked;      /* the peer to begin with */
    /* Sleeps that end at once without an event: after some of them the rank naps. While UCX 1.13 waits for a peer to
     * accept a TCP connection its descriptor is always readable, and ofi_rxm does not tell when such a wait is over. */
    int fruitless, is_napping;
    uint64_t armed_ns;
} fabric_wire;

static inline fabric_wire *fabric_of(cor_wire *base)
{
    return (fabric_wire *)(void *)base;
}

/* Packets without a kind are for the wires alone; this flag of theirs asks for one in return. */
enum { FABRIC_ASKS = 1 };

/* fabric_packet.c */
void fabric_pools_init(fabric_wire *wire); /* the routes are known */
void fabric_arrived(void *wire, const cor_fabric_header *header, const void *payload, size_t bytes);
void fabric_arrived_odd(void *wire, size_t bytes);
void fabric_sent(cor_fabric_packet *packet, int error);
void fabric_send_nothing(fabric_wire *wire, int peer, int flags);
int fabric_send_queued(fabric_wire *wire);  /* returns how many */
int fabric_tell_zcopies(fabric_wire *wire); /* likewise */
int fabric_deliver_own(fabric_wire *wire);  /* likewise */
void fabric_forget_packets(fabric_wire *wire, int peer);

/* fabric_memory.c */
void fabric_copied(cor_fabric_job *job, int error);
void fabric_written(void *wire, int peer, uint32_t id);
void fabric_forget_copies(fabric_wire *wire, int peer);

/* fabric_lost.c */
void fabric_unreached(void *wire, int peer, int error);
void fabric_reject(void *wire, int peer, const char *what);
int fabric_tell_troubled(fabric_wire *wire); /* returns how many are lost now */
void fabric_look(fabric_wire *wire, uint64_t now_ns);
void fabric_failed(void *wire, const char *what, int error);
void fabric_warn(void *wire, const char *what, int error);

#endif
