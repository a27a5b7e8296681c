/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of simdev: memory that all ranks of a job share. Places in it are offsets from its beginning, because each
 * process maps it at another address; 0 is none.
 *
 * Everything is done under `mutex`. A rank that waits sleeps on its own bell.
 */
#ifndef COR_XXDEV_SIM_WORLD_H
#define COR_XXDEV_SIM_WORLD_H

#include "xxdev/sim/sim_net.h"
#include "xxdev/sim/sim_queue.h"

#include <pthread.h>
#include <stdatomic.h>

/* The next stage of a letter. The lowest bits of an event's subject contain it. */
typedef enum sim_stage {
    SIM_ANNOUNCED, /* the receiver gets the announcement of a long message */
    SIM_LEAVES,    /* the data go to the port of their node */
    SIM_LEFT,      /* the last byte of a long message has left */
    SIM_HEAD,      /* the first byte is at the port of arrival */
    SIM_THERE,     /* all of it is */
    SIM_WAKE,      /* no letter: a rank that polls continues */
} sim_stage;

enum { SIM_STAGE_BITS = 3 };

/* A letter in the inbox of a rank. */
typedef struct sim_note {
    uint64_t next, letter;
    double time;
    sim_stage stage;
} sim_note;

/* A message on its way. */
typedef struct sim_letter {
    int32_t from, to;
    uint32_t context;
    int32_t tag;
    uint16_t type_class;
    uint8_t is_long;    /* announced first: too long for eager, or synchronous */
    uint8_t references; /* of its two ends */
    uint32_t number;    /* counts messages from this rank to that one, which match in this order */
    uint64_t bytes;
    uint64_t sender, receiver; /* their transfers: addresses in their own processes */
    cor_sim_cost cost;
    sim_note to_receiver, to_sender;
    uint8_t data[];
} sim_letter;

typedef struct sim_seat {
    _Alignas(64) _Atomic uint32_t bell;
    uint32_t sleepers; /* threads that wait; 0: the rank runs */
    int has_left;
    double clock;
    uint64_t pushed; /* events so far */
    uint64_t polls;  /* so far; only the SIM_WAKE event with this number counts */
    uint64_t first_note, last_note;
} sim_seat;

enum { SIM_CLASSES = 48 }; /* of sizes of memory, each twice the last */

typedef struct sim_world {
    pthread_mutex_t mutex;
    cor_sim_net net;
    size_t bytes, used;
    uint64_t free[SIM_CLASSES]; /* linked through their first word */
    int running;                /* ranks that neither wait nor have left */
    int is_stuck;               /* reported: all wait, and nothing is on its way */
    uint64_t events, seats, out_ports, in_ports;
    size_t event_count, event_room;
} sim_world;

static inline void *sim_at(const sim_world *world, uint64_t place)
{
    return (char *)(uintptr_t)world + place;
}

static inline uint64_t sim_place(const sim_world *world, const void *thing)
{
    return (uint64_t)((const char *)thing - (const char *)world);
}

static inline sim_seat *sim_seat_of(const sim_world *world, int rank)
{
    return (sim_seat *)sim_at(world, world->seats) + rank;
}

/* Make a world of memory that is zero. COR_ERR_MEMORY: it is too small for the number of ranks. */
int cor_sim_world_init(sim_world *world, size_t bytes, const cor_sim_net *net, cor_fault *fault);

void cor_sim_lock(sim_world *world);
void cor_sim_unlock(sim_world *world);

/* ---- all under the lock
 * --------------------------------------------------------------------------------------------- */

/* 0: no room. */
uint64_t cor_sim_take(sim_world *world, size_t bytes);
void cor_sim_give(sim_world *world, uint64_t place, size_t bytes);

/* Reserve room for `count` more events. 0: no room. */
int cor_sim_reserve(sim_world *world, size_t count);

/* Push an event of a letter at this time, numbered by rank `whose`. Room was made by cor_sim_reserve. */
void cor_sim_push(sim_world *world, int whose, sim_stage stage, double time, uint64_t subject);

/* Wake the sleeping threads of this rank, without an event. */
void cor_sim_wake(sim_world *world, int rank);
/* This rank begins to wait, or leaves for good: cor_sim_advance comes next. */
void cor_sim_rest(sim_world *world, int rank);
void cor_sim_leave(sim_world *world, int rank);

/* If no rank runs: handle events until one does, or there are none. Returns 1 if all ranks wait for ever. */
int cor_sim_advance(sim_world *world);

#endif
