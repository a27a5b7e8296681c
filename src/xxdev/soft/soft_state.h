/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the software device, shared by its files. */
#ifndef COR_XXDEV_SOFT_STATE_H
#define COR_XXDEV_SOFT_STATE_H

#include "base/pool.h"
#include "xxdev/match.h"
#include "xxdev/soft/soft.h"

#include <stdatomic.h>

/* Packet kinds. All carry `credit`: the number of the receiver's credits that the sender has returned so far. */
enum {
    SOFT_EAGER = 1, /* context tag; id if SOFT_WANTS_DONE; the whole message */
    SOFT_RTS,       /* context tag id; soft_rts */
    SOFT_CTS,       /* id: sender's, id2: receiver's; soft_cts */
    SOFT_DATA,      /* id: receiver's; the next piece */
    SOFT_DONE,      /* id: sender's: matched (synchronous) or copied (direct) */
    SOFT_CREDIT,    /* credit only */
    SOFT_CANCEL,    /* context tag id: drop the sender's message if no receive has matched it */
    SOFT_CANCELLED, /* id: sender's: dropped */
    SOFT_ABANDONED, /* context tag id: no message will come; the sender has lost rank id */
    SOFT_STALLED,   /* id: the sender holds sends back until at most this many of its credits are used */
    SOFT_RESUMED,   /* no send is held back any more */
    SOFT_WANTED,    /* context, tag or any, id: number of receives posted for a message of the receiver */
    SOFT_WRITTEN,   /* id: receiver's: the message was put into its memory */
};

enum {
    SOFT_WANTS_DONE = 1,  /* a synchronous eager message */
    SOFT_SAME_MEMORY = 2, /* RTS: the key is the address of the sender's cor_payload */
    SOFT_CAN_PUT = 4,     /* RTS: the sender's memory is plain; it puts if it gets a key */
    SOFT_HAS_KEY = 8,     /* RTS: get from there; CTS: put there */
};

/* These are sent with only the used bytes of the key. */
typedef struct soft_rts {
    uint64_t bytes; /* of the message; in a CTS: of the receiver's buffer */
    cor_wire_key key;
} soft_rts, soft_cts;

enum { SOFT_RTS_LEAST_BYTES = offsetof(soft_rts, key.data) };

/* A message with an RTS, when its receive is posted. */
typedef struct soft_request {
    int peer, tag, flags;
    unsigned type_class;
    uint32_t id; /* sender's */
    const soft_rts *rts;
} soft_request;

/* Transfer states. */
enum {
    SOFT_POSTED = 1, /* receive: in matching */
    SOFT_RECEIVING,  /* receive: CTS sent, data on its way */
    SOFT_LANDING,    /* receive: matched a short message that has not arrived completely */
    SOFT_QUEUED,     /* send: in the outbox */
    SOFT_ASKED,      /* send: RTS sent, waiting for CTS or DONE */
    SOFT_STREAMING,  /* send: data leaving */
    SOFT_GETTING,    /* receive: the wire copies */
    SOFT_PUTTING,    /* send: the wire copies */
    SOFT_UNACKED,    /* send: all was sent, but a wire may need to send it again */
    SOFT_REACHING,   /* no message: a get or put of the layer above */
};

/* A packet to send that found no room. */
typedef struct soft_control {
    cor_link link;
    cor_header header;
    uint32_t body_bytes;
    uint8_t body[sizeof(soft_cts)];
} soft_control;

typedef struct soft_peer {
    cor_wire *wire;
    size_t eager_max_bytes, packet_max_bytes;
    uint32_t credits_used;  /* spent on eager messages to it */
    uint32_t credits_back;  /* of these, returned */
    uint32_t credits_given; /* returned to it, for its messages */
    uint32_t credits_told;  /* of these, reported to it by a packet */
    cor_peer_counts counts; /* begins beside the credits, which every message changes */
    uint8_t is_same_memory, puts_tell, rings_for_room, is_busy, owes_credit;
    const cor_wire_memory_ops *memory;  /* for long messages; NULL: they go in packets */
    const cor_wire_memory_ops *windows; /* for one-sided operations; NULL: there is none to this peer */
    size_t get_max_bytes, get_align_bytes;
    uint8_t is_pushed;      /* remote memory works only while the peer polls */
    uint8_t is_stalled;     /* the first of `sends` lacks credits, and the peer knows which it needs */
    uint8_t is_holding;     /* SOFT_STALLED was sent to the peer, and SOFT_RESUMED not yet */
    uint8_t holds_back;     /* the same, announced by the peer */
    uint8_t is_suspect;     /* another peer has lost it */
    size_t zcopy_min_bytes; /* 0: never */
    cor_transfer *landing;  /* in SOFT_LANDING, or NULL: its message is the packet that is arriving */
    const cor_fault *lost;  /* why it cannot be reached any more; NULL: it can */
    int rank;
    cor_list controls; /* soft_control */
    cor_list sends;    /* transfers in MPI order: eager and RTS not yet sent; urgent ones first */
    cor_list streams;  /* transfers in SOFT_STREAMING */
    cor_list unacked;  /* transfers in SOFT_UNACKED; their packets are older than those of the streams */
    cor_link busy;
    cor_list wishes;     /* soft_control: receives of the peer that none of `sends` matches */
    uint32_t stored;     /* credits of its messages that are stored here */
    uint32_t resumes_at; /* while it holds back: it continues when at most this many of its credits are used */
    uint8_t has_probed;  /* SOFT_WANTED was sent for the last probe */
    int32_t probed_tag;
    uint32_t probed_context;
} soft_peer;

