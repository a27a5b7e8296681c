/* SPDX-License-Identifier: Apache-2.0 */
/* All functions that wait for requests, and that test whether they are done. */
#include "mp/activity.h"
#include "mp/mp_state.h"

#include <stdlib.h>

static inline int request_is_active(const cor_request *request)
{
    return request && request->is_active;
}

static inline int request_is_done(const cor_request *request)
{
    return !request_is_active(request) || request->transfer.is_done;
}

static void request_status(const cor_request *request, cor_status *status)
{
    const cor_transfer *t = &request->transfer;
    if (request->kind != COR_REQUEST_SEND && t->peer == COR_PROC_NULL) {
        *status = cor_status_nobody;
    } else if (request->kind == COR_REQUEST_SEND || t->peer == COR_UNDEFINED) {
        *status = cor_status_empty;
        status->error = t->error;
        status->is_cancelled = t->is_cancelled;
        if (request->kind == COR_REQUEST_JOB)
            status->bytes = status->message_bytes = t->bytes;
    } else if (t->is_cancelled) {
        *status = cor_status_empty;
        status->is_cancelled = 1;
    } else {
        cor_status_fill(request->comm, t, status);
    }
}

/* A request failed: its own sentence, if it has one, is the rank's from now on. */
static __attribute__((noinline)) void request_tell(cor_rank *rank, cor_fault *fault)
{
    if (fault)
        *rank->fault = *fault;
    free(fault);
}

/* The lost rank of its sentence, or of the rank's, is named as in its communicator. The rank's may be of another
 * failure meanwhile: that of a message is found again by its peer. */
static __attribute__((noinline)) void request_name_loss(const cor_request *request)
{
    const cor_comm *comm = request->comm;
    if (!comm || request->kind == COR_REQUEST_GENERAL)
        return;
    int peer = request->transfer.peer;
    if (request->kind <= COR_REQUEST_RECV && request->transfer.error == COR_ERR_PEER && peer >= 0) {
        const cor_loss *loss = cor_losses_of(&comm->device->losses, peer);
        if (loss)
            *comm->owner->fault = *loss->why;
    }
    cor_comm_name_loss_in(comm, request->fault ? request->fault : comm->owner->fault);
}

/* The request is done: return its status and free it, or make it inactive. Returns its error; then *fault_p is its own
 * sentence, which the caller owns. */
static inline int request_end(cor_request **request_p, cor_status *status_p, cor_fault **fault_p)
{
    cor_request *request = *request_p;
    if (!request_is_active(request)) {
        if (status_p)
            *status_p = cor_status_empty;
        return COR_OK;
    }
    int error = request->transfer.error;
    if (status_p)
        request_status(request, status_p);
    if (COR_UNLIKELY(error != COR_OK)) {
        request_name_loss(request);
        *fault_p = request->fault;
        request->fault = NULL;
    }
    request->is_active = 0;
    if (!request->is_persistent) {
        *request_p = NULL;
        if (COR_LIKELY(request->kind != COR_REQUEST_GENERAL))
            cor_request_drop(request);
    }
    return error;
}

static int request_finish(cor_rank *rank, cor_request **request_p, cor_status *status_p)
{
    cor_fault *fault;
    int error = request_end(request_p, status_p, &fault);
    if (COR_UNLIKELY(error != COR_OK))
        request_tell(rank, fault);
    return error;
}

/* One of several: its sentence is put into its status; without statuses, the sentence of the first is reported. */
static void request_finish_next(cor_rank *rank, cor_request **request_p, cor_status *status_p, int *first_error_p)
{
    cor_fault *fault;
    int error = request_end(request_p, status_p, &fault);
    if (COR_LIKELY(error == COR_OK))
        return;
    if (status_p) {
        status_p->fault = fault;
    } else if (*first_error_p == COR_OK) {
        request_tell(rank, fault);
        *first_error_p = error;
    } else {
        free(fault);
    }
}

