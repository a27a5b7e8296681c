/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wire moves packets between this rank and some of its peers, in order per peer, reliably. It knows no tags.
 *
 * A packet is a fixed header, opaque to the wire, and up to max_packet_bytes of payload. A wire does not
 * block, keeps no packet it did not accept, and delivers a packet by calling the sink with a pointer into its own
 * memory (a ring slot): the sink copies what it wants before it returns.
 *
 * Life: open() makes the local end and its address, a short text the launcher carries to the others. connect() is
 * given the addresses of all ranks, decides which peers it reaches and sizes its local end; after a fence over all
 * ranks attach() reaches out to the peers; after one more fence settle() drops what only the set-up needed, and the
 * wire may be used. close() gives everything back; it is called only when no peer sends any more, and after any of the
 * steps.
 *
 * Waiting is not the wire's (wait/waiter.h); it offers a source to sleep on.
 *
 * Locking: every function is called under the rank's lock.
 * Errors: COR_AGAIN is no failure. A negative code ruins the link to that peer, and the fault says why. A wire over
 * which peers can be lost while it is in use tells so once for each of them (lost).
 */
#ifndef COR_XXDEV_WIRE_H
#define COR_XXDEV_WIRE_H

#include "base/error.h"
#include "base/log.h"
#include "dtype/payload.h"
#include "wait/waiter.h"

#include <stdint.h>

/* What a protocol writes ahead of the payload. Its fields are the protocol's (soft_state.h); 24 bytes so that slot
 * word, header and 32 bytes of payload share one cache line. */
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

/* Where packets go. Called from poll(); data is valid during the call only, and NULL if it has landed. */
typedef void (*cor_wire_sink_fn)(void *sink, int peer, const cor_header *header, const void *data, size_t bytes);

/* A place for a packet's payload: from this offset of a payload that is plain or can be mapped. */
typedef struct cor_wire_landing {
    const cor_payload *payload;
    size_t offset;
} cor_wire_landing;

enum { COR_WIRE_ADDRESS_MAX = 256 };

enum { COR_WIRE_KEY_MAX = 240 };

/* What a peer must know to reach memory that was registered. It means nothing to the protocol, which sends only the
 * bytes that are used; what comes from a peer is checked by the wire. */
typedef struct cor_wire_key {
    uint64_t bytes; /* used of data, at most COR_WIRE_KEY_MAX */
    _Alignas(8) uint8_t data[COR_WIRE_KEY_MAX];
} cor_wire_key;

/* What becomes of registered memory. */
typedef enum cor_wire_use {
    COR_WIRE_READ,    /* it is read only, and may be constant */
    COR_WIRE_WRITTEN, /* one peer writes one message to its start */
    COR_WIRE_SHARED,  /* every peer that has the key reads, writes and updates any part of it, any number of times */
} cor_wire_use;

/* Updates of an unsigned number of 64 bits in memory of a peer, each atomic to the others by the same wire. */
typedef enum cor_wire_atomic_kind {
    COR_WIRE_ADD,       /* tells nothing */
    COR_WIRE_FETCH_ADD, /* the result is what stood there before */
    COR_WIRE_SWAP,      /* likewise */
    COR_WIRE_COMPARE,   /* swaps if what stands there equals `compare`; likewise */
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
    /* Is there a place for the payload of this packet, whose data are still to come? 1, and where; or 0. A wire that
     * copies out of the kernel may ask; it then writes there, over several polls if need be, and delivers with `data`
     * NULL. It may write the same bytes again, after a connection was lost and found. */
    int (*land)(void *sink, int peer, const cor_header *header, size_t bytes, cor_wire_landing *landing_p);
    /* The wire no longer refers to the memory of the oldest packet sent to this peer by send_zcopy. */
    void (*zcopy_done)(void *sink, int peer);
    /* A get or put is done: COR_OK, or nothing of the memory can be relied on. Called from get(), put() and poll(). */
    void (*copied)(void *sink, void *context, int error);
    /* The peer has put all of a message into memory of ours, and called it by this id, which is as good as its word.
     * Only where the route's puts_tell is set; called from poll(). */
    void (*written)(void *sink, int peer, uint32_t id);
    /* The peer cannot be reached any more; `why` names it and says why. Nothing of ours is referred to from here on,
     * nothing comes from it, and sends to it fail. Called from poll() only. */
    void (*lost)(void *sink, int peer, const cor_fault *why);
    /* Sets peers[i] to 1 for every peer of this wire that something waits for, or that another peer has lost, and to 0
     * for the others. A wire that connects late asks it now and then: a peer may have died before its first packet.
     * Slow. */
    void (*awaited)(void *sink, const cor_wire *wire, uint8_t *peers);
    /* Has the process of this peer ended? 0: that is not known. For wires that get no answer from a peer, and not the
     * reason either; a few times, and then once a second at most, for it may take the launcher's answer. */
    int (*has_ended)(void *sink, int peer);
    /* A packet was taken that leaves only with later polls, because the connection it goes by is still being made. Not
     * told again while that one waits. */
    void (*connecting)(void *sink);
    void *sink;
} cor_wire_options;

