/* SPDX-License-Identifier: Apache-2.0 */
/* A send and a receive as one request: a job that is done when both are. */
#include "mp/activity.h"
#include "mp/mp_state.h"

#include <stdlib.h>

typedef struct isendrecv_job {
    cor_follower follower;
    cor_request *request;
    cor_transfer send, recv;
    char copy[]; /* what is sent, where the receive replaces it */
} isendrecv_job;

static int isendrecv_step(cor_follower *follower)
{
    isendrecv_job *both = COR_OWNER(follower, isendrecv_job, follower);
    if (!both->send.is_done || !both->recv.is_done)
        return 0;
    cor_transfer *t = &both->request->transfer;
    *t = (cor_transfer){
        .error = both->send.error != COR_OK ? both->send.error : both->recv.error,
        .peer = both->recv.peer,
        .tag = both->recv.tag,
        .bytes = both->recv.bytes,
        .message_bytes = both->recv.message_bytes,
        .is_cancelled = both->recv.is_cancelled,
        .is_done = 1,
    };
    cor_list_remove(&follower->link);
    free(both);
    return 1;
}

/* Under the lock: start both, or neither. */
static int isendrecv_start(isendrecv_job *both, cor_comm *comm, const cor_payload *out, int dest, int send_tag,
                           const cor_payload *in, int source, int recv_tag)
{
    cor_device *device = comm->device;
    int rc = COR_OK;
    both->send = (cor_transfer){.is_done = 1};
    both->recv = (cor_transfer){.is_done = 1, .peer = COR_PROC_NULL};
    if (source != COR_PROC_NULL) {
        int peer = source == COR_ANY_SOURCE ? COR_ANY_PEER : cor_comm_peer(comm, source);
        both->recv = (cor_transfer){0};
        rc = device->ops->irecv(device, &both->recv, peer, comm->context, recv_tag, in);
    }
    if (rc == COR_OK && dest != COR_PROC_NULL) {
        both->send = (cor_transfer){0};
        rc = device->ops->isend(device, &both->send, cor_comm_peer(comm, dest), comm->context, send_tag, out);
        if (rc != COR_OK) {
            device->ops->cancel(device, &both->recv);
            cor_device_wait(device, &both->recv);
        }
    }
    return rc;
}

/* What is received is not known yet: only what is sent counts as bytes. */
static void isendrecv_measured(const cor_comm *comm, uint64_t begin, cor_traced call, int dest, int tag, size_t bytes)
{
    int peer = dest == COR_PROC_NULL ? COR_NOW_UNKNOWN : cor_comm_peer(comm, dest);
    cor_measure_send(comm, peer, bytes);
    cor_measure_end(comm, begin, call, peer, tag, bytes);
}

static int isendrecv_make(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in,
                          int source, int recv_tag, cor_request **request_p)
{
    size_t copy_bytes = out ? 0 : in->bytes;
    isendrecv_job *both = malloc(sizeof *both + copy_bytes);
    cor_device *device = comm->device;
    cor_payload copied;
    cor_traced call = out ? COR_TRACED_ISENDRECV : COR_TRACED_ISENDRECV_REPLACE;
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    cor_request *request = both ? cor_request_make(comm, COR_REQUEST_JOB) : NULL;
    int rc;
    if (request) {
        *both = (isendrecv_job){.follower.step = isendrecv_step, .request = request};
        if (!out) {
            cor_payload_read(in, 0, both->copy, copy_bytes);
            copied = cor_payload_plain(both->copy, copy_bytes);
            out = &copied;
        }
        request->transfer = (cor_transfer){.peer = -1};
        rc = isendrecv_start(both, comm, out, dest, send_tag, in, source, recv_tag);
        request->is_active = rc == COR_OK;
    } else {
        rc = cor_fault_set(comm->owner->fault, COR_ERR_MEMORY, "no memory for a request and %zu bytes", copy_bytes);
    }
    if (rc == COR_OK) {
        *request_p = request;
        cor_list_append(&comm->owner->device->followers, &both->follower.link);
        isendrecv_step(&both->follower);
    } else {
        if (request)
            cor_request_drop(request);
        free(both);
    }
    if (COR_UNLIKELY(begin) && rc == COR_OK)
        isendrecv_measured(comm, begin, call, dest, send_tag, out->bytes);
    cor_device_leave(device);
    return rc;
}

int cor_isendrecv(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in, int source,
                  int recv_tag, cor_request **request_p)
{
    return isendrecv_make(comm, out, dest, send_tag, in, source, recv_tag, request_p);
}

int cor_isendrecv_replace(cor_comm *comm, const cor_payload *payload, int dest, int send_tag, int source, int recv_tag,
                          cor_request **request_p)
{
    return isendrecv_make(comm, NULL, dest, send_tag, payload, source, recv_tag, request_p);
}
