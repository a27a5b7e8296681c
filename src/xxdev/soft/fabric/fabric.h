/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the wires over a library of fabrics share: soft/ucx and soft/ofi, each a bridge (fabric_bridge.h) and a row
 * (COR_FABRIC_WIRE).
 *
 *   Set-up      Each rank opens the library and exchanges its version, what it chose and its address there. An address
 *               is bytes, and often longer than one text: round 0 says how long it is, the others bring it in
 *               hexadecimal digits.
 *   Packets     have the sender's rank and a number ahead of them. Short ones are handed over from where they lie;
 *               others are copied to a frame, of which a few per peer may be under way. Those that the library has no
 *               room for wait in a queue per peer, in order, so that a send is taken while a connection is being made.
 *               The receiver delivers them by their numbers, from the library's memory; those that come early are kept
 *               in frames.
 *   Itself      A rank delivers to itself by a queue: no library promises when such a packet arrives.
 *   Gaps        A packet that never comes, though later ones do in each of several looks at the peer, is the loss of
 *               the peer. So is too much that came early.
 *   Zero-copy   Pieces of plain memory are handed over from where they lie.
 *   Memory      is the library's (the README of each bridge).
 *   Deaths      are reported by the library, or by a send that fails. For a peer on this host the kernel is asked for
 *               a while first, since it says more. A rank that has waited for a peer for a second sends it an empty
 *               packet to be answered, so that the library has reason to look, and asks whether its process has
 *               ended. What goes on with a lost peer in memory of the program ends before the loss is told; what does
 *               not end in two seconds is stopped with the library, and all peers are lost.
 *   Sleep       on the library's descriptor. Where that is always readable, as while UCX 1.13 waits for a TCP
 *               connection to be accepted, or where there is none, the rank polls between naps.
 */
#ifndef COR_FABRIC_H
#define COR_FABRIC_H

#include "base/knob.h"
#include "xxdev/plugin.h"
#include "xxdev/soft/wire.h"

enum { COR_FABRIC_TEXT_MAX = 64 };

/* Of either library. */
typedef struct cor_fabric_config {
    char transports[COR_FABRIC_TEXT_MAX];
    char interface[COR_FABRIC_TEXT_MAX];
    size_t eager_max_bytes;
    size_t get_max_bytes;
    int sleeps;
    int handles_errors;
    int rendezvous; /* cor_fabric_rendezvous */
} cor_fabric_config;

/* A library, and what its environment must say before it is loaded, for a job of so many ranks. */
typedef struct cor_fabric_kind {
    cor_plugin plugin;
    const char *knobs; /* "ofi": the first word of its settings */
    void (*prepare)(int size);
} cor_fabric_kind;

/* Set a variable of the environment, unless it is set; the memory is never given back. */
void cor_fabric_set_default(const char *name, const char *value);

/* Can a device use the library? COR_ERR_UNSUPPORTED. */
int cor_fabric_check(const cor_fabric_kind *kind, const char *device, cor_fault *fault);

/* The wire; options->config is a cor_fabric_config. */
int cor_fabric_open(const cor_wire_options *options, const cor_wire_ops *ops, const cor_fabric_kind *kind,
                    cor_wire **wire_p, cor_fault *fault);
void cor_fabric_address(cor_wire *base, char *text);
int cor_fabric_connect(cor_wire *base, const char *const *texts, uint8_t *reached, cor_fault *fault);
int cor_fabric_address_more(cor_wire *base, int round, char *text);
int cor_fabric_connect_more(cor_wire *base, int round, const char *const *texts, cor_fault *fault);
int cor_fabric_attach(cor_wire *base, cor_fault *fault);
void cor_fabric_settle(cor_wire *base);
void cor_fabric_close(cor_wire *base);
void cor_fabric_route(cor_wire *base, int peer, cor_wire_route *route_p);
void cor_fabric_describe(cor_wire *base, int peer, char *out, size_t out_bytes);
int cor_fabric_send(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                    size_t bytes);
int cor_fabric_send_zcopy(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload,
                          size_t offset, size_t bytes, int is_last);
void cor_fabric_begin_shutdown(cor_wire *base);
int cor_fabric_is_flushed(cor_wire *base);
int cor_fabric_poll(cor_wire *base, int first);
void cor_fabric_peer_ended(cor_wire *base, int peer);
void cor_fabric_reject(cor_wire *base, int peer, const char *what);
extern const cor_wire_memory_ops cor_fabric_memory;

/* The row of a wire. */
#define COR_FABRIC_WIRE(wire_name, words, open_function)                                                              \
    {                                                                                                                 \
        .name = wire_name, .summary = words, .open = open_function, .address = cor_fabric_address,                    \
        .connect = cor_fabric_connect, .address_more = cor_fabric_address_more,                                       \
        .connect_more = cor_fabric_connect_more, .attach = cor_fabric_attach, .settle = cor_fabric_settle,            \
        .close = cor_fabric_close, .route = cor_fabric_route, .describe = cor_fabric_describe,                        \
        .send = cor_fabric_send, .send_zcopy = cor_fabric_send_zcopy, .begin_shutdown = cor_fabric_begin_shutdown,    \
        .is_flushed = cor_fabric_is_flushed, .poll = cor_fabric_poll, .peer_ended = cor_fabric_peer_ended,            \
        .reject = cor_fabric_reject, .memory = &cor_fabric_memory,                                                    \
    }

#endif
