/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge to a library of fabrics, UCX or libfabric: what the wire over it asks of it, as a table of functions in
 * the shape of wire.h. It moves packets and offers remote memory; it neither queues packets nor puts them in order.
 *
 * Each bridge is compiled against its library's headers to a shared object, which exports the table and links nothing
 * of ours. It is opened when the wire is.
 *
 * Calls do not overlap and do not block, but for open and close. Where an int is returned, a negative one is an error
 * of the library, which `explain` turns into a text. A call returns COR_FABRIC_DONE: it is over, nothing is told of it
 * any more; COR_FABRIC_STARTED: its end will be told; COR_FABRIC_AGAIN: nothing was started for want of room.
 *
 * Callbacks (cor_fabric_options) come from progress(), peer by peer in no order but that of the library, and may call
 * send, the functions for memory, and no others. The ends of jobs may come from lose() and close() as well.
 */
#ifndef COR_FABRIC_BRIDGE_H
#define COR_FABRIC_BRIDGE_H

#include "xxdev/soft/wire.h"

#include <stddef.h>
#include <stdint.h>

enum { COR_FABRIC_VERSION = 2 };

enum { COR_FABRIC_DONE, COR_FABRIC_STARTED, COR_FABRIC_AGAIN };

typedef struct cor_fabric_library cor_fabric_library;

/* Ahead of the payload of a packet. Few libraries tell the sender, and not all keep packets in order. */
typedef struct cor_fabric_header {
    cor_header packet;
    uint32_t sender, number;
} cor_fabric_header;

/* Something that the library was asked for. It is not moved until its end was told. */
typedef struct cor_fabric_job {
    _Alignas(16) unsigned char own[128]; /* the bridge's own */
} cor_fabric_job;

/* A packet that is sent. The payload lies right behind the header, or elsewhere, and is not changed until the end. */
typedef struct cor_fabric_packet {
    cor_fabric_job job;
    const void *payload;
    size_t bytes;
    cor_fabric_header header;
} cor_fabric_packet;

static inline int cor_fabric_is_contiguous(const cor_fabric_packet *packet)
{
    return packet->payload == (const void *)(&packet->header + 1) || packet->bytes == 0;
}

typedef struct cor_fabric_options {
    int rank, size;
    const char *transports; /* in the library's own words; "": those that its own variables say */
    const char *interface;
    size_t eager_max_bytes; /* the longest message that goes at once, as far as packets are so long */
    size_t get_max_bytes;   /* of long messages, where the bridge reads and writes; beyond it they are put */
    int handles_errors;     /* the library tells of peers that cannot be reached, where it can choose */
    int sleeps;     /* the library shall have a descriptor to sleep on, though that costs time; where it can choose */
    int rendezvous; /* cor_fabric_rendezvous */
    void *wire;     /* for the callbacks: */
    /* A packet is here, valid during the call; the payload need not be aligned. What it says of its sender is not
     * checked yet. */
    void (*arrived)(void *wire, const cor_fabric_header *header, const void *payload, size_t bytes);
    /* Something that is no packet. */
    void (*arrived_odd)(void *wire, size_t bytes);
    /* 0, or the library's error. */
    void (*sent)(cor_fabric_packet *packet, int error);
    void (*copied)(cor_fabric_job *job, int error);
    /* As in wire.h. */
    void (*written)(void *wire, int peer, uint32_t id);
    void (*reject)(void *wire, int peer, const char *what);
    /* This peer cannot be reached any more, though no job need have failed. */
    void (*unreached)(void *wire, int peer, int error);
    /* This rank cannot do `what` ("receive packets") any more, with any peer. */
    void (*failed)(void *wire, const char *what, int error);
    /* Something did not work that ruins nothing: a word for the log. From any call. */
    void (*warn)(void *wire, const char *what, int error);
} cor_fabric_options;

