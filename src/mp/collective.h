/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mp gives to the collective operations: the members of a communicator and their messages, waiting, losses,
 * settings, the sentence of a failure, requests that take several steps, and a place for data of their own. They need
 * no other internals of mp.
 *
 * Everything here is called with the rank's lock held, except cor_comm_enter, cor_comm_enter_open and the functions
 * that only read settings.
 */
#ifndef COR_MP_COLLECTIVE_H
#define COR_MP_COLLECTIVE_H

#include "mp/activity.h"
#include "mp/coll_config.h"
#include "mp/comm_layout.h"
#include "mp/win_config.h"
#include "xxdev/closing.h"

/* ---- the lock --------------------------------------------------------------------------------------------------- */

static inline void cor_comm_enter(const cor_comm *comm)
{
    cor_device_enter(comm->device);
}

static inline void cor_comm_leave(const cor_comm *comm)
{
    cor_device_leave(comm->device);
}

/* For a call of the program: COR_ERR_FINALIZED, without the lock, if the rank has been finalised. */
static inline int cor_comm_enter_open(const cor_comm *comm)
{
    cor_device_enter(comm->device);
    if (COR_LIKELY(!cor_device_is_closed(comm->device)))
        return COR_OK;
    cor_device_leave(comm->device);
    return COR_ERR_FINALIZED;
}

/* ---- settings and failures -------------------------------------------------------------------------------------- */

const cor_coll_config *cor_rank_coll_config(const cor_rank *rank);
const cor_win_config *cor_rank_win_config(const cor_rank *rank);
const cor_log *cor_rank_log(const cor_rank *rank);
/* Is memory that ranks share to be a file? */
int cor_rank_wants_file(const cor_rank *rank);
/* Where functions of the rank leave the sentence of a failure (cor_rank_fault). */
cor_fault *cor_rank_fault_place(cor_rank *rank);
cor_fault *cor_comm_fault_place(const cor_comm *comm); /* its owner's */

/* ---- coll's own data -------------------------------------------------------------------------------------------- */

/* With a rank and with a communicator; freed with it, the latter under the lock. NULL: not set yet. */
void *cor_rank_coll(const cor_rank *rank);
void cor_rank_set_coll(cor_rank *rank, void *data, void (*free_fn)(void *data));
void cor_comm_set_coll(cor_comm *comm, void *data, void (*free_fn)(void *data));

/* A window's or file's own communicator, for one that the program leaves open: subject_end (or NULL) is called in
 * Finalize, without the lock, when no other thread of the rank is in a call, before the device and the host are closed;
 * subject_free when the rank is destroyed. NULL: it has been freed. */
static inline void cor_comm_set_subject(cor_comm *comm, void *subject, void (*subject_end)(void *subject),
                                        void (*subject_free)(void *subject))
{
    comm->subject = subject;
    comm->subject_end = subject_end;
    comm->subject_free = subject_free;
}

static inline void *cor_comm_coll(const cor_comm *comm)
{
    return comm->coll;
}

/* Keep a communicator until the rank is destroyed. */
void cor_comm_keep(cor_comm *comm);

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* The context of collective operations: the communicator's second one. */
static inline uint32_t cor_comm_coll_context(const cor_comm *comm)
{
    return comm->context + 1;
}

/* Of cards of partitioned messages; the next one is of their pieces. */
enum { COR_CONTEXT_PARTITIONED = 0xc000 };

static inline uint32_t cor_comm_partitioned_context(const cor_comm *comm)
{
    return comm->context | COR_CONTEXT_PARTITIONED;
}

/* Start a transfer in the context of collective operations, as xxdev.h says. `peer` is a rank of the job (group.h). */
static inline int cor_internal_isend(const cor_comm *comm, cor_transfer *t, int peer, int tag,
                                     const cor_payload *payload)
{
    return comm->device->ops->isend(comm->device, t, peer, cor_comm_coll_context(comm), tag, payload);
}

static inline int cor_internal_irecv(const cor_comm *comm, cor_transfer *t, int peer, int tag,
                                     const cor_payload *payload)
{
    return comm->device->ops->irecv(comm->device, t, peer, cor_comm_coll_context(comm), tag, payload);
}

/* Notify the receiver of a message that it will not come, because a member is lost. */
static inline void cor_internal_abandon(const cor_comm *comm, int peer, int tag)
{
    comm->device->ops->notify_failure(comm->device, peer, cor_comm_coll_context(comm), tag);
}

