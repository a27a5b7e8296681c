/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wire moves packets between this rank and some of its peers, reliably and in order per peer. It has no tags.
 *
 * A packet is a fixed header, opaque to the wire, and up to max_packet_bytes of payload. A wire does not
 * block, keeps no packet it did not accept, and delivers a packet by calling the sink with a pointer into its own
 * memory (a ring slot): the sink copies what it needs before it returns.
 *
 * Life: open() makes the local end and its address, a short text the launcher carries to the others. connect() gets the
 * addresses of all ranks, decides which peers it reaches and sizes its local end; after a fence over all ranks attach()
 * connects to the peers; after one more fence settle() frees what only the set-up needed, and the wire may be used.
 * close() frees everything; it is called only when no peer sends any more, and after any of the steps.
 *
 * The wire does not wait itself (wait/waiter.h); it provides a source to sleep on.
 *
 * Locking: every function is called under the rank's lock.
 * Errors: COR_AGAIN is no failure. A negative code ruins the link to that peer, and the fault says why. A wire over
 * which peers can be lost while it is in use reports each loss once (lost).
 */
#ifndef COR_XXDEV_WIRE_H
#define COR_XXDEV_WIRE_H

#include "base/error.h"
#include "base/log.h"
#include "dtype/payload.h"
#include "wait/waiter.h"

#include <stdint.h>

/* The header of a packet. The protocol defines its fields (soft_state.h); 24 bytes so that slot word, header and 32
 * bytes of payload share one cache line. */
typedef struct cor_header {
    uint8_t kind;
    uint8_t flags;
    uint16_t type_class; /* of the message's payload */
    uint32_t context;
    int32_t tag;
    uint32_t credit;
    uint32_t id;
    uint32_t id2;
} cor_header;

_Static_assert(sizeof(cor_header) == 24, "header, slot word and 32 bytes of payload fill a cache line");

typedef struct cor_wire cor_wire;

/* The receiver of packets. Called from poll(); data is valid during the call only, and NULL if it has landed. */
typedef void (*cor_wire_sink_fn)(void *sink, int peer, const cor_header *header, const void *data, size_t bytes);

/* A place for a packet's payload: from this offset of a payload that is plain or can be mapped. */
typedef struct cor_wire_landing {
    const cor_payload *payload;
    size_t offset;
} cor_wire_landing;

enum { COR_WIRE_ADDRESS_MAX = 256 };

enum { COR_WIRE_KEY_MAX = 240 };

/* The key by which a peer accesses registered memory. It is opaque to the protocol, which sends only the used bytes;
 * the wire checks keys from peers. */
typedef struct cor_wire_key {
    uint64_t bytes; /* used of data, at most COR_WIRE_KEY_MAX */
    _Alignas(8) uint8_t data[COR_WIRE_KEY_MAX];
} cor_wire_key;

/* How registered memory is used. */
typedef enum cor_wire_use {
    COR_WIRE_READ,    /* it is only read, and may be constant */
    COR_WIRE_WRITTEN, /* one peer writes one message to its start */
    COR_WIRE_SHARED,  /* every peer that has the key reads, writes and updates any part of it, any number of times */
} cor_wire_use;

/* Updates of an unsigned number of 64 bits in memory of a peer, each atomic with respect to the others by the same
 * wire. */
typedef enum cor_wire_atomic_kind {
    COR_WIRE_ADD,       /* no result */
    COR_WIRE_FETCH_ADD, /* the result is the old value */
    COR_WIRE_SWAP,      /* likewise */
    COR_WIRE_COMPARE,   /* swaps if the old value equals `compare`; likewise */
} cor_wire_atomic_kind;

typedef struct cor_wire_atomic {
    cor_wire_atomic_kind kind;
    uint64_t operand, compare;
    uint64_t *result_p; /* written before options.copied is called; NULL: not wanted */
} cor_wire_atomic;