/* How long messages of plain memory move, where the library has a protocol of its own for it. */
typedef enum cor_fabric_rendezvous {
    COR_FABRIC_AUTO,   /* as the bridge likes */
    COR_FABRIC_PIECES, /* in packets */
    COR_FABRIC_LIBRARY /* by the library's */
} cor_fabric_rendezvous;

typedef struct cor_fabric_ops {
    int version;      /* COR_FABRIC_VERSION */
    const char *name; /* "UCX" */
    /* 0, or why not, a sentence. */
    int (*open)(const cor_fabric_options *options, cor_fabric_library **library_p, char *why, size_t why_bytes);
    /* Jobs may be under way; their ends may be told until it returns, and never after. */
    void (*close)(cor_fabric_library *library);
    void (*library_version)(char *out, size_t out_bytes);
    /* What all ranks must choose alike, beside the version, and by which settings: "ofi.provider or FI_PROVIDER". */
    void (*choice)(cor_fabric_library *library, char *out, size_t out_bytes);
    const char *choice_settings;
    /* Which way packets to this peer take, a few words. */
    void (*describe)(cor_fabric_library *library, int peer, char *out, size_t out_bytes);
    void (*explain)(int error, char *out, size_t out_bytes);
    /* Is the cause of this error a lack of something in this process, and not the peer? */
    int (*is_own)(int error);

    /* Of this rank, valid until close(). */
    const void *(*address)(cor_fabric_library *library, size_t *bytes_p);
    /* The address of a peer, which is copied. is_near: it runs on this host. */
    int (*connect)(cor_fabric_library *library, int peer, const void *address, size_t bytes, int is_near);
    /* All addresses are known: get ready to receive. */
    int (*start)(cor_fabric_library *library);
    /* As in wire.h; packets of no peer are longer than packet_max_bytes of all routes. */
    void (*route)(cor_fabric_library *library, int peer, cor_wire_route *route_p);

    /* Send a packet of plain memory at once, without referring to any of it afterwards. COR_FABRIC_AGAIN: it cannot be
     * done so; send() may. */
    int (*send_short)(cor_fabric_library *library, int peer, const cor_fabric_header *header, const void *payload,
                      size_t bytes);
    int (*send)(cor_fabric_library *library, int peer, cor_fabric_packet *packet);
    /* This peer is gone: nothing is sent to it any more, and what waits for it need not end. */
    void (*lose)(cor_fabric_library *library, int peer);
    /* Does something beside jobs of ours still write to memory of ours, or read it, for a peer that was lost? Optional:
     * nothing does. */
    int (*refers)(cor_fabric_library *library, int peer);
    /* What goes to a lost peer or comes from it does not end: from here on the library neither reads nor writes memory
     * of any job, and nothing goes to any peer, nor comes. Jobs need not end. */
    void (*stop)(cor_fabric_library *library);

    /* As in wire.h. `enter` may refuse; there is no get, put or update where the route to the peer says so. */
    int (*enter)(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                 void **registration_p);
    void (*leave)(cor_fabric_library *library, void *registration);
    int (*get)(cor_fabric_library *library, int peer, const cor_wire_key *from, size_t offset, void *to,
               void *registration, size_t bytes, cor_fabric_job *job);
    int (*put)(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset, const void *from,
               void *registration, size_t bytes, uint32_t id, cor_fabric_job *job);
    int (*update)(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset,
                  const cor_wire_atomic *atomic, cor_fabric_job *job);

    int (*progress)(cor_fabric_library *library); /* returns how many events */
    /* A descriptor that is readable when there is progress to make, after arm() has said 1; -1: there is none. */
    int (*descriptor)(cor_fabric_library *library);
    int (*arm)(cor_fabric_library *library); /* 0: make progress first, or some was made */
} cor_fabric_ops;

/* The one symbol that the shared object exports, and its name. */
extern __attribute__((visibility("default"))) const cor_fabric_ops cor_fabric_table;
#define COR_FABRIC_SYMBOL "cor_fabric_table"

#endif
