/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The future events of a run in one thread, of which there may be many millions: an alltoall among thousands of ranks.
 * The near ones are in a heap (sim_queue.h), small enough for the caches of a core; the others are unsorted in buckets,
 * each for an interval of time twice as long as all before it, and are sorted when their interval comes. So the cost of
 * an event hardly depends on their number.
 *
 * An event is never earlier than the last one removed. Times are not negative.
 */
#ifndef COR_SIM_AGENDA_H
#define COR_SIM_AGENDA_H

#include "xxdev/sim/sim_queue.h"

enum { COR_SIM_AGENDA_BUCKETS = 64 };

/* Zeroed: empty. */
typedef struct cor_sim_agenda {
    cor_sim_event *near;
    size_t near_count, near_room;
    size_t near_most; /* beyond this number later ones are moved to buckets */
    uint64_t until;   /* the key of the last time that is near: see sim_agenda.c */
    struct agenda_piece *buckets[COR_SIM_AGENDA_BUCKETS];
    size_t counts[COR_SIM_AGENDA_BUCKETS]; /* of events in each */
    uint64_t filled;                       /* bit set: the bucket is not empty */
    struct agenda_piece *spare;
    size_t memory_bytes; /* used: the maximum so far */
    int has_failed;      /* out of memory, and events are lost */
} cor_sim_agenda;

void cor_sim_agenda_free(cor_sim_agenda *agenda);

/* Without memory it sets has_failed. */
void cor_sim_agenda_push(cor_sim_agenda *agenda, cor_sim_event event);

/* 0: empty. */
int cor_sim_agenda_pop(cor_sim_agenda *agenda, cor_sim_event *event_p);

/* Most likely the next event, for prefetching; NULL: not known. */
static inline const cor_sim_event *cor_sim_agenda_next(const cor_sim_agenda *agenda)
{
    return agenda->near_count > 0 ? agenda->near : NULL;
}

#endif
