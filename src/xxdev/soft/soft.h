/*
 * The software device: matching and protocols over any mix of wires.
 *
 * A message up to the route's eager limit goes at once (EAGER); a longer one first asks (RTS) and moves when the receive
 * is there. soft.unexpected_max bounds what a peer can make this rank store: beyond it the sender keeps its messages
 * (soft_flow.c).
 */
#ifndef COR_XXDEV_SOFT_H
#define COR_XXDEV_SOFT_H

#include "base/knob.h"
#include "xxdev/soft/wire.h"
#include "xxdev/xxdev.h"

typedef struct cor_soft_config {
    size_t unexpected_max_bytes; /* per sending peer */
    int spin_us;
    int yields;
} cor_soft_config;

extern const cor_knob_table cor_soft_knobs;

typedef struct cor_soft_options {
    const char *name; /* of the device: "smdev" */
    int rank, size;
    cor_lock *lock; /* NULL: one thread at a time */
    const cor_log *log;
    int defers_losses; /* of a lost peer nothing is logged, below COR_LOG_INFO, before cor_soft_tell_lost */
    const cor_soft_config *config;
    cor_fault *fault; /* gets, under the lock, why a peer was lost when something fails for it; may be NULL */
    /* May a message of this context come from this peer: is it one of the group? Asked, under the lock, only when a
     * peer was lost or has long been waited for. NULL: every context holds every peer. */
    int (*holds)(const void *owner, uint32_t context, int peer);
    const void *owner;
} cor_soft_options;

typedef struct cor_soft cor_soft;

/* Log, with the lock held, which peers are lost, if that was deferred. */
void cor_soft_tell_lost(cor_device *device);

/* Set-up mirrors the wires': open, then cor_soft_add_wire for each, then per wire connect / attach / settle with
 * fences between (the caller owns the exchange), then cor_soft_ready. close() of the device closes the wires. */
int cor_soft_open(const cor_soft_options *options, cor_device **device_p, cor_fault *fault);
int cor_soft_add_wire(cor_device *device, const cor_wire_ops *wire, const void *config, cor_fault *fault);
int cor_soft_wire_count(const cor_device *device);
cor_wire *cor_soft_wire(const cor_device *device, int index);
/* `reached[i]` of wire i was filled by its connect. Every peer gets the first wire that reaches it. */
int cor_soft_ready(cor_device *device, uint8_t *const *reached, cor_fault *fault);

#endif
