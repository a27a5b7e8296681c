/*
 * The shared-memory wire: between processes of one host and between threads of one process, the same code.
 *
 * Every rank owns an inbox: a doorbell, and one channel per local peer that writes to it. A channel is a ring of
 * slots, one cache line each, beside a ring of bytes for payloads that do not fit a slot. A channel has one writer
 * and one reader, so no packet takes a lock or an atomic read-modify-write.
 *
 * The inbox is a memfd that the peers map through /proc/<pid>/fd (or, where that cannot be, a 0600 file unlinked as
 * soon as everybody has mapped it), or plain memory when all peers are threads of this process. A memfd never outlives
 * the processes; a file could only if all of them were killed while they start. Pages are touched only when a pair
 * talks: the memory of a pair is bounded by cor_sm_pair_bytes.
 */
#ifndef COR_SM_H
#define COR_SM_H

#include "base/knob.h"
#include "xxdev/wire.h"

typedef struct cor_sm_config {
    size_t eager_max_bytes;
    size_t ring_bytes;  /* the byte ring of a channel, a power of two */
    size_t chunk_bytes; /* largest packet; long messages are pipelined in pieces of it */
    int slots;          /* of a channel, a power of two */
    int single_copy;    /* auto|never|always: process_vm_readv for long messages */
    int segment;        /* memfd|file */
} cor_sm_config;

extern const cor_knob_table cor_sm_knobs;
extern const cor_wire_ops cor_sm_wire;

/* Memory one directed pair of ranks may use, and all the inboxes of a host with `ranks` ranks, at most. */
size_t cor_sm_pair_bytes(const cor_sm_config *config);
size_t cor_sm_host_bytes(const cor_sm_config *config, int ranks);

#endif
