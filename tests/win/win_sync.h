/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs of a trial: whom a rank has access to, and who has access to it. */
#ifndef TESTS_WIN_SYNC_H
#define TESTS_WIN_SYNC_H

#include "win_trial.h"

typedef struct epoch {
    const test *t;
    MPI_Win win;
    trial_sync sync;
    const int *targets, *origins;
    int target_count, origin_count;
} epoch;

void epoch_begin(const epoch *e);
/* Around the operations on one target, by its number in targets. */
void epoch_enter(const epoch *e, int number);
void epoch_leave(const epoch *e, int number);
/* After the operations on all. */
void epoch_flush(const epoch *e);
void epoch_end(const epoch *e);
/* Are results there, and may buffers be used again, before the end of the epoch? */
int epoch_has_flushed(const epoch *e);

#endif