/* What the protocols need to know of the way to one peer. */
typedef struct cor_wire_route {
    size_t eager_max_bytes;  /* up to here a message goes at once */
    size_t packet_max_bytes; /* no packet carries more */
    size_t zcopy_min_bytes;  /* from here on packets are sent from where they lie; 0: never */
    int is_same_memory;      /* the peer is a thread of this process: its payloads can be copied directly */
    int has_memory;          /* the wire's remote memory works to this peer */
    int prefers_pieces;      /* long messages go in packets all the same */
    size_t get_max_bytes;    /* up to here the receiver gets, beyond it the sender puts */
    size_t get_align_bytes;  /* addresses of a get are multiples of this; 0: any */
    int puts_tell;           /* a put tells the peer that it is done (options.written) */
    int is_pushed;           /* remote memory works only while the peer polls */
    unsigned atomics;        /* of shared memory: one bit, 1 << kind, for each kind of update that there is */
    int rings_for_room;      /* who sleeps is woken when a send that was told COR_AGAIN may be tried again */
} cor_wire_route;

/*
 * Remote memory: one copy between the memory of two processes, made by the kernel, an adapter or a library. Only plain
 * memory can be registered; a Java array cannot stay where it is.
 *
 * A copy or an update is done when options.copied is called with its `context`, which is not NULL. That may be before
 * the call that starts it returns. Then what was read is here, and what was written stands in the memory of the peer,
 * for every later read of it. Those under way at a time are done in any order, and nothing is promised of bytes that
 * two of them write. COR_AGAIN or a negative code: nothing was started, copied is not called.
 *
 * Offsets are those from the start of the memory that the key was made for. The caller keeps to its length.
 */
typedef struct cor_wire_memory_ops {
    /* Make memory ready for copies, as either end; `key` is for the peer, `registration` for the calls below.
     * A negative code or COR_AGAIN: not now; the message goes in pieces. */
    int (*enter)(cor_wire *wire, void *base, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                 void **registration_p);
    void (*leave)(cor_wire *wire, void *registration);
    /* Copy from, or to, a peer's memory. `registration` is that of the memory at this end. Memory that the peer entered
     * as COR_WIRE_WRITTEN takes one put, from offset 0. The peer calls what it waits for `id`, which a put names if it
     * tells (puts_tell); 0: it waits for nothing. No get: where get_max_bytes is 0. */
    int (*get)(cor_wire *wire, int peer, const cor_wire_key *from, size_t offset, void *to, void *registration,
               size_t bytes, void *context);
    int (*put)(cor_wire *wire, int peer, const cor_wire_key *to, size_t offset, const void *from, void *registration,
               size_t bytes, uint32_t id, void *context);
    /* Update a number in shared memory at an offset that is a multiple of 8, as is the start of that memory. NULL:
     * where a route has no atomics. */
    int (*update)(cor_wire *wire, int peer, const cor_wire_key *to, size_t offset, const cor_wire_atomic *atomic,
                  void *context);
} cor_wire_memory_ops;

