/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/collective.h"

#include "mp/mp_state.h"

/* ---- settings and failures -------------------------------------------------------------------------------------- */

const cor_coll_config *cor_rank_coll_config(const cor_rank *rank)
{
    return &rank->config.coll;
}

const cor_win_config *cor_rank_win_config(const cor_rank *rank)
{
    return &rank->config.win;
}

const cor_log *cor_rank_log(const cor_rank *rank)
{
    return &rank->log;
}

int cor_rank_wants_file(const cor_rank *rank)
{
    return rank->config.host.segment != 0; /* sm.segment: memfd|file */
}

cor_fault *cor_rank_fault_place(cor_rank *rank)
{
    return rank->fault;
}

cor_fault *cor_comm_fault_place(const cor_comm *comm)
{
    return comm->owner->fault;
}

/* ---- coll's own data -------------------------------------------------------------------------------------------- */

void *cor_rank_coll(const cor_rank *rank)
{
    return rank->coll;
}

void cor_rank_set_coll(cor_rank *rank, void *data, void (*free_fn)(void *data))
{
    rank->coll = data;
    rank->coll_free = free_fn;
}

void cor_comm_set_coll(cor_comm *comm, void *data, void (*free_fn)(void *data))
{
    comm->coll = data;
    comm->coll_free = free_fn;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

static const cor_transfer job_pending = {.peer = -1};

void cor_comm_keep(cor_comm *comm)
{
    cor_comm_ref(comm);
}

cor_request *cor_job_create(cor_comm *comm, void *job, void (*job_free)(void *job))
{
    cor_request *request = cor_request_make(comm, COR_REQUEST_JOB);
    if (!request)
        return NULL;
    request->transfer = job_pending;
    request->job = job;
    request->job_free = job_free;
    return request;
}

void cor_job_set_persistent(cor_request *request, int (*start)(cor_request *request))
{
    request->is_persistent = 1;
    request->job_start = start;
}

void *cor_job_of(const cor_request *request)
{
    return request->job;
}

cor_comm *cor_job_comm(const cor_request *request)
{
    return request->comm;
}

void cor_job_begin(cor_request *request)
{
    request->transfer = job_pending;
    request->is_active = 1;
}

void cor_job_end(cor_request *request, int error, cor_fault *fault)
{
    request->transfer = (cor_transfer){.is_done = 1, .error = error, .peer = COR_UNDEFINED};
    if (COR_UNLIKELY(error != COR_OK))
        request->fault = fault;
}

void cor_job_set_received(cor_request *request, int peer, int tag, size_t bytes)
{
    request->transfer.peer = peer;
    request->transfer.tag = tag;
    request->transfer.bytes = request->transfer.message_bytes = bytes;
}

void cor_job_set_bytes(cor_request *request, size_t bytes)
{
    request->transfer.bytes = bytes;
}

void cor_job_detach(cor_request *request)
{
    request->job = NULL;
    request->job_free = NULL;
}
