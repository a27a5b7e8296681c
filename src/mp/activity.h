/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank is doing, for its record (trace/record.h).
 *
 * It has two independent parts:
 *
 * - An *activity* describes a wait. A call that has to wait keeps a short description on its stack and links to it
 *   (cor_monitor.waits). The description is written to the record only when spinning and yielding have not helped
 *   (cor_device_idle). This is always on. Budget: some stores, made while the call waits anyway.
 *
 * - A *measure* is the time of a whole call, and how much of it was waiting. It is added to the counters and the events
 *   of the record in jobs that were started with --stats or --trace, and reported to tools (call_report.h). Budget in
 *   all others: one word that is in the cache, and a branch that is never taken.
 *
 * Callers of both hold the rank's lock.
 */
#ifndef COR_MP_ACTIVITY_H
#define COR_MP_ACTIVITY_H

#include "mp/call_report.h"
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
    /* Set when the activity is written to the record. */
    uint64_t since_ns;
    cor_link link; /* cor_rank.told */
} cor_activity;

/* The part of a rank that its calls write. */
struct cor_monitor {
    cor_wait_watch waits; /* of the device; `wait` is a cor_activity, NULL whenever a call releases the lock */
    uint64_t coll_last;   /* the last collective call: its number from 1 on, and in the lower half its context */
    int is_measured;      /* calls measure their time */
    /* For tools (call_report.h). Sums of measured calls: */
    uint64_t calls, ticks, waited;
    cor_listen_fn listener; /* NULL: none */
    void *listener_subject;
};

/* Remove an activity that was written to the record. */
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

/* Continue the current wait, for another peer. */
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
/* May release the lock meanwhile, as a wait does, for a tool that listens. */
void cor_measure_stop(const cor_comm *comm, uint64_t begin, cor_traced call, int peer, int tag, size_t bytes)
    __attribute__((noinline));
/* A message of the program to this rank of the job, for the matrix. */
void cor_measure_send(const cor_comm *comm, int peer, size_t bytes) __attribute__((noinline));
/* The call that is measured uses this algorithm; the name lasts as long as the rank. */
void cor_measure_algorithm(const cor_comm *comm, const char *name) __attribute__((noinline));
/* The waiting part of a measured call: from now on until the call ends (cor_measure_wait), or added up in parts, each
 * since a value of cor_measure_ticks. */
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

/* After the device is open; without a record nothing is written or measured. */
void cor_rank_record_open(cor_rank *rank, cor_face face);
/* From here on the rank is in MPI_Finalize, where it may wait for all others outside of the device. */
void cor_rank_record_finalize(cor_rank *rank);
/* Close the rank's record, before the rest of the rank is freed; also after a failure. */
void cor_rank_record_close(cor_rank *rank);
/* The job is aborted, by a rank that is a thread: its process may end any moment. */
void cor_rank_record_abort(cor_rank *rank);

#endif
