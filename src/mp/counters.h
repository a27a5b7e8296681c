/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank counts, for tools: one table, from which the performance variables of MPI's tool interface, `corunna
 * info --pvars` and their tests come.
 *
 * Cost. Nearly all rows are plain additions beside what the same step writes anyway, under the rank's lock: two for a
 * message that is sent and two for one that arrives, in memory that is in the cache; others where a message finds no
 * receive, or a rank gives its CPU away. Rows with is_timed need two readings of a clock for each call: they count only
 * while somebody has asked for it (cor_rank_listen), and else cost nothing beyond the branch that statistics need.
 */
#ifndef COR_MP_COUNTERS_H
#define COR_MP_COUNTERS_H

#include "mp/mp.h"

typedef enum cor_counter_class {
    COR_COUNTER_COUNT, /* events, */
    COR_COUNTER_SUM,   /* sums, */
    COR_COUNTER_TIME,  /* and nanoseconds, since the rank was opened */
    COR_COUNTER_LEVEL, /* of now */
    COR_COUNTER_PEAK,  /* the highest level since it was last read, or since the rank was opened */
} cor_counter_class;

/* Where the value stands; for counters.c only. */
typedef enum cor_counter_place {
    COR_COUNTER_IN_PEER,
    COR_COUNTER_IN_DEVICE,
    COR_COUNTER_IN_WAITER,
    COR_COUNTER_IN_RANK
} cor_counter_place;

typedef struct cor_counter {
    const char *name, *topic, *unit;
    cor_counter_class class;
    int is_per_peer; /* a value for each rank of the job, else one */
    int is_timed;
    const char *help;
    cor_counter_place place;
    size_t offset, level_offset; /* of a peak, the level that it begins with again */
} cor_counter;

extern const cor_counter cor_counters[];
extern const size_t cor_counter_count;

/* The topic of those that are about calls, which settings do not have. */
#define COR_COUNTER_CALLS "calls"

/* The rank's values: one, or cor_rank_size(). COR_ERR_FINALIZED: the rank has been finalised. COR_ERR_UNSUPPORTED: its
 * device does not count this. Takes the lock. */
int cor_counter_read(cor_rank *rank, const cor_counter *counter, uint64_t *values);

#endif
