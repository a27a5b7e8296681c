/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: their life, and queries for the faces. */
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
    /* Not in use: for cor_request_drop_all, calls that come too late, and a face that is given a stale handle. */
    __atomic_store_n(&request->comm, NULL, __ATOMIC_RELAXED);
    request->is_active = 0;
    cor_pool_put(&owner->requests, request);
    cor_comm_drop_locked(comm);
}

/* Whether it failed does not matter; its result is not used. */
static void request_forget(cor_request *request)
{
    free(request->fault);
    cor_request_drop(request);
}

/* What a request keeps that was neither completed nor freed: its payload, communicator and job, and the face's own. */
static void request_abandon(void *object, void *subject)
{
    cor_request *request = object;
    (void)subject;
    /* A job that is not done, and cannot be freed either, still uses it. */
    int is_free = request->job_free || (request->kind == COR_REQUEST_JOB && request->transfer.is_done);
    if (!request->comm || (request->kind > COR_REQUEST_RECV && !is_free))
        return;
    if (request->kind <= COR_REQUEST_RECV)
        cor_payload_release(&request->transfer.payload);
    request_forget(request);
}

void cor_request_drop_all(cor_rank *rank)
{
    cor_pool_each(&rank->requests, request_abandon, NULL);
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

void cor_request_cancel_orphans(const cor_rank *rank)
{
    for (const cor_link *link = rank->orphans.next; link != &rank->orphans; link = link->next) {
        cor_request *request = COR_OWNER(link, cor_request, orphan);
        cor_device *device = request->comm->device;
        if (request->kind == COR_REQUEST_RECV && !request->transfer.is_done)
            device->ops->cancel(device, &request->transfer);
    }
}

typedef struct request_search {
    const cor_comm *comm;
    int is_found;
} request_search;

static void request_find_pending(void *object, void *subject)
{
    const cor_request *request = object;
    request_search *search = subject;
    if (request->comm == search->comm && request->is_active && !request->transfer.is_done)
        search->is_found = 1;
}

int cor_request_is_pending(const cor_comm *comm)
{
    request_search search = {.comm = comm};
    cor_pool_each(&comm->owner->requests, request_find_pending, &search);
    return search.is_found;
}

void cor_request_free(cor_request **request_p)
{
    cor_request *request = *request_p;
    const cor_comm *comm = cor_request_comm_if_any(request);
    *request_p = NULL;
    if (!comm)
        return;
    cor_rank *owner = comm->owner;
    cor_device_enter(owner->device);
    if (cor_device_is_closed(owner->device)) {
        cor_device_leave(owner->device);
        return;
    }
    if (request->is_active && !request->transfer.is_done) {
        request->is_abandoned = 1;
        cor_list_append(&owner->orphans, &request->orphan);
    } else {
        request_forget(request);
    }
    cor_device_leave(owner->device);
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

void cor_cancel(cor_request *request)
{
    const cor_comm *comm = cor_request_comm_if_any(request);
    if (!comm)
        return;
    cor_device *device = comm->device;
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
    return is_gone ? NULL : cor_request_comm_if_any(request);
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