/* What a wait for this request is, for others to see: a collective one waits for no rank in particular. */
static inline void request_describe(cor_monitor *monitor, const cor_request *request)
{
    const cor_transfer *t = &request->transfer;
    if (request->kind <= COR_REQUEST_RECV)
        cor_activity_turn(monitor, request->kind == COR_REQUEST_SEND ? COR_WAY_TO : COR_WAY_FROM, t->peer, t->tag);
    else
        cor_activity_turn(monitor, COR_WAY_NONE, COR_NOW_UNKNOWN, -1);
}

/* One round of progress, or a moment's rest. 0: the rank has been finalised, and nothing is done any more. */
static inline int request_turn(cor_device *device, cor_idle_state *idle)
{
    if (cor_device_progress(device, -1) > 0)
        *idle = (cor_idle_state){0};
    else if (cor_device_is_closed(device))
        return 0;
    else
        cor_device_idle(device, idle);
    return 1;
}

/* A call leaves, because the rank has been finalised: requests are not read any more. */
static __attribute__((noinline)) int request_finalized(cor_device *device)
{
    cor_device_leave(device);
    return COR_ERR_FINALIZED;
}

/* Wait, with the lock held, for this one. 0: the rank has been finalised. */
static inline int request_wait(cor_request *request, cor_traced call)
{
    if (request_is_done(request))
        return 1;
    cor_device *device =
        request->comm->device; /* which need not be that of the rank that waits (cor_rank_options.origin) */
    cor_activity activity;
    cor_monitor *monitor = request->comm->monitor;
    if (COR_UNLIKELY(monitor->is_measured))
        cor_measure_wait(monitor);
    cor_activity_begin(monitor, &activity, request->comm, call, COR_WAY_NONE, COR_NOW_UNKNOWN, -1, 0);
    request_describe(monitor, request);
    const cor_transfer *t = &request->transfer;
    cor_idle_state idle = {0};
    while (!t->is_done) {
        if (cor_device_progress(device, t->peer) > 0)
            idle = (cor_idle_state){0};
        else if (cor_device_is_closed(device))
            break;
        else
            cor_device_idle(device, &idle);
    }
    cor_activity_end(monitor, &activity);
    return !cor_device_is_closed(device);
}

/* The bytes that a request that is done has received. What is sent was counted when it was started. */
static size_t request_received(const cor_request *request)
{
    int is_received = request_is_active(request) && request->kind == COR_REQUEST_RECV && request->transfer.is_done;
    return is_received ? request->transfer.bytes : 0;
}

static __attribute__((noinline)) void request_measured(const cor_rank *rank, uint64_t begin, cor_traced call,
                                                       cor_request *const *requests, size_t count)
{
    size_t bytes = 0;
    int peer = COR_NOW_UNKNOWN, tag = -1;
    for (size_t i = 0; i < count; i++)
        bytes += request_received(requests[i]);
    if (count == 1 && request_is_active(requests[0]) && requests[0]->kind <= COR_REQUEST_RECV) {
        peer = requests[0]->transfer.peer;
        tag = requests[0]->transfer.tag;
    }
    cor_measure_end(rank->world, begin, call, peer, tag, bytes);
}

int cor_wait(cor_rank *rank, cor_request **request_p, cor_status *status_p)
{
    cor_device_enter(rank->device);
    uint64_t begin = cor_measure_begin(&rank->monitor);
    if (cor_device_is_closed(rank->device) || !request_wait(*request_p, COR_TRACED_WAIT))
        return request_finalized(rank->device);
    cor_device_flush(rank->device); /* before: others may fail meanwhile, and then the rank's fault is theirs */
    if (COR_UNLIKELY(begin))
        request_measured(rank, begin, COR_TRACED_WAIT, request_p, 1);
    int rc = request_finish(rank, request_p, status_p);
    cor_device_leave(rank->device);
    return rc;
}

int cor_test(cor_rank *rank, cor_request **request_p, int *flag_p, cor_status *status_p)
{
    int rc = COR_OK;
    cor_device_enter(rank->device);
    if (!cor_device_is_closed(rank->device) && !request_is_done(*request_p))
        cor_device_poll(rank->device);
    if (cor_device_is_closed(rank->device))
        return request_finalized(rank->device);
    *flag_p = request_is_done(*request_p);
    if (*flag_p)
        rc = request_finish(rank, request_p, status_p);
    cor_device_leave(rank->device);
    return rc;
}

