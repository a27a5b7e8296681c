/* Requests: their life, and all the ways to wait for them. */
#include "mp/mp_state.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

cor_request *cor_request_make(cor_comm *comm, cor_request_kind kind)
{
    cor_rank *owner = comm->owner;
    if (COR_UNLIKELY(!cor_list_is_empty(&owner->orphans)))
        cor_request_sweep(owner);
    cor_request *request = cor_pool_get(&owner->requests);
    if (!request)
        return NULL;
    request->comm = comm;
    request->kind = (uint8_t)kind;
    request->mode = COR_STANDARD;
    request->is_persistent = request->is_active = request->is_abandoned = 0;
    request->transfer.payload.is_held = 0;
    request->payload.ops = NULL;
    request->payload.is_held = 0;
    request->face = NULL;
    request->face_free = NULL;
    request->job = NULL;
    request->job_free = NULL;
    request->fault = NULL;
    cor_comm_ref(comm);
    return request;
}

void cor_request_drop(cor_request *request)
{
    cor_comm *comm = request->comm;
    cor_rank *owner = comm->owner;
    if (request->job_free)
        request->job_free(request->job);
    cor_payload_release(&request->payload);
    if (request->face_free)
        request->face_free(request->face);
    request->comm = NULL; /* not in use: for cor_request_drop_all, and for a face that is given a stale handle */
    cor_pool_put(&owner->requests, request);
    cor_comm_drop_locked(comm);
}

/* It failed, or it did not, and nobody will ask. */
static void request_forget(cor_request *request)
{
    free(request->fault);
    cor_request_drop(request);
}

/* What a request keeps that was neither completed nor freed: its payload, communicator and job, and the face's own. */
static void request_abandon(void *object)
{
    cor_request *request = object;
    /* A job that is not done, and cannot be freed either, goes on using it. */
    int is_free = request->job_free || (request->kind == COR_REQUEST_JOB && request->transfer.is_done);
    if (!request->comm || (request->kind > COR_REQUEST_RECV && !is_free))
        return;
    if (request->kind <= COR_REQUEST_RECV)
        cor_payload_release(&request->transfer.payload);
    request_forget(request);
}

void cor_request_drop_all(cor_rank *rank)
{
    cor_pool_each(&rank->requests, request_abandon);
}

void cor_request_sweep(cor_rank *rank)
{
    cor_link *link = rank->orphans.next;
    while (link != &rank->orphans) {
        cor_request *request = COR_OWNER(link, cor_request, orphan);
        link = link->next;
        if (request->transfer.is_done) {
            cor_list_remove(&request->orphan);
            request_forget(request);
        }
    }
}

void cor_request_free(cor_request **request_p)
{
    cor_request *request = *request_p;
    cor_rank *owner = request->comm->owner;
    *request_p = NULL;
    cor_device_enter(owner->device);
    if (request->is_active && !request->transfer.is_done) {
        request->is_abandoned = 1;
        cor_list_append(&owner->orphans, &request->orphan);
    } else {
        request_forget(request);
    }
    cor_device_leave(owner->device);
}

/* ---- completion ------------------------------------------------------------------------------------------------- */

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
        rank->fault = *fault;
    free(fault);
}

/* The request is done: tell its status and free it, or make it inactive. Returns its error; then *fault_p is its own
 * sentence, which is the caller's. */
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

/* One of several: its sentence goes with its status; where there are none, that of the first is told. */
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

/* Wait, with the lock held, for this one. */
static inline void request_wait(cor_device *device, cor_request *request)
{
    if (request_is_active(request))
        cor_device_wait(device, &request->transfer);
}

/* One round of progress, or a moment's rest. */
static inline void request_turn(cor_device *device, cor_idle_state *idle)
{
    if (cor_device_progress(device, -1) > 0)
        *idle = (cor_idle_state){0};
    else
        device->ops->idle(device, idle);
}