typedef struct soft_exchange {
    cor_transfer *transfer; /* NULL: free */
    uint32_t generation;
    uint32_t next_free;
    cor_wire_key *key; /* of the memory of a send that offers a get, while its request finds no room; or NULL */
} soft_exchange;

struct cor_soft {
    cor_device base;
    cor_soft_config config;
    int rank, size;
    const cor_log *log;
    cor_soft_wire offered[COR_SOFT_WIRES_MAX]; /* the wires opened from these: */
    int offered_count;
    cor_wire *wires[COR_SOFT_WIRES_MAX];
    int wire_count;
    int next_offered, wire_round; /* of the set-up: the next one; the round of the one before it */
    uint32_t credit_limit;
    int holding_back; /* peers that hold back */
    soft_peer *peers;
    cor_list busy; /* peers with something to send */
    cor_match match;
    cor_pool controls;
    soft_exchange *exchanges; /* transfers that the other side refers to, by id */
    uint32_t exchange_count, first_free;
    uint32_t polls; /* for wires that are polled less often */
    int blamed;     /* the rank that a peer last reported as lost */
    cor_fault *fault;
};

/* Budget: two additions to memory that is in the cache. */
static inline void soft_count(cor_traffic *traffic, size_t bytes)
{
    traffic->messages++;
    traffic->bytes += bytes;
}

static inline void soft_complete(cor_soft *soft, cor_transfer *t, int error)
{
    cor_device_complete(&soft->base, t, error);
}

static inline cor_soft *soft_of(cor_device *device)
{
    return (cor_soft *)(void *)device;
}

/* A stored message needs its struct, and bins if its key is new: about 512 bytes besides the data. */
enum { SOFT_CREDIT_UNIT = 64, SOFT_MESSAGE_COST = 8 };

/* What an eager message costs the peer that may have to store it, in units. A request for clearance costs as much as an
 * eager message of no bytes. */
static inline uint32_t soft_credits(size_t bytes)
{
    return (uint32_t)(SOFT_MESSAGE_COST + bytes / SOFT_CREDIT_UNIT);
}

/* Every packet reports to the peer how many of its credits were returned. */
static inline int soft_packet(soft_peer *peer, cor_header *header, const cor_payload *payload, size_t offset,
                              size_t bytes)
{
    header->credit = peer->credits_given;
    int rc = peer->wire->ops->send(peer->wire, peer->rank, header, payload, offset, bytes);
    if (COR_LIKELY(rc == COR_OK))
        peer->credits_told = header->credit;
    return rc;
}

/* soft_open.c: the set-up */
int soft_address(cor_device *device, int round, char *text, cor_fault *fault);
int soft_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault);
int soft_attach(cor_device *device, cor_fault *fault);
int soft_settle(cor_device *device, cor_fault *fault);
void soft_close(cor_device *device);
void soft_abandon(cor_device *device);
int soft_begin_shutdown(cor_device *device);

/* soft.c */
extern const cor_device_ops soft_ops;
uint32_t soft_exchange_add(cor_soft *soft, cor_transfer *t); /* 0: no memory */
cor_transfer *soft_exchange_find(cor_soft *soft, uint32_t id);
cor_wire_key **soft_exchange_key(cor_soft *soft, const cor_transfer *t); /* of a transfer with an id */
void soft_exchange_remove(cor_soft *soft, cor_transfer *t);
_Noreturn void soft_no_memory(cor_soft *soft, const char *what);