int cor_request_get_status(cor_rank *rank, cor_request *request, int *flag_p, cor_status *status_p)
{
    cor_device_enter(rank->device);
    if (!cor_device_is_closed(rank->device) && !request_is_done(request))
        cor_device_poll(rank->device);
    if (cor_device_is_closed(rank->device))
        return request_finalized(rank->device);
    *flag_p = request_is_done(request);
    if (*flag_p && status_p) {
        if (request_is_active(request))
            request_status(request, status_p);
        else
            *status_p = cor_status_empty;
    }
    cor_device_leave(rank->device);
    return COR_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static int request_finish_all(cor_rank *rank, size_t count, cor_request **requests, cor_status *statuses)
{
    int first_error = COR_OK;
    for (size_t i = 0; i < count; i++)
        request_finish_next(rank, &requests[i], statuses ? &statuses[i] : NULL, &first_error);
    return first_error;
}

int cor_waitall(cor_rank *rank, size_t count, cor_request **requests, cor_status *statuses)
{
    cor_device_enter(rank->device);
    if (cor_device_is_closed(rank->device))
        return request_finalized(rank->device);
    uint64_t begin = cor_measure_begin(&rank->monitor);
    for (size_t i = 0; i < count; i++)
        if (!request_wait(requests[i], COR_TRACED_WAITALL))
            return request_finalized(rank->device);
    cor_device_flush(rank->device);
    if (COR_UNLIKELY(begin))
        request_measured(rank, begin, COR_TRACED_WAITALL, requests, count);
    int rc = request_finish_all(rank, count, requests, statuses);
    cor_device_leave(rank->device);
    return rc;
}

int cor_testall(cor_rank *rank, size_t count, cor_request **requests, int *flag_p, cor_status *statuses)
{
    int rc = COR_OK;
    size_t done = 0;
    cor_device_enter(rank->device);
    if (cor_device_is_closed(rank->device))
        return request_finalized(rank->device);
    while (done < count && request_is_done(requests[done]))
        done++;
    if (done < count) {
        cor_device_poll(rank->device);
        if (cor_device_is_closed(rank->device))
            return request_finalized(rank->device);
        while (done < count && request_is_done(requests[done]))
            done++;
    }
    *flag_p = done == count;
    if (*flag_p)
        rc = request_finish_all(rank, count, requests, statuses);
    cor_device_leave(rank->device);
    return rc;
}

/* ---- any -------------------------------------------------------------------------------------------------------- */

/* The index of an active request that is done, COR_UNDEFINED if no request is active, -1 if none is done yet. */
static int request_find_done(size_t count, cor_request **requests)
{
    int has_active = 0;
    for (size_t i = 0; i < count; i++) {
        if (!request_is_active(requests[i]))
            continue;
        if (requests[i]->transfer.is_done)
            return (int)i;
        has_active = 1;
    }
    return has_active ? -1 : COR_UNDEFINED;
}

static int request_finish_one(cor_rank *rank, cor_request **requests, int index, cor_status *status_p)
{
    if (index != COR_UNDEFINED)
        return request_finish(rank, &requests[index], status_p);
    if (status_p)
        *status_p = cor_status_empty;
    return COR_OK;
}

/* The wait for one of several. If only one is active, that one says what is waited for. */
static inline void request_begin_any(cor_monitor *monitor, cor_activity *activity, const cor_comm *world,
                                     cor_traced call, cor_request *const *requests, size_t count)
{
    cor_activity_begin(monitor, activity, world, call, COR_WAY_FROM, COR_NOW_ANY, -1, 0);
    if (count == 1 && request_is_active(requests[0]))
        request_describe(monitor, requests[0]);
}

static __attribute__((noinline)) void request_measured_any(cor_rank *rank, uint64_t begin, cor_traced call,
                                                           cor_request *const *requests, size_t count)
{
    cor_measure_waited(&rank->monitor, begin);
    request_measured(rank, begin, call, requests, count);
}

int cor_waitany(cor_rank *rank, size_t count, cor_request **requests, int *index_p, cor_status *status_p)
{
    cor_device *device = rank->device;
    cor_idle_state idle = {0};
    cor_activity activity;
    int index;
    *index_p = COR_UNDEFINED;
    cor_device_enter(device);
    if (cor_device_is_closed(device))
        return request_finalized(device);
    uint64_t begin = cor_measure_begin(&rank->monitor);
    request_begin_any(&rank->monitor, &activity, rank->world, COR_TRACED_WAITANY, requests, count);
    while ((index = request_find_done(count, requests)) == -1 && request_turn(device, &idle))
        ;
    cor_activity_end(&rank->monitor, &activity);
    if (cor_device_is_closed(device))
        return request_finalized(device);
    if (COR_UNLIKELY(begin))
        request_measured_any(rank, begin, COR_TRACED_WAITANY, requests, count);
    *index_p = index;
    int rc = request_finish_one(rank, requests, index, status_p);
    cor_device_leave(rank->device);
    return rc;
}

int cor_testany(cor_rank *rank, size_t count, cor_request **requests, int *index_p, int *flag_p, cor_status *status_p)
{
    int rc = COR_OK;
    *index_p = COR_UNDEFINED;
    *flag_p = 0;
    cor_device_enter(rank->device);
    if (cor_device_is_closed(rank->device))
        return request_finalized(rank->device);
    int index = request_find_done(count, requests);
    if (index == -1) {
        cor_device_poll(rank->device);
        if (cor_device_is_closed(rank->device))
            return request_finalized(rank->device);
        index = request_find_done(count, requests);
    }
    *flag_p = index != -1;
    *index_p = index == -1 ? COR_UNDEFINED : index;
    if (*flag_p)
        rc = request_finish_one(rank, requests, index, status_p);
    cor_device_leave(rank->device);
    return rc;
}

/* ---- some ------------------------------------------------------------------------------------------------------- */

/* Finish every active request that is done; as request_find_done when there is none. */
static int request_finish_some(cor_rank *rank, size_t count, cor_request **requests, int *indices,
                               cor_status *statuses, int *error_p)
{
    int found = request_find_done(count, requests);
    if (found < 0)
        return found;
    int done = 0;
    for (size_t i = (size_t)found; i < count; i++) {
        if (!request_is_active(requests[i]) || !requests[i]->transfer.is_done)
            continue;
        request_finish_next(rank, &requests[i], statuses ? &statuses[done] : NULL, error_p);
        indices[done++] = (int)i;
    }
    return done;
}

int cor_waitsome(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                 cor_status *statuses)
{
    cor_device *device = rank->device;
    cor_idle_state idle = {0};
    cor_activity activity;
    int rc = COR_OK, done;
    *done_count_p = COR_UNDEFINED;
    cor_device_enter(device);
    if (cor_device_is_closed(device))
        return request_finalized(device);
    uint64_t begin = cor_measure_begin(&rank->monitor);
    request_begin_any(&rank->monitor, &activity, rank->world, COR_TRACED_WAITSOME, requests, count);
    while (request_find_done(count, requests) == -1 && request_turn(device, &idle))
        ;
    cor_activity_end(&rank->monitor, &activity);
    if (cor_device_is_closed(device))
        return request_finalized(device);
    if (COR_UNLIKELY(begin))
        request_measured_any(rank, begin, COR_TRACED_WAITSOME, requests, count);
    done = request_finish_some(rank, count, requests, indices, statuses, &rc);
    *done_count_p = done;
    cor_device_leave(rank->device);
    return rc;
}

int cor_testsome(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                 cor_status *statuses)
{
    int rc = COR_OK;
    *done_count_p = COR_UNDEFINED;
    cor_device_enter(rank->device);
    if (cor_device_is_closed(rank->device))
        return request_finalized(rank->device);
    int events = cor_device_progress(rank->device, -1);
    int done = request_finish_some(rank, count, requests, indices, statuses, &rc);
    if (done == -1 && events == 0)
        cor_device_back_off(rank->device);
    *done_count_p = done == -1 ? 0 : done;
    cor_device_leave(rank->device);
    return rc;
}
