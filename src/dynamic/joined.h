/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot of a job that is made of two: its ranks exchange values and do fences over the communicator of their own
 * side and the bridge between the two roots. The members of the first side come first.
 */
#ifndef COR_DYNAMIC_JOINED_H
#define COR_DYNAMIC_JOINED_H

#include "dynamic/bridge.h"
#include "mp/create/intercomm.h"
#include "mp/mp.h"
#include "pmi/boot.h"

typedef struct joined_sides {
    cor_comm *local;        /* a communicator that nothing else uses; taken over */
    int root;               /* of it: the member with the bridge */
    dynamic_bridge *bridge; /* at the root, taken over; else NULL */
    int is_first;
    int remote_size;
} joined_sides;

/* NULL: no memory, and nothing is taken over. */
cor_boot *joined_boot_create(const joined_sides *sides);

/* These messages, and all that the boot exchanges, are sealed inside the job (mp/identity.h), because they contain
 * secrets. */

/* The root sends all others of its side its result, and on success `bytes` more bytes. Returns the root's code, or the
 * failure of this broadcast; the fault is the root's. */
int joined_share(cor_comm *local, int root, int code, void *data, size_t bytes, cor_fault *fault);

/* As cor_meeting_exchange. */
int joined_exchange_sealed(const cor_meeting *meeting, const void *out, void *in, size_t bytes, cor_fault *fault);

#endif
