/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks of the software device over one wire in one process, for tests that look at the device itself. */
#ifndef TESTS_UNIT_DEVICE_PAIR_H
#define TESTS_UNIT_DEVICE_PAIR_H

#include "host_pair.h"
#include "xxdev/soft/sm/sm.h"
#include "xxdev/soft/soft.h"
#include "xxdev/soft/tcp/tcp.h"

typedef struct device_pair {
    cor_device *device[2];
    cor_lock lock[2];
    cor_log log[2];
    cor_fault fault[2]; /* why a peer was lost */
    host_pair hosts;
    cor_wait_config wait;
    cor_soft_config soft;
    cor_sm_config sm;
    cor_tcp_config tcp;
    int uses_sockets;
    int patience; /* rounds without events after which nothing happens any more, if the kernel has nothing on the way */
} device_pair;

typedef struct device_pair_options {
    const cor_wire_ops *wire;     /* NULL: shared memory */
    const char *absent_address;   /* of a wire before it, which was not built; NULL: there is none */
    const char *const *overrides; /* knobs, NULL-terminated "name=value", or NULL */
    int log_level;                /* 0: errors only */
    /* May change what the other rank is told of this rank's address. */
    void (*edit)(void *context, int rank, char *address);
    void *context;
    /* As in cor_device_options; NULL: every context holds every peer. */
    int (*holds)(const void *owner, uint32_t context, int peer);
    /* Likewise; NULL: it is never known. */
    int (*has_ended)(const void *owner, int peer);
} device_pair_options;

/* Open both; ends the test if that fails. */
void device_pair_open(device_pair *pair, const char *const *overrides);
void device_pair_open_with(device_pair *pair, const device_pair_options *options);
void device_pair_close(device_pair *pair);

/* Make progress on both sides once; returns how many events. */
int device_pair_step(device_pair *pair);
/* Until nothing happens any more. */
void device_pair_settle(device_pair *pair);

#endif
