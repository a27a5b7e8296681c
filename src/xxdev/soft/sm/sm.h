/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared-memory wire: between processes of one host and between threads of one process, the same code.
 *
 * Every rank has an area in the memory of the host (wait/host.h), with one channel to each local peer. A channel is a
 * ring of slots, one cache line each, beside a ring of bytes for payloads that do not fit a slot. A channel has one
 * writer and one reader, so no packet takes a lock or an atomic read-modify-write.
 *
 * Channels of fixed size for every pair would need memory proportional to the square of the ranks of a host. So the
 * channels of an area share sm.memory: the more ranks, the shorter the rings, and with them the longest packet and the
 * longest eager message. Up to 8 ranks have rings of full size, 128 ranks have rings of 16 KiB; an area has the same
 * size on every host. Pages are touched only when a pair communicates: the memory of a pair is bounded by
 * cor_sm_pair_bytes. Rings that a rank has not used for a second are returned to the system when it next sleeps.
 *
 * What a dead peer had sent is delivered first; then it is lost (wire.h).
 */
#ifndef COR_SM_H
#define COR_SM_H

#include "base/knob.h"
#include "xxdev/soft/wire.h"

typedef struct cor_sm_config {
    size_t eager_max_bytes;
    size_t ring_bytes;   /* the byte ring of a channel, a power of two */
    size_t chunk_bytes;  /* largest packet; long messages are pipelined in pieces of it */
    int slots;           /* of a channel, a power of two */
    size_t memory_bytes; /* of all channels of an area; ring, slots, chunk and eager limit shrink until they fit */
    int single_copy;     /* auto|never|always: process_vm_readv and _writev for long messages */
    size_t get_max_bytes;
} cor_sm_config;

extern const cor_knob_table cor_sm_knobs;
extern const cor_wire_ops cor_sm_wire;

/* The configuration with rings that fit a host with this many ranks. */
cor_sm_config cor_sm_fit(const cor_sm_config *config, int ranks);
/* The most memory that one directed pair of a host's `ranks` ranks may use, and that all areas of the host use. */
size_t cor_sm_pair_bytes(const cor_sm_config *config, int ranks);
size_t cor_sm_host_bytes(const cor_sm_config *config, int ranks);

#endif
