/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events to come of a run in one thread, of which there may be many millions: an alltoall among thousands of ranks.
 * Those that are near are a heap (sim_queue.h), small enough for the caches of a core; the others lie unsorted in
 * buckets, each for a stretch of time twice as long as all before it, and are looked at again when their turn comes. So
 * an event costs much the same however many there are.
 *
 * An event is not earlier than the last one that was taken. Times are not negative.
 */
#ifndef COR_SIM_AGENDA_H
#define COR_SIM_AGENDA_H

#include "xxdev/sim/sim_queue.h"

enum { COR_SIM_AGENDA_BUCKETS = 64 };

/* Zeroed: empty. */
typedef struct cor_sim_agenda {
    cor_sim_event *near;
    size_t near_count, near_room;
    size_t near_most; /* beyond so many the later ones are put off */
    uint64_t until;   /* the key of the last time that is near: see sim_agenda.c */
    struct agenda_piece *buckets[COR_SIM_AGENDA_BUCKETS];
    size_t counts[COR_SIM_AGENDA_BUCKETS]; /* of events in each */
    uint64_t filled;                       /* which of them are not empty, by bits */
    struct agenda_piece *spare;
    size_t memory_bytes; /* that it takes: the most so far */
    int has_failed;      /* memory is out, and events are lost */
} cor_sim_agenda;

void cor_sim_agenda_free(cor_sim_agenda *agenda);

/* Without memory it sets has_failed. */
void cor_sim_agenda_push(cor_sim_agenda *agenda, cor_sim_event event);

/* 0: there is none. */
int cor_sim_agenda_pop(cor_sim_agenda *agenda, cor_sim_event *event_p);

/* Most likely the next one, for a look ahead; NULL: not known. */
static inline const cor_sim_event *cor_sim_agenda_next(const cor_sim_agenda *agenda)
{
    return agenda->near_count > 0 ? agenda->near : NULL;
}

#endif
