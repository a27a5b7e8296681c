/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank is doing, for its record (trace/record.h).
 *
 * Two things, which do not know each other:
 *
 * - An *activity* describes a wait. A call that has to wait describes itself in a few words on its stack and notes
 * where
 *   they are; the words reach the record only when spinning and yielding have not helped (cor_device_idle).
 *   This is always on. Budget: some stores, made while the call waits anyway.
 *
 * - A *measure* is of a whole call: its time, and how much of it was waiting. It reaches the counters and the events of
 *   the record, in jobs that were started with --stats or --trace. Budget otherwise: one word that is at hand, and a
 *   branch that is never taken.
 *
 * Both with the rank's lock held.
 */
#ifndef COR_MP_ACTIVITY_H
#define COR_MP_ACTIVITY_H

#include "mp/comm_layout.h"
#include "trace/record.h"

/* ---- activities ------------------------------------------------------------------------------------------------- */

typedef struct cor_activity {
    struct cor_activity *outer; /* the call that this one is part of, or NULL */
    uint16_t call;              /* cor_traced */
    uint8_t way;                /* cor_now_way */
    uint8_t is_told;
    int32_t peer, tag; /* as in cor_now */
    const cor_comm *comm;
    size_t bytes;
    /* Once it is told. */
    uint64_t since_ns;
    cor_link link; /* cor_rank.told */
} cor_activity;

/* The part of a rank that its calls write. */
struct cor_monitor {
    cor_wait_watch waits; /* of the device; `wait` is a cor_activity, NULL whenever a call releases the lock */
    uint64_t coll_last;   /* the last collective call: its number from 1 on, and in the lower half its context */
    int is_measured;      /* calls take their time */
};

/* It has reached the record: take it out again. */
void cor_activity_forget(cor_monitor *monitor, cor_activity *activity) __attribute__((cold, noinline));

static inline void cor_activity_begin(cor_monitor *monitor, cor_activity *activity, const cor_comm *comm,
                                      cor_traced call, cor_now_way way, int peer, int tag, size_t bytes)
{
    activity->outer = monitor->waits.wait;
    activity->call = (uint16_t)call;
    activity->way = (uint8_t)way;
    activity->is_told = 0;
    activity->peer = peer;
    activity->tag = tag;
    activity->comm = comm;
    activity->bytes = bytes;
    monitor->waits.wait = activity;
}

static inline void cor_activity_end(cor_monitor *monitor, cor_activity *activity)
{
    monitor->waits.wait = activity->outer;
    if (COR_UNLIKELY(activity->is_told))
        cor_activity_forget(monitor, activity);
}

/* The wait goes on, for another peer. */
static inline void cor_activity_turn(const cor_monitor *monitor, cor_now_way way, int peer, int tag)
{
    cor_activity *activity = monitor->waits.wait;
    if (activity) {
        activity->way = (uint8_t)way;
        activity->peer = peer;
        activity->tag = tag;
    }
}

/* ---- measures --------------------------------------------------------------------------------------------------- */

uint64_t cor_measure_start(cor_monitor *monitor) __attribute__((noinline));
void cor_measure_stop(const cor_comm *comm, uint64_t begin, cor_traced call, int peer, int tag, size_t bytes)
    __attribute__((noinline));
/* A message of the program to this rank of the job, for the matrix. */
void cor_measure_send(const cor_comm *comm, int peer, size_t bytes) __attribute__((noinline));
/* The call that is measured uses this algorithm; the name lasts as long as the rank. */
void cor_measure_algorithm(const cor_comm *comm, const char *name) __attribute__((noinline));
/* Waiting, as part of a measured call: from now on until the call ends, or in parts. */
void cor_measure_wait(cor_monitor *monitor) __attribute__((noinline));
uint64_t cor_measure_ticks(const cor_monitor *monitor);
void cor_measure_waited(cor_monitor *monitor, uint64_t since) __attribute__((noinline));

/* 0: this job is not measured; else the beginning, for cor_measure_end. */
static inline uint64_t cor_measure_begin(cor_monitor *monitor)
{
    return COR_UNLIKELY(monitor->is_measured) ? cor_measure_start(monitor) : 0;
}

/* `peer` is a rank of the job, or as in cor_now. */
static inline void cor_measure_end(const cor_comm *comm, uint64_t begin, cor_traced call, int peer, int tag,
                                   size_t bytes)
{
    if (COR_UNLIKELY(begin))
        cor_measure_stop(comm, begin, call, peer, tag, bytes);
}

/* ---- the rank's record (activity.c) ----------------------------------------------------------------------------- */

/* After the device is open; without a record nothing is told or measured. */
void cor_rank_record_open(cor_rank *rank, cor_face face);
/* From here on the rank is in MPI_Finalize, where it may wait for all others outside of the device. */
void cor_rank_record_finalize(cor_rank *rank);
/* The rank ends, well or not. Before the rest of it goes. */
void cor_rank_record_close(cor_rank *rank);
/* The job is aborted, by a rank that is a thread: its process may end any moment. */
void cor_rank_record_abort(cor_rank *rank);

#endif