static inline void cor_internal_cancel(const cor_comm *comm, cor_transfer *t)
{
    comm->device->ops->cancel(comm->device, t);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* Around the waits of a collective call, for others to see (activity.h); cor_activity_end ends it. */
static inline void cor_comm_wait_begin(const cor_comm *comm, cor_activity *activity)
{
    cor_activity_begin(comm->monitor, activity, comm, (cor_traced)comm->coll_call, COR_WAY_NONE, COR_NOW_MEMBERS,
                       comm->coll_root, 0);
}

/* Make progress; `hint` is a rank of the job worth polling first, or -1. If nothing happened, spin, yield or sleep
 * (cor_device_idle). `idle` is zero at the beginning of a wait. */
static inline void cor_comm_progress(const cor_comm *comm, int hint, cor_idle_state *idle)
{
    uint64_t since = COR_UNLIKELY(comm->monitor->is_measured) ? cor_measure_ticks(comm->monitor) : 0;
    cor_activity *activity = comm->monitor->waits.wait;
    if (hint >= 0 && activity)
        activity->peer = hint;
    if (cor_device_progress(comm->device, hint) > 0)
        *idle = (cor_idle_state){0};
    else
        cor_device_idle(comm->device, idle);
    if (COR_UNLIKELY(since))
        cor_measure_waited(comm->monitor, since);
}

/* Flush what was sent, before a blocking call returns. */
static inline void cor_comm_flush(const cor_comm *comm)
{
    cor_device_flush(comm->device);
}

/* Add a progress hook: from now on all progress of the rank calls it. */
static inline void cor_comm_follow(const cor_comm *comm, cor_follower *follower)
{
    cor_list_append(&comm->device->followers, &follower->link);
}

/* Wait for memory that another member changes, as cor_device_wait_until; and wake the member that waits for it. */
static inline int cor_comm_wait_until(const cor_comm *comm, cor_until until, uint32_t lost_seen)
{
    uint64_t since = COR_UNLIKELY(comm->monitor->is_measured) ? cor_measure_ticks(comm->monitor) : 0;
    int rc = COR_OK;
    if (!cor_device_burst_until(comm->device, &until)) { /* most waits are shorter than their description */
        cor_activity activity;
        cor_comm_wait_begin(comm, &activity);
        rc = cor_device_wait_until(comm->device, until, lost_seen);
        cor_activity_end(comm->monitor, &activity);
    }
    if (COR_UNLIKELY(since))
        cor_measure_waited(comm->monitor, since);
    return rc;
}

static inline void cor_comm_nudge(const cor_comm *comm, int rank)
{
    cor_device_nudge(comm->device, cor_comm_peer(comm, rank));
}

/* Whether the host has fewer CPUs than ranks; and the same if all ranks of the job are on it. Neither changes. */
static inline int cor_comm_is_oversubscribed(const cor_comm *comm)
{
    return comm->device->is_oversubscribed;
}

static inline int cor_comm_is_job_oversubscribed(const cor_comm *comm)
{
    return comm->device->is_job_oversubscribed;
}

/* ---- what others see -------------------------------------------------------------------------------------------- */

static inline int cor_comm_is_measured(const cor_comm *comm)
{
    return comm->monitor->is_measured;
}

/* The name of the call that the communicator is in, and its root. */
static inline void cor_comm_set_call(cor_comm *comm, cor_traced call, int root)
{
    comm->coll_call = (uint16_t)call;
    comm->coll_root = root;
}

/* Begin a blocking call, the communicator's call `number`. Its waits are described by these arguments. Budget: three
 * stores. */
static inline uint64_t cor_comm_call_begin(cor_comm *comm, cor_traced call, int root, uint32_t number)
{
    cor_comm_set_call(comm, call, root);
    comm->monitor->coll_last = (uint64_t)(number + 1) << 32 | comm->context;
    return cor_measure_begin(comm->monitor);
}

/* Release the lock inside a call that makes something among the members by blocking calls of mp; and take it again. */
static inline void cor_comm_leave_inside(cor_comm *comm, cor_activity *activity)
{
    cor_comm_wait_begin(comm, activity);
    comm->pending = activity;
    comm->monitor->waits.wait = NULL;
    cor_device_step_out(comm->device);
    cor_device_leave(comm->device);
}

static inline void cor_comm_enter_inside(cor_comm *comm, cor_activity *activity)
{
    cor_device_enter(comm->device);
    cor_device_step_in(comm->device);
    comm->pending = NULL;
    cor_activity_end(comm->monitor, activity);
}

/* ---- losses ----------------------------------------------------------------------------------------------------- */

/* How many ranks of the job are known to be lost; it only grows. */
static inline uint32_t cor_comm_lost_count(const cor_comm *comm)
{
    return comm->device->losses.count;
}

/* COR_ERR_PEER, with the sentence in the rank's fault, if a member of either side is lost. */
int cor_comm_find_lost(const cor_comm *comm);

/* ---- requests that take several steps: jobs --------------------------------------------------------------------- */

/* A request whose work is `job`, which job_free frees with it. NULL: no memory, and the job stays the caller's. */
cor_request *cor_job_create(cor_comm *comm, void *job, void (*job_free)(void *job));
/* Make the request persistent: each cor_start calls `start`. */
void cor_job_set_persistent(cor_request *request, int (*start)(cor_request *request));
void *cor_job_of(const cor_request *request);
cor_comm *cor_job_comm(const cor_request *request);
/* The job has begun. */
void cor_job_begin(cor_request *request);
/* The job is done, with `error`; `fault` is the sentence of a failure, or NULL, and is taken over. */
void cor_job_end(cor_request *request, int error, cor_fault *fault);
/* What the status of a job that is done says, as of a receive; `peer` is a rank of the job. */
void cor_job_set_received(cor_request *request, int peer, int tag, size_t bytes);
/* What its status says of data, also if it has failed; for a job that is done. */
void cor_job_set_bytes(cor_request *request, size_t bytes);
/* Give the job back to the caller. */
void cor_job_detach(cor_request *request);

#endif