typedef struct cor_wire_options {
    int rank, size;     /* in the job; peers are numbered 0..size-1 */
    const char *device; /* its name, for sentences */
    cor_host *host;     /* open and connected when the wire is opened or later; outlives it */
    const cor_log *log;
    const void *config; /* the wire's own config struct, loaded from its knob table */
    cor_wire_sink_fn deliver;
    /* Is there a place for the payload of this packet, whose data have not arrived yet? Returns 1 and the place, or 0.
     * A wire that copies out of the kernel may call it; it then writes there, over several polls if necessary, and
     * delivers with `data` NULL. It may write the same bytes again after a connection was lost and made again. */
    int (*land)(void *sink, int peer, const cor_header *header, size_t bytes, cor_wire_landing *landing_p);
    /* The wire no longer refers to the memory of the oldest packet sent to this peer by send_zcopy. */
    void (*zcopy_done)(void *sink, int peer);
    /* A get or put is done: COR_OK, or the contents of the memory are undefined. Called from get(), put() and
     * poll(). */
    void (*copied)(void *sink, void *context, int error);
    /* The peer has put all of a message into this rank's memory, under this id, which the peer chose and the wire does
     * not check. Only where the route's puts_tell is set; called from poll(). */
    void (*written)(void *sink, int peer, uint32_t id);
    /* The peer cannot be reached any more; `why` names it and the reason. From now on the wire refers to no memory of
     * this rank for it, delivers nothing from it, and fails sends to it. Called from poll() only. */
    void (*lost)(void *sink, int peer, const cor_fault *why);
    /* Sets peers[i] to 1 for every peer of this wire that something waits for, or that another peer has lost, and to 0
     * for the others. A wire that connects late calls it now and then: a peer may have died before its first packet.
     * Slow. */
    void (*awaited)(void *sink, const cor_wire *wire, uint8_t *peers);
    /* Has the process of this peer ended? 0: that is not known. For wires that get no answer from a peer and no reason;
     * to be called a few times, and then at most once a second, because it may wait for the launcher's answer. */
    int (*has_ended)(void *sink, int peer);
    /* A packet was accepted that leaves only with later polls, because its connection is still being made. Not called
     * again while that packet waits. */
    void (*connecting)(void *sink);
    void *sink;
} cor_wire_options;

/* Properties of the route to one peer, for the protocols. */
typedef struct cor_wire_route {
    size_t eager_max_bytes;  /* up to here a message is sent at once */
    size_t packet_max_bytes; /* no packet carries more */
    size_t zcopy_min_bytes;  /* from here on packets are sent without a copy; 0: never */
    int is_same_memory;      /* the peer is a thread of this process: its payloads can be copied directly */
    int has_memory;          /* the wire's remote memory works to this peer */
    int prefers_pieces;      /* long messages are still sent in packets; memory is for one-sided operations */
    size_t get_max_bytes;    /* up to here the receiver gets, beyond it the sender puts */
    size_t get_align_bytes;  /* addresses of a get are multiples of this; 0: any */
    int puts_tell;           /* a put notifies the peer that it is done (options.written) */
    int is_pushed;           /* remote memory works only while the peer polls */
    unsigned atomics;        /* of shared memory: one bit, 1 << kind, for each supported kind of update */
    int rings_for_room;      /* a sleeper is woken when a send that returned COR_AGAIN may be retried */
} cor_wire_route;

/*
 * Remote memory: one copy between the memory of two processes, made by the kernel, an adapter or a library. Only plain
 * memory can be registered; a Java array may be moved.
 *
 * A copy or an update is done when options.copied is called with its `context`, which is not NULL. That may be before
 * the call that starts it returns. Then data read are in local memory, and data written are in the memory of the peer,
 * visible to every later read. Concurrent copies are done in any order; bytes written by two of them are undefined.
 * COR_AGAIN or a negative code: nothing was started, copied is not called.
 *
 * Offsets are from the start of the memory that the key was made for. The caller stays within its length.
 */
typedef struct cor_wire_memory_ops {
    /* Make memory ready for copies, as either end; `key` is for the peer, `registration` for the calls below.
     * A negative code or COR_AGAIN: not now; the message is sent in pieces. */
    int (*enter)(cor_wire *wire, void *base, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                 void **registration_p);
    void (*leave)(cor_wire *wire, void *registration);
    /* Copy from, or to, a peer's memory. `registration` is that of the memory at this end. Memory that the peer entered
     * as COR_WIRE_WRITTEN takes one put, from offset 0. `id` is the peer's number for the message it waits for, with
     * which a put notifies it (puts_tell); 0: none. `get` may be NULL where get_max_bytes is 0. */
    int (*get)(cor_wire *wire, int peer, const cor_wire_key *from, size_t offset, void *to, void *registration,
               size_t bytes, void *context);
    int (*put)(cor_wire *wire, int peer, const cor_wire_key *to, size_t offset, const void *from, void *registration,
               size_t bytes, uint32_t id, void *context);
    /* Update a number in shared memory at an offset that is a multiple of 8, as is the start of that memory. NULL if no
     * route has atomics. */
    int (*update)(cor_wire *wire, int peer, const cor_wire_key *to, size_t offset, const cor_wire_atomic *atomic,
                  void *context);
} cor_wire_memory_ops;

