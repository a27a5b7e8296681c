/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One trial: every rank starts one operation, to itself, to its neighbour or to each rank, in an epoch of some kind;
 * then all bytes of all windows, of the results, and of the memory around them are compared with what they must be.
 */
#ifndef TESTS_WIN_TRIAL_H
#define TESTS_WIN_TRIAL_H

#include "win_field.h"
#include "win_shapes.h"

typedef enum trial_kind {
    TRIAL_PUT,
    TRIAL_GET,
    TRIAL_ACCUMULATE,
    TRIAL_GET_ACCUMULATE,
    TRIAL_FETCH_AND_OP,
    TRIAL_COMPARE_AND_SWAP,
    TRIAL_RPUT, /* from here on with a request: not for active targets */
    TRIAL_RGET,
    TRIAL_RACCUMULATE,
    TRIAL_RGET_ACCUMULATE,
    TRIAL_KINDS
} trial_kind;

typedef enum trial_sync {
    SYNC_FENCE,
    SYNC_PSCW,
    SYNC_LOCK_SHARED,    /* all targets at once */
    SYNC_LOCK_EXCLUSIVE, /* one after the other */
    SYNC_LOCK_ALL,
    SYNC_FLUSH, /* in lock_all: results and buffers are looked at after the flush */
    SYNC_FLUSH_ALL,
    SYNC_FLUSH_LOCAL,
    SYNC_FLUSH_LOCAL_ALL,
    SYNCS
} trial_sync;

typedef enum trial_targets { TARGETS_SELF, TARGETS_NEXT, TARGETS_ALL, TARGETS_NONE, TARGETS } trial_targets;

typedef struct trial {
    trial_kind kind;
    trial_sync sync;
    trial_targets targets; /* NONE: MPI_PROC_NULL */
    const element *element;
    const operator_row *op; /* of accumulating kinds */
    shape origin, target, result;
    size_t elements; /* about as many; 0 is 0 */
    int is_aligned;  /* at the target, as far as its shape is */
} trial;

/* Does the trial make sense: operator and element, request and synchronization? */
int trial_is_legal(const trial *p);
/* What is not given is drawn at random: kind, sync, targets at -1; element, op at NULL; shapes at -1. All ranks draw
 * the same. */
trial trial_drawn(trial from, uint64_t *random);
extern const trial trial_any; /* nothing given */

/* Collective, with equal arguments; `number` makes the contents different. */
void trial_run(test *t, field *f, const trial *p, uint64_t number);

#endif