typedef struct cor_wire_ops {
    const char *name;
    const char *summary;

    int (*open)(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault);
    /* A NUL-terminated text of at most COR_WIRE_ADDRESS_MAX - 1 printable characters without spaces; it begins with
     * the name of the wire and the version of its protocol, up to a comma, which all ranks must have alike. */
    void (*address)(cor_wire *wire, char *text);
    /* reached[peer] is set to 1 for every peer this wire reaches and left alone otherwise. */
    int (*connect)(cor_wire *wire, const char *const *addresses, uint8_t *reached, cor_fault *fault);
    /* What does not fit one text follows in further rounds, from 1, after connect(). 1: written. 0: no further round is
     * needed, which all ranks say alike. Optional, both or none. */
    int (*address_more)(cor_wire *wire, int round, char *text);
    int (*connect_more)(cor_wire *wire, int round, const char *const *addresses, cor_fault *fault);
    int (*attach)(cor_wire *wire, cor_fault *fault);
    void (*settle)(cor_wire *wire);
    void (*close)(cor_wire *wire);
    /* This process is going to end without close(): remove what would outlive it. What ends with it stays, for others
     * may still be looking at it. Optional. */
    void (*abandon)(cor_wire *wire);

    void (*route)(cor_wire *wire, int peer, cor_wire_route *route_p);
    /* What there is to say of the way to this peer, a few words. Optional. */
    void (*describe)(cor_wire *wire, int peer, char *out, size_t out_bytes);
    /* Why connect() left out a peer that it should reach, a sentence; nothing, if it is not for this wire to reach.
     * Optional. */
    void (*obstacle)(cor_wire *wire, int peer, char *out, size_t out_bytes);

    /* Send header and payload bytes [offset, offset + bytes). COR_OK: taken, the payload may be reused.
     * COR_AGAIN: no room, nothing was taken. */
    int (*send)(cor_wire *wire, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                size_t bytes);
    /* The same without a copy, for a payload that is plain or can be mapped: the wire may refer to it until zcopy_done
     * or lost. is_last: the last packet of a message; the sender waits for its completion, else there is no hurry.
     * Optional. */
    int (*send_zcopy)(cor_wire *wire, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                      size_t bytes, int is_last);
    /* More packets than one are about to be sent to a peer: between these two they may wait for each other and leave
     * together. Optional, both or none. */
    void (*cork)(cor_wire *wire);
    void (*uncork)(cor_wire *wire, int peer);
    /* The last fence is before us: it is polled as before, for packets that have to be sent again, but a peer that
     * ends in order is not lost any more. Optional. */
    void (*begin_shutdown)(cor_wire *wire);
    /* Has everything that was sent left this rank, as far as it can leave? Optional: it always has. */
    int (*is_flushed)(cor_wire *wire);
    /* Deliver packets that have arrived, a bounded number. `first` names a peer worth asking first, or -1.
     * Returns how many were delivered; events of other sorts count as well. */
    int (*poll)(cor_wire *wire, int first);
    /* The process of this peer, on this host, has ended: deliver what it has sent; nothing is sent to it any more.
     * Optional: for wires that are not told otherwise. */
    void (*peer_ended)(cor_wire *wire, int peer);
    /* This peer sends what no rank may send; `what` it was goes into the sentence. From here on nothing of it is
     * delivered that had not come yet, sends to it fail, and it is told to be lost, at once or by the next poll().
     * Called from deliver() and written() only. */
    void (*reject)(cor_wire *wire, int peer, const char *what);
    const cor_wire_memory_ops *memory; /* NULL: none */
} cor_wire_ops;

struct cor_wire {
    const cor_wire_ops *ops;
    cor_wait_source source; /* what a rank that waits for this wire sleeps on */
    int is_silent;          /* nothing wakes it: the rank naps. Set by settle() at the latest */
};

#endif