typedef struct cor_wire_ops {
    const char *name;
    const char *summary;

    int (*open)(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault);
    /* A NUL-terminated text of at most COR_WIRE_ADDRESS_MAX - 1 printable characters without spaces; it begins with
     * the name of the wire and the version of its protocol, up to a comma, which must be the same on all ranks. */
    void (*address)(cor_wire *wire, char *text);
    /* reached[peer] is set to 1 for every peer this wire reaches and not changed otherwise. */
    int (*connect)(cor_wire *wire, const char *const *addresses, uint8_t *reached, cor_fault *fault);
    /* Addresses that do not fit one text continue in further rounds, from 1, after connect(). 1: written. 0: no further
     * round is needed, the same on all ranks. Optional, both or none. */
    int (*address_more)(cor_wire *wire, int round, char *text);
    int (*connect_more)(cor_wire *wire, int round, const char *const *addresses, cor_fault *fault);
    int (*attach)(cor_wire *wire, cor_fault *fault);
    void (*settle)(cor_wire *wire);
    void (*close)(cor_wire *wire);
    /* This process is going to end without close(): remove what would outlive it. What ends with it stays, because
     * others may still read it. Optional. */
    void (*abandon)(cor_wire *wire);

    void (*route)(cor_wire *wire, int peer, cor_wire_route *route_p);
    /* Describe the route to this peer in a few words. Optional. */
    void (*describe)(cor_wire *wire, int peer, char *out, size_t out_bytes);
    /* A sentence why connect() left out a peer that it should reach; empty if this wire is not meant to reach it.
     * Optional. */
    void (*obstacle)(cor_wire *wire, int peer, char *out, size_t out_bytes);

    /* Send header and payload bytes [offset, offset + bytes). COR_OK: accepted, the payload may be reused. COR_AGAIN:
     * no room, nothing was accepted. */
    int (*send)(cor_wire *wire, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                size_t bytes);
    /* The same without a copy, for a payload that is plain or can be mapped: the wire may refer to it until zcopy_done
     * or lost. is_last: the last packet of a message; the sender waits for its completion; the completions of others
     * are not urgent. Optional. */
    int (*send_zcopy)(cor_wire *wire, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                      size_t bytes, int is_last);
    /* Around several packets to a peer: between these calls packets may be batched. Optional, both or none. */
    void (*cork)(cor_wire *wire);
    void (*uncork)(cor_wire *wire, int peer);
    /* The last fence comes next: the wire is polled as before, for packets that have to be sent again, but a peer that
     * ends in order does not count as lost any more. Optional. */
    void (*begin_shutdown)(cor_wire *wire);
    /* Has everything that was sent left this rank, as far as it can leave? NULL: always. */
    int (*is_flushed)(cor_wire *wire);
    /* Deliver packets that have arrived, a bounded number. `first` is a peer worth polling first, or -1. Returns how
     * many were delivered; other events count as well. */
    int (*poll)(cor_wire *wire, int first);
    /* The process of this peer, on this host, has ended: deliver what it has sent; nothing is sent to it any more.
     * Optional: for wires that have no other notification. */
    void (*peer_ended)(cor_wire *wire, int peer);
    /* This peer has violated the protocol; the sentence contains `what` it sent. From now on nothing that arrives from
     * it is delivered, sends to it fail, and its loss is reported, at once or by the next poll(). Called from deliver()
     * and written() only. */
    void (*reject)(cor_wire *wire, int peer, const char *what);
    const cor_wire_memory_ops *memory; /* NULL: none */
} cor_wire_ops;

struct cor_wire {
    const cor_wire_ops *ops;
    cor_wait_source source; /* a rank that waits for this wire sleeps on it */
    int is_silent;          /* nothing wakes a sleeper: the rank naps. Set by settle() at the latest */
    uint64_t resumed;       /* connections that broke and were made again, for tools; */
    uint64_t resent;        /* packets that were sent again for that */
};

#endif