/* soft_send.c */
int soft_isend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
int soft_issend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
void soft_control_send(cor_soft *soft, soft_peer *peer, cor_header header, const void *body, size_t body_bytes);
void soft_give_credits(cor_soft *soft, soft_peer *peer, uint32_t credits);
void soft_on_cancelled(cor_soft *soft, soft_peer *peer, const cor_header *header);
int soft_pump(cor_soft *soft);
int soft_cancel_send(cor_soft *soft, cor_transfer *t); /* 1: cancelled */
/* Drop the peer's message of this id and return 1, if no receive has matched it. */
int soft_forget_message(cor_soft *soft, int peer, uint32_t context, int tag, uint32_t id);

void soft_notify_failure(cor_device *device, int peer, uint32_t context, int tag);

void soft_mark_busy(cor_soft *soft, soft_peer *peer);
void soft_tell_credits(cor_soft *soft, soft_peer *peer);

/* soft_rendezvous.c */
int soft_rendezvous_ask(cor_soft *soft, soft_peer *peer, cor_transfer *t); /* COR_AGAIN: no room */
int soft_stream(cor_soft *soft, soft_peer *peer, cor_transfer *t);         /* returns how many pieces */
void soft_answer(cor_soft *soft, cor_transfer *t, const soft_request *request);
/* Parse an RTS; 0 if it is invalid. */
int soft_rts_is_fair(cor_soft *soft, soft_peer *peer, const cor_header *header, const void *data, size_t bytes,
                     soft_rts *rts_p);
void soft_on_cts(cor_soft *soft, soft_peer *peer, const cor_header *header, const void *data, size_t bytes);
void soft_on_data(cor_soft *soft, soft_peer *peer, const cor_header *header, const void *data, size_t bytes);
void soft_on_done(cor_soft *soft, soft_peer *peer, const cor_header *header);
void soft_written(void *sink, int peer, uint32_t id);
void soft_copied(void *sink, void *context, int error);
void soft_unregister(cor_soft *soft, cor_transfer *t);
/* The receive that this piece belongs to, or NULL. */
cor_transfer *soft_find_streamed(cor_soft *soft, int peer, uint32_t id, size_t bytes);

/* soft_memory.c */
extern const cor_device_memory_ops soft_memory;
void soft_reached(cor_soft *soft, cor_transfer *t, int error);

/* soft_flow.c */
/* The first of peer->sends needs `cost` credits, which are not available. */
void soft_flow_stall(cor_soft *soft, soft_peer *peer, uint32_t cost);
void soft_flow_resume(cor_soft *soft, soft_peer *peer);                  /* peer->sends is empty */
void soft_flow_queued(cor_soft *soft, soft_peer *peer, cor_transfer *t); /* a send that must wait, the last of them */
void soft_flow_forget(cor_soft *soft, soft_peer *peer);                  /* the peer is lost */
void soft_on_wanted(cor_soft *soft, soft_peer *peer, const cor_header *header);
/* A receive was posted, or the program probes, for a message that is not here, and peers hold back. */
void soft_flow_posted(cor_soft *soft, int peer, uint32_t context, int tag);
void soft_flow_probed(cor_soft *soft, int peer, uint32_t context, int tag);
void soft_on_stalled(cor_soft *soft, soft_peer *peer, const cor_header *header);
void soft_on_resumed(cor_soft *soft, soft_peer *peer);

/* soft_receive.c */
int soft_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
int soft_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload);
int soft_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p);
void soft_visit(cor_device *device, cor_envelope_fn visit, void *subject);
int soft_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                 cor_message **message_p);
void soft_deliver(void *sink, int peer, const cor_header *header, const void *data, size_t bytes);
/* Is this a tag that a message may have? Wildcards are for receives: a message with one would be in a bin that is not
 * its own. */
int soft_tag_is_fair(cor_soft *soft, soft_peer *peer, int tag);

int soft_land(void *sink, int peer, const cor_header *header, size_t bytes, cor_wire_landing *landing_p);

/* soft_lost.c */
void soft_zcopy_done(void *sink, int peer);
void soft_lost(void *sink, int peer, const cor_fault *why);
/* The peer has violated the protocol: nothing is accepted from it any more. The format completes "it sent ...". */
void soft_reject(cor_soft *soft, soft_peer *peer, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The peers on this wire that a transfer of this rank waits for, or that are suspect: sets peers[rank] to 1, and the
 * others to 0. */
void soft_awaited(void *sink, const cor_wire *wire, uint8_t *peers);
int soft_has_ended(void *sink, int rank);
void soft_connecting(void *sink);
/* The process of a peer on this host has ended. */
void soft_ended(void *subject, int rank, const cor_fault *why);

#endif
