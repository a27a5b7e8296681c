/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of mpidev, shared by its files. */
#ifndef COR_XXDEV_MPIDEV_STATE_H
#define COR_XXDEV_MPIDEV_STATE_H

#include "base/pool.h"
#include "pmi/boot_values.h"
#include "xxdev/match.h"
#include "xxdev/mpi/mpidev.h"
#include "xxdev/mpi/mpidev_bridge.h"

/* ---- the boot --------------------------------------------------------------------------------------------------- */

typedef struct mpidev_boot {
    cor_boot base;
    const cor_bridge_ops *ops;
    cor_bridge *bridge;
    boot_values *values;
    int is_finalized;
} mpidev_boot;

/* The boot, if mpidev made it, else NULL. */
mpidev_boot *mpidev_boot_of(struct cor_boot *boot);

/* ---- messages on their way -------------------------------------------------------------------------------------- */

/* The header of every message on COR_BRIDGE_SHORT. */
typedef struct mpidev_header {
    uint64_t bytes; /* of the message */
    uint32_t context;
    int32_t tag;
    uint32_t id; /* not 0: the data come on COR_BRIDGE_LONG, with this tag; 0: they follow */
    uint32_t type_class;
} mpidev_header;

/* A header, and a short message, on its way. */
typedef struct mpidev_packet {
    cor_link link;
    cor_bridge_request request;
    cor_transfer *transfer; /* the send that waits until it has left; NULL: none */
    mpidev_header header;   /* the data follow it */
} mpidev_packet;

/* The data of a long message on their way, out or in. */
typedef struct mpidev_stream {
    cor_link link;
    cor_bridge_request request;
    cor_transfer *transfer;
    uint32_t id;
    void *staged; /* a copy that they pass through; NULL: directly from or to memory */
} mpidev_stream;

/* A receive that is posted for any message on COR_BRIDGE_SHORT. */
typedef struct mpidev_slot {
    cor_bridge_request request;
    mpidev_header *packet;
} mpidev_slot;

enum {
    MPIDEV_SLOTS = 32,
    MPIDEV_PACKETS_MAX = 256, /* on their way: beyond that, sends wait for theirs */
};

enum { MPIDEV_POSTED = 1, MPIDEV_MOVING }; /* states of a transfer */

typedef struct mpidev {
    cor_device base;
    const cor_log *log;
    cor_fault *fault;
    const cor_bridge_ops *ops;
    cor_bridge *bridge;
    size_t eager_max_bytes;
    cor_match match;
    cor_pool packets, streams;
    cor_list outbox; /* mpidev_packet, oldest first */
    cor_list moving; /* mpidev_stream */
    mpidev_slot slots[MPIDEV_SLOTS];
    char *slot_memory;
    int next_slot; /* MPI fills them in the order in which they were posted */
    int is_posted;
    uint32_t *free_ids; /* a stack */
    uint32_t free_count, id_count;
} mpidev;

static inline mpidev *mpidev_of(cor_device *device)
{
    return (mpidev *)(void *)device;
}

static inline void mpidev_complete(mpidev *self, cor_transfer *t, int error)
{
    cor_device_complete(&self->base, t, error);
}

/* mpidev_open.c */
extern const cor_device_ops mpidev_ops;
/* The MPI has failed, or there is no memory, where no call could return the error: report it and end the job. */
_Noreturn void mpidev_fail(mpidev *self, const char *what, int error);

/* mpidev_send.c */
int mpidev_isend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
int mpidev_issend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                  const cor_payload *payload);
int mpidev_push_packets(mpidev *self); /* returns how many have left */
void mpidev_sent(mpidev *self, mpidev_stream *stream);

/* mpidev_receive.c */
int mpidev_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
int mpidev_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload);
int mpidev_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p);
int mpidev_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                   cor_message **message_p);
int mpidev_post_slots(mpidev *self, cor_fault *fault);
int mpidev_take_packets(mpidev *self); /* returns how many have arrived */
void mpidev_received(mpidev *self, mpidev_stream *stream);

#endif
