/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The software device: matching and protocols over any mix of wires.
 *
 * A message up to the route's eager limit is sent at once (EAGER); for a longer one the sender first sends a request
 * (RTS), and the data move when the receive is posted. soft.unexpected_max bounds the unexpected messages of a peer
 * that this rank stores: beyond it the sender keeps its messages (soft_flow.c).
 */
#ifndef COR_XXDEV_SOFT_H
#define COR_XXDEV_SOFT_H

#include "base/knob.h"
#include "xxdev/soft/wire.h"
#include "xxdev/xxdev.h"

typedef enum cor_soft_library { COR_SOFT_NO_LIBRARY, COR_SOFT_UCX, COR_SOFT_OFI } cor_soft_library;

typedef struct cor_soft_config {
    size_t unexpected_max_bytes; /* per sending peer */
    int library;                 /* of hybdev, between hosts: cor_soft_library */
} cor_soft_config;

extern const cor_knob_table cor_soft_knobs;

typedef struct cor_soft cor_soft;

/* A wire and its own config struct, which must outlive the device. If a wire was not built, ops is NULL and the rank
 * publishes absent_address in the wire's round, so that ranks that have the wire see that it does not reach this
 * rank. */
typedef struct cor_soft_wire {
    const cor_wire_ops *ops;
    const void *config;
    const char *absent_address;
} cor_soft_wire;

enum { COR_SOFT_WIRES_MAX = 4 };

/*
 * options->settings is a cor_soft_config. The wires are in order of preference: a peer is reached by the first one that
 * can. Each has one round of the set-up, or several. The second wire is opened only if the first does not reach all
 * ranks, and so on, which all ranks decide the same from the addresses: a job on one host opens no socket.
 */
int cor_soft_open(const cor_device_options *options, const char *name, const cor_soft_wire *wires, int wire_count,
                  cor_device **device_p, cor_fault *fault);

/* For tests: the wires that are open. */
cor_wire *cor_soft_wire_at(const cor_device *device, int index);

#endif
