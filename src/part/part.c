/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of partitioned communication: their life, and their progress. */
#include "part/part_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static void part_unhook(part *p)
{
    if (p->is_hooked)
        cor_list_remove(&p->hook.link);
    p->is_hooked = 0;
}

static void part_destroy(part *p)
{
    part_unhook(p);
    cor_list_remove(&p->in_sends);
    cor_list_remove(&p->in_orphans);
    free(p->transfers);
    free(p->missing);
    free(p->next);
    free(p->marked);
    free(p);
}

static void part_orphans_free(cor_list *orphans)
{
    while (!cor_list_is_empty(orphans)) {
        part *p = COR_OWNER(orphans->next, part, in_orphans);
        p->is_hooked = 0; /* the device is closed */
        part_destroy(p);
    }
}

/* The first failure among the pieces. */
static int part_error(const part *p)
{
    for (uint32_t i = 0; i < p->card.piece_count; i++)
        if (p->transfers[i].error != COR_OK)
            return p->transfers[i].error;
    return COR_OK;
}

static void part_end(part *p, int error)
{
    p->is_active = 0;
    cor_job_end(p->request, error, NULL);
    if (!p->is_send && error == COR_OK)
        cor_job_set_received(p->request, p->peer, p->tag, (size_t)p->card.bytes);
    cor_device_wake(p->device);
}

static int part_length_error(const part *p)
{
    if (p->card.bytes <= p->whole.bytes)
        return COR_OK;
    return cor_fault_set(cor_comm_fault_place(p->comm), COR_ERR_TRUNCATE,
                         "a partitioned message of %llu bytes meets a receive of %zu bytes",
                         (unsigned long long)p->card.bytes, p->whole.bytes);
}

void part_end_if_done(part *p)
{
    if (!p->is_active || !p->has_card || (p->is_send && !p->is_marked))
        return;
    if (p->card_transfer.error != COR_OK && !p->is_send) {
        part_end(p, p->card_transfer.error);
        return;
    }
    while (p->done < p->card.piece_count && p->transfers[p->done].is_done)
        p->done++;
    if (p->done < p->card.piece_count)
        return;
    int error = p->is_send ? p->card_transfer.error : part_length_error(p);
    part_end(p, error != COR_OK ? error : part_error(p));
}

static int part_step(cor_follower *follower)
{
    part *p = COR_OWNER(follower, part, hook);
    int events = part_card_step(p);
    if (p->is_orphan) {
        if (p->has_card)
            part_destroy(p);
        return events;
    }
    if (p->is_active && p->is_send)
        events += part_send_ready(p);
    else if (p->is_active && p->started == 0)
        events += part_recv_start(p);
    part_end_if_done(p);
    if (!p->is_active && p->has_card)
        part_unhook(p);
    return events;
}

void part_hook(part *p)
{
    if (p->is_hooked)
        return;
    cor_list_append(&p->device->followers, &p->hook.link);
    p->is_hooked = 1;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* With the request. */
static void part_free(void *subject)
{
    part *p = subject;
    cor_payload_release(&p->whole);
    p->is_orphan = 1;
    part_card_step(p);
    if (p->has_card || p->peer == COR_PROC_NULL || cor_device_is_closed(p->device)) {
        part_destroy(p);
        return;
    }
    cor_list_append(&p->comm->orphans, &p->in_orphans);
    p->comm->orphans_free = part_orphans_free;
    cor_comm_keep(p->comm);
    part_hook(p);
}

static int part_start(cor_request *request)
{
    part *p = cor_job_of(request);
    cor_job_begin(request);
    if (p->peer == COR_PROC_NULL) {
        cor_job_end(request, COR_OK, NULL);
        if (!p->is_send)
            cor_job_set_received(request, COR_PROC_NULL, COR_ANY_TAG, 0);
        return COR_OK;
    }
    p->is_active = 1;
    p->started = p->done = 0;
    for (uint32_t i = 0; p->transfers && i < p->card.piece_count; i++)
        p->transfers[i].is_done = 0;
    if (p->is_send)
        part_send_start(p);
    part_hook(p);
    part_step(&p->hook);
    return COR_OK;
}

static part *part_create(cor_comm *comm, int is_send, const cor_payload *payload, int partitions, int peer, int tag)
{
    part *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->is_send = is_send;
    p->comm = comm;
    p->device = comm->device;
    p->whole = *payload;
    p->partitions = partitions;
    p->partition_bytes = partitions ? payload->bytes / (size_t)partitions : 0;
    p->peer = peer == COR_PROC_NULL ? peer : cor_comm_peer(comm, peer);
    p->tag = tag;
    p->hook.step = part_step;
    cor_list_init(&p->hook.link);
    cor_list_init(&p->in_sends);
    cor_list_init(&p->in_orphans);
    return p;
}

/* Under the lock. */
static int part_open(part *p)
{
    int rc = COR_OK;
    p->request = cor_job_create(p->comm, p, part_free);
    if (!p->request)
        return COR_ERR_MEMORY;
    cor_job_set_persistent(p->request, part_start);
    if (p->peer != COR_PROC_NULL && p->is_send)
        rc = part_send_prepare(p);
    if (rc == COR_OK && p->peer != COR_PROC_NULL)
        rc = part_card_start(p);
    if (rc != COR_OK) {
        cor_job_detach(p->request);
        return rc;
    }
    cor_payload_hold(&p->whole);
    if (p->peer != COR_PROC_NULL)
        part_hook(p);
    return COR_OK;
}

static int part_init(cor_comm *comm, int is_send, const cor_payload *payload, int partitions, int peer, int tag,
                     cor_request **request_p)
{
    int rc = cor_comm_enter_open(comm);
    if (rc != COR_OK)
        return rc;
    part *p = part_create(comm, is_send, payload, partitions, peer, tag);
    rc = p ? part_open(p) : COR_ERR_MEMORY;
    if (rc == COR_ERR_MEMORY)
        cor_fault_set(cor_comm_fault_place(comm), rc, "no memory for a request of %d partitions", partitions);
    cor_request *request = p ? p->request : NULL;
    if (rc != COR_OK && p)
        part_destroy(p);
    cor_comm_flush(comm);
    cor_comm_leave(comm);
    if (rc == COR_OK)
        *request_p = request;
    else if (request)
        cor_request_free(&request);
    return rc;
}

int cor_part_send_init(cor_comm *comm, const cor_payload *payload, int partitions, int peer, int tag,
                       cor_request **request_p)
{
    return part_init(comm, 1, payload, partitions, peer, tag, request_p);
}

int cor_part_recv_init(cor_comm *comm, const cor_payload *payload, int partitions, int peer, int tag,
                       cor_request **request_p)
{
    return part_init(comm, 0, payload, partitions, peer, tag, request_p);
}

int cor_part_is_send(const cor_request *request)
{
    const part *p = cor_job_of(request);
    return p->is_send;
}

int cor_part_count(const cor_request *request)
{
    const part *p = cor_job_of(request);
    return p->partitions;
}