int cor_wait(cor_rank *rank, cor_request **request_p, cor_status *status_p)
{
    cor_device_enter(rank->device);
    request_wait(rank->device, *request_p);
    cor_device_see_off(rank->device); /* before: others may fail meanwhile, and then the rank's fault is theirs */
    int rc = request_finish(rank, request_p, status_p);
    cor_device_leave(rank->device);
    return rc;
}

int cor_test(cor_rank *rank, cor_request **request_p, int *flag_p, cor_status *status_p)
{
    int rc = COR_OK;
    cor_device_enter(rank->device);
    if (!request_is_done(*request_p))
        cor_device_glance(rank->device);
    *flag_p = request_is_done(*request_p);
    if (*flag_p)
        rc = request_finish(rank, request_p, status_p);
    cor_device_leave(rank->device);
    return rc;
}

int cor_request_get_status(cor_rank *rank, cor_request *request, int *flag_p, cor_status *status_p)
{
    cor_device_enter(rank->device);
    if (!request_is_done(request))
        cor_device_glance(rank->device);
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
    for (size_t i = 0; i < count; i++)
        request_wait(rank->device, requests[i]);
    cor_device_see_off(rank->device);
    int rc = request_finish_all(rank, count, requests, statuses);
    cor_device_leave(rank->device);
    return rc;
}

int cor_testall(cor_rank *rank, size_t count, cor_request **requests, int *flag_p, cor_status *statuses)
{
    int rc = COR_OK;
    size_t done = 0;
    cor_device_enter(rank->device);
    while (done < count && request_is_done(requests[done]))
        done++;
    if (done < count) {
        cor_device_glance(rank->device);
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

int cor_waitany(cor_rank *rank, size_t count, cor_request **requests, int *index_p, cor_status *status_p)
{
    cor_idle_state idle = {0};
    int index;
    cor_device_enter(rank->device);
    while ((index = request_find_done(count, requests)) == -1)
        request_turn(rank->device, &idle);
    *index_p = index;
    int rc = request_finish_one(rank, requests, index, status_p);
    cor_device_leave(rank->device);
    return rc;
}

int cor_testany(cor_rank *rank, size_t count, cor_request **requests, int *index_p, int *flag_p, cor_status *status_p)
{
    int rc = COR_OK;
    cor_device_enter(rank->device);
    int index = request_find_done(count, requests);
    if (index == -1) {
        cor_device_glance(rank->device);
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
    cor_idle_state idle = {0};
    int rc = COR_OK, done;
    cor_device_enter(rank->device);
    while ((done = request_finish_some(rank, count, requests, indices, statuses, &rc)) == -1)
        request_turn(rank->device, &idle);
    *done_count_p = done;
    cor_device_leave(rank->device);
    return rc;
}

int cor_testsome(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                 cor_status *statuses)
{
    int rc = COR_OK;
    cor_device_enter(rank->device);
    int events = cor_device_progress(rank->device, -1);
    int done = request_finish_some(rank, count, requests, indices, statuses, &rc);
    if (done == -1 && events == 0)
        rank->device->ops->vain(rank->device);
    *done_count_p = done == -1 ? 0 : done;
    cor_device_leave(rank->device);
    return rc;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

void cor_cancel(cor_request *request)
{
    cor_device *device = request->comm->device;
    cor_device_enter(device);
    if (request->is_active && request->kind <= COR_REQUEST_RECV)
        device->ops->cancel(device, &request->transfer);
    cor_device_leave(device);
}

int cor_request_is_persistent(const cor_request *request)
{
    return request->is_persistent;
}

int cor_request_is_active(const cor_request *request)
{
    return request->is_active;
}

cor_comm *cor_request_comm(const cor_request *request)
{
    /* The handle of a general one that was freed is still good for completing it. */
    int is_gone = request->is_abandoned && request->kind != COR_REQUEST_GENERAL;
    return is_gone ? NULL : request->comm;
}

void cor_request_set_face(cor_request *request, void *data, void (*free_fn)(void *data))
{
    request->face = data;
    request->face_free = free_fn;
}

void *cor_request_face(const cor_request *request)
{
    return request->face;
}
