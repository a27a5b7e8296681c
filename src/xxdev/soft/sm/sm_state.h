/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's end of the wire: private memory, used under the rank's lock. */
#ifndef COR_SM_STATE_H
#define COR_SM_STATE_H

#include "xxdev/soft/sm/sm.h"
#include "xxdev/soft/sm/sm_layout.h"

#include <sys/types.h>

/* The writing end of a channel in this rank's area. */
typedef struct sm_writer {
    sm_slot *slots;
    char *ring;
    sm_channel *channel;
    sm_area *area; /* of the reader, to announce the writer there */
    cor_host_seat *seat;
    int index;           /* of the reader on this host */
    uint32_t sent;       /* packets */
    uint32_t taken_seen; /* slots_taken as last read */
    uint64_t bytes_sent; /* position in the byte ring */
    uint64_t bytes_taken_seen;
    int is_announced;
    int is_closed; /* the reader has ended */
} sm_writer;

/* The reading end of a channel in a peer's area. */
typedef struct sm_reader {
    sm_slot *slots;
    char *ring;
    sm_channel *channel;
    uint32_t taken;
    uint64_t bytes_taken;
    int peer;
    int is_active;
} sm_reader;

/* A local rank, by its number on the host (wait/host.h). */
typedef struct sm_peer {
    sm_writer writer;
    sm_reader reader;
} sm_peer;

/* State of sm_idle.c for the ring to a local rank: positions of the writer. */
typedef struct sm_idle {
    uint64_t seen;       /* at the last check */
    uint64_t given_back; /* when the ring was last returned to the system */
} sm_idle;

typedef struct sm_wire {
    cor_wire base;
    cor_wire_options options;
    cor_sm_config config;
    cor_host *host;
    const int *index_of; /* the host's */
    uint32_t slot_mask;
    uint64_t ring_mask;

    sm_shape shape;
    sm_area *area; /* this rank's */
    sm_peer *peers;
    sm_idle *idle; /* by local rank */
    uint64_t next_look_ns;

    sm_reader **active; /* channels that were ever used */
    int active_count, next_active;
    uint32_t announcements_seen;
    uint32_t polls;

    int can_single_copy;
    int prefers_ring; /* long messages do not use it */
    int is_traceable; /* the peers have permission to read this rank's memory */
} sm_wire;

static inline sm_wire *sm_of(cor_wire *base)
{
    return (sm_wire *)(void *)base;
}

static inline sm_area *sm_area_of(const sm_wire *wire, int index)
{
    return wire->host->peers[index].area;
}

/* sm_packet.c: the data path. */
int sm_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
            size_t bytes);
int sm_poll(cor_wire *base, int first);
int sm_arm(cor_wait_source *source);
void sm_peer_ended(cor_wire *base, int rank);
void sm_reject(cor_wire *base, int rank, const char *what);

/* sm_idle.c: before this rank sleeps: return memory to the system that it has not used for long. */
void sm_give_back_idle(sm_wire *wire);

/* sm_copy.c: the single cross-process copy. */
extern const cor_wire_memory_ops sm_memory;
uint32_t sm_copy_percent(const cor_log *log); /* the time of a single copy, in percent of a memcpy */

/* sm_trace.c: the common ancestor process of all ranks of the host, where that matters; 0: none, or it does not
 * matter. */
pid_t sm_trace_ancestor(const sm_wire *wire);
/* Permit the peers to read this rank's memory, where the kernel requires that. Returns whether they can; 0: they
 * cannot. */
int sm_trace_permit(sm_wire *wire, int is_forced);
void sm_trace_forbid(sm_wire *wire); /* withdraw the permission */

#endif
