/* SPDX-License-Identifier: Apache-2.0 */
/* Point-to-point: from ranks and modes to transfers of the device. */
#include "mp/activity.h"
#include "mp/mp_state.h"

#include <stdlib.h>

const cor_status cor_status_empty = {.source = COR_ANY_SOURCE, .tag = COR_ANY_TAG};
const cor_status cor_status_nobody = {.source = COR_PROC_NULL, .tag = COR_ANY_TAG};

static inline void p2p_no_one(cor_status *status_p)
{
    if (status_p)
        *status_p = cor_status_nobody;
}

static inline int p2p_source(const cor_comm *comm, int source)
{
    return source == COR_ANY_SOURCE ? COR_ANY_PEER : cor_comm_peer(comm, source);
}

/* The status of a receive; if the rank has been finalised it has matched no message. */
static inline void p2p_status(const cor_comm *comm, const cor_transfer *t, cor_status *status_p)
{
    if (!status_p)
        return;
    if (COR_UNLIKELY(t->error == COR_ERR_FINALIZED))
        *status_p = cor_status_empty;
    else
        cor_status_fill(comm, t, status_p);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* Wait for a transfer as part of this call. */
static inline void p2p_wait(const cor_comm *comm, cor_transfer *t, cor_traced call, cor_now_way way, size_t bytes)
{
    cor_device *device = comm->device;
    cor_activity activity;
    if (COR_UNLIKELY(comm->monitor->is_measured))
        cor_measure_wait(comm->monitor);
    cor_activity_begin(comm->monitor, &activity, comm, call, way, t->peer, t->tag, bytes);
    cor_device_wait(device, t);
    cor_activity_end(comm->monitor, &activity);
}

/* A send of the program has started: it counts as a message. */
static inline void p2p_count_send(const cor_comm *comm, int dest, const cor_payload *payload)
{
    if (COR_UNLIKELY(comm->monitor->is_measured) && dest != COR_PROC_NULL)
        cor_measure_send(comm, cor_comm_peer(comm, dest), payload->bytes);
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

/* Start a send in its mode, with the lock held. A ready send needs no less than a standard one. */
static inline int p2p_start_send(cor_comm *comm, cor_transfer *t, const cor_payload *payload, int dest, int tag,
                                 cor_send_mode mode)
{
    cor_device *device = comm->device;
    int peer = cor_comm_peer(comm, dest);
    if (COR_UNLIKELY(mode == COR_SYNCHRONOUS))
        return device->ops->issend(device, t, peer, comm->context, tag, payload);
    return device->ops->isend(device, t, peer, comm->context, tag, payload);
}

static __attribute__((noinline)) void p2p_measured_send(const cor_comm *comm, uint64_t begin, cor_traced call,
                                                        int dest, int tag, size_t bytes)
{
    int peer = cor_comm_peer(comm, dest);
    cor_measure_send(comm, peer, bytes);
    cor_measure_end(comm, begin, call, peer, tag, bytes);
}

int cor_send(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode)
{
    if (COR_UNLIKELY(dest == COR_PROC_NULL))
        return COR_OK;
    cor_device *device = comm->device;
    cor_transfer t;
    int rc;
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    if (COR_UNLIKELY(mode == COR_BUFFERED)) {
        rc = cor_buffer_send(comm, payload, dest, tag);
    } else {
        rc = p2p_start_send(comm, &t, payload, dest, tag, mode);
        if (COR_LIKELY(rc == COR_OK)) {
            if (COR_UNLIKELY(!t.is_done))
                p2p_wait(comm, &t, COR_TRACED_SEND + mode, COR_WAY_TO, payload->bytes);
            rc = t.error;
        }
    }
    cor_device_flush(device);
    if (COR_UNLIKELY(begin))
        p2p_measured_send(comm, begin, COR_TRACED_SEND + mode, dest, tag, payload->bytes);
    cor_device_leave(device);
    return rc;
}

int cor_recv(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_status *status_p)
{
    if (COR_UNLIKELY(source == COR_PROC_NULL)) {
        p2p_no_one(status_p);
        return COR_OK;
    }
    cor_device *device = comm->device;
    cor_transfer t;
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    int rc = device->ops->irecv(device, &t, p2p_source(comm, source), comm->context, tag, payload);
    if (COR_LIKELY(rc == COR_OK)) {
        if (!t.is_done)
            p2p_wait(comm, &t, COR_TRACED_RECV, COR_WAY_FROM, payload->bytes);
        rc = t.error;
        p2p_status(comm, &t, status_p);
        cor_measure_end(comm, begin, COR_TRACED_RECV, t.peer, t.tag, t.bytes);
    } else if (status_p) {
        *status_p = cor_status_empty;
    }
    cor_device_leave(device);
    return rc;
}

static int p2p_sendrecv(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in,
                        int source, int recv_tag, cor_status *status_p, cor_traced call)
{
    cor_device *device = comm->device;
    cor_transfer send = {.is_done = 1}, recv = {.is_done = 1};
    int rc = COR_OK;
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    p2p_count_send(comm, dest, out);
    if (source != COR_PROC_NULL)
        rc = device->ops->irecv(device, &recv, p2p_source(comm, source), comm->context, recv_tag, in);
    if (rc == COR_OK) {
        if (dest != COR_PROC_NULL)
            rc = p2p_start_send(comm, &send, out, dest, send_tag, COR_STANDARD);
        if (rc == COR_OK && !send.is_done)
            p2p_wait(comm, &send, call, COR_WAY_TO, out->bytes);
        if (rc != COR_OK)
            device->ops->cancel(device, &recv);
        if (!recv.is_done)
            p2p_wait(comm, &recv, call, COR_WAY_FROM, in->bytes);
    }
    cor_device_flush(device);
    if (rc == COR_OK && source == COR_PROC_NULL)
        p2p_no_one(status_p);
    else if (rc == COR_OK)
        p2p_status(comm, &recv, status_p);
    if (COR_UNLIKELY(begin))
        cor_measure_end(comm, begin, call, dest == COR_PROC_NULL ? COR_NOW_UNKNOWN : cor_comm_peer(comm, dest),
                        send_tag, out->bytes + recv.bytes);
    cor_device_leave(device);
    if (rc != COR_OK)
        return rc;
    return send.error != COR_OK ? send.error : recv.error;
}

int cor_sendrecv(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in, int source,
                 int recv_tag, cor_status *status_p)
{
    return p2p_sendrecv(comm, out, dest, send_tag, in, source, recv_tag, status_p, COR_TRACED_SENDRECV);
}

int cor_sendrecv_replace(cor_comm *comm, const cor_payload *payload, int dest, int send_tag, int source, int recv_tag,
                         cor_status *status_p)
{
    void *copy = malloc(payload->bytes + 1);
    if (!copy)
        return cor_fault_set(comm->owner->fault, COR_ERR_MEMORY, "no memory for a copy of %zu bytes", payload->bytes);
    cor_payload_read(payload, 0, copy, payload->bytes);
    cor_payload out = cor_payload_plain(copy, payload->bytes);
    out.type_class = payload->type_class;
    int rc =
        p2p_sendrecv(comm, &out, dest, send_tag, payload, source, recv_tag, status_p, COR_TRACED_SENDRECV_REPLACE);
    free(copy);
    return rc;
}

/* ---- non-blocking and persistent -------------------------------------------------------------------------------- */

static int p2p_no_memory(cor_comm *comm)
{
    return cor_fault_set(comm->owner->fault, COR_ERR_MEMORY, "no memory for a request");
}

/* Start what the request describes, with the lock held. */
static int p2p_start(cor_request *request, const cor_payload *payload, int peer, int tag)
{
    cor_comm *comm = request->comm;
    cor_device *device = comm->device;
    cor_transfer *t = &request->transfer;
    int rc = COR_OK;
    t->is_done = 0;
    if (request->kind == COR_REQUEST_SEND)
        p2p_count_send(comm, peer, payload);
    if (peer == COR_PROC_NULL || request->mode == COR_BUFFERED) {
        if (peer != COR_PROC_NULL)
            rc = cor_buffer_send(comm, payload, peer, tag);
        *t = (cor_transfer){.is_done = 1, .peer = COR_PROC_NULL, .tag = COR_ANY_TAG};
    } else if (request->kind == COR_REQUEST_SEND) {
        rc = p2p_start_send(comm, t, payload, peer, tag, request->mode);
    } else {
        rc = device->ops->irecv(device, t, p2p_source(comm, peer), comm->context, tag, payload);
    }
    request->is_active = rc == COR_OK;
    return rc;
}

/* What is received is not known yet: only what is sent counts as bytes. */
static __attribute__((noinline)) void p2p_measured_start(const cor_comm *comm, uint64_t begin, cor_request_kind kind,
                                                         cor_send_mode mode, int rank, int tag, size_t bytes)
{
    int is_send = kind == COR_REQUEST_SEND;
    int peer = rank == COR_PROC_NULL ? COR_NOW_UNKNOWN : p2p_source(comm, rank);
    cor_measure_end(comm, begin, is_send ? COR_TRACED_ISEND + mode : COR_TRACED_IRECV, peer, tag, is_send ? bytes : 0);
}

static int p2p_make(cor_comm *comm, cor_request_kind kind, cor_send_mode mode, const cor_payload *payload, int peer,
                    int tag, int is_persistent, cor_request **request_p)
{
    cor_device *device = comm->device;
    cor_device_enter(device);
    uint64_t begin = is_persistent ? 0 : cor_measure_begin(comm->monitor);
    cor_request *request = cor_request_make(comm, kind);
    int rc = COR_OK;
    if (!request) {
        rc = p2p_no_memory(comm);
    } else {
        request->mode = (uint8_t)mode;
        request->peer = peer;
        if (is_persistent) {
            request->is_persistent = 1;
            request->tag = tag;
            request->payload = *payload;
            cor_payload_hold(&request->payload);
        } else {
            rc = p2p_start(request, payload, peer, tag);
            if (rc != COR_OK)
                cor_request_drop(request);
        }
        if (rc == COR_OK)
            *request_p = request;
    }
    if (COR_UNLIKELY(begin))
        p2p_measured_start(comm, begin, kind, mode, peer, tag, payload->bytes);
    cor_device_leave(device);
    return rc;
}

int cor_isend(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode,
              cor_request **request_p)
{
    return p2p_make(comm, COR_REQUEST_SEND, mode, payload, dest, tag, 0, request_p);
}

int cor_irecv(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_request **request_p)
{
    return p2p_make(comm, COR_REQUEST_RECV, COR_STANDARD, payload, source, tag, 0, request_p);
}

int cor_send_init(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode,
                  cor_request **request_p)
{
    return p2p_make(comm, COR_REQUEST_SEND, mode, payload, dest, tag, 1, request_p);
}

int cor_recv_init(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_request **request_p)
{
    return p2p_make(comm, COR_REQUEST_RECV, COR_STANDARD, payload, source, tag, 1, request_p);
}

int cor_start(cor_request *request)
{
    cor_comm *comm = cor_request_comm_if_any(request);
    if (!comm)
        return COR_ERR_FINALIZED;
    cor_device *device = comm->device;
    cor_device_enter(device);
    if (cor_device_is_closed(device)) {
        cor_device_leave(device);
        return COR_ERR_FINALIZED;
    }
    /* The request keeps its own hold; the transfer takes and releases one of its own where it needs it. */
    cor_payload payload = request->payload;
    payload.is_held = 0;
    uint64_t begin = cor_measure_begin(comm->monitor);
    int rc = request->kind == COR_REQUEST_JOB ? request->job_start(request)
                                              : p2p_start(request, &payload, request->peer, request->tag);
    cor_measure_end(comm, begin, COR_TRACED_START, COR_NOW_UNKNOWN, request->tag,
                    request->kind == COR_REQUEST_SEND ? payload.bytes : 0);
    cor_device_leave(device);
    return rc;
}

/* ---- probing ---------------------------------------------------------------------------------------------------- */

static void p2p_found(const cor_comm *comm, const cor_envelope *found, cor_status *status_p)
{
    if (status_p)
        *status_p = (cor_status){.source = cor_comm_rank_of(comm, found->peer),
                                 .tag = found->tag,
                                 .bytes = found->bytes,
                                 .message_bytes = found->bytes};
}

/* Probe once, with the lock held: 1, 0, or a code when no message can come any more. message_p NULL: do not remove the
 * message. A removed message has a reference to its communicator, which the caller releases. */
static int p2p_look(cor_comm *comm, int source, int tag, cor_message **message_p, cor_envelope *found_p)
{
    cor_device *device = comm->device;
    int peer = p2p_source(comm, source);
    if (!message_p)
        return device->ops->iprobe(device, peer, comm->context, tag, found_p);
    int is_taken = device->ops->improbe(device, peer, comm->context, tag, found_p, message_p);
    if (is_taken > 0)
        cor_comm_ref(comm);
    return is_taken;
}

static int p2p_wait_for_message(cor_comm *comm, int source, int tag, cor_message **message_p, cor_status *status_p)
{
    cor_device *device = comm->device;
    cor_envelope found;
    cor_idle_state idle = {0};
    cor_traced call = message_p ? COR_TRACED_MPROBE : COR_TRACED_PROBE;
    cor_activity activity;
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    cor_activity_begin(comm->monitor, &activity, comm, call, COR_WAY_FROM, p2p_source(comm, source), tag, 0);
    int is_there;
    while ((is_there = p2p_look(comm, source, tag, message_p, &found)) == 0) {
        if (cor_device_progress(device, p2p_source(comm, source)) > 0)
            idle = (cor_idle_state){0};
        else
            cor_device_idle(device, &idle);
    }
    cor_activity_end(comm->monitor, &activity);
    if (is_there > 0)
        p2p_found(comm, &found, status_p);
    if (COR_UNLIKELY(begin) && is_there > 0) {
        cor_measure_waited(comm->monitor, begin);
        cor_measure_end(comm, begin, call, found.peer, found.tag, found.bytes);
    }
    cor_device_leave(device);
    return is_there < 0 ? is_there : COR_OK;
}

static int p2p_look_once(cor_comm *comm, int source, int tag, cor_message **message_p, cor_status *status_p)
{
    cor_device *device = comm->device;
    cor_envelope found;
    cor_device_enter(device);
    int is_there = p2p_look(comm, source, tag, message_p, &found);
    if (!is_there && cor_device_poll(device) > 0)
        is_there = p2p_look(comm, source, tag, message_p, &found);
    cor_device_leave(device);
    if (is_there > 0)
        p2p_found(comm, &found, status_p);
    return is_there;
}

static int p2p_probe(cor_comm *comm, int source, int tag, cor_message **message_p, cor_status *status_p)
{
    if (source != COR_PROC_NULL)
        return p2p_wait_for_message(comm, source, tag, message_p, status_p);
    p2p_no_one(status_p);
    return COR_OK;
}

static int p2p_iprobe(cor_comm *comm, int source, int tag, int *flag_p, cor_message **message_p, cor_status *status_p)
{
    int is_there = 1;
    if (source != COR_PROC_NULL)
        is_there = p2p_look_once(comm, source, tag, message_p, status_p);
    else
        p2p_no_one(status_p);
    *flag_p = is_there > 0;
    return is_there < 0 ? is_there : COR_OK;
}

int cor_probe(cor_comm *comm, int source, int tag, cor_status *status_p)
{
    return p2p_probe(comm, source, tag, NULL, status_p);
}

int cor_iprobe(cor_comm *comm, int source, int tag, int *flag_p, cor_status *status_p)
{
    return p2p_iprobe(comm, source, tag, flag_p, NULL, status_p);
}

int cor_mprobe(cor_comm *comm, int source, int tag, cor_message **message_p, cor_status *status_p)
{
    *message_p = NULL;
    return p2p_probe(comm, source, tag, message_p, status_p);
}

int cor_improbe(cor_comm *comm, int source, int tag, int *flag_p, cor_message **message_p, cor_status *status_p)
{
    *message_p = NULL;
    return p2p_iprobe(comm, source, tag, flag_p, message_p, status_p);
}

int cor_mrecv(cor_comm *comm, cor_message *message, const cor_payload *payload, cor_status *status_p)
{
    if (!message) {
        p2p_no_one(status_p);
        return COR_OK;
    }
    cor_device *device = comm->device;
    cor_transfer t = {0};
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    int rc = device->ops->imrecv(device, &t, message, payload);
    if (rc == COR_OK) {
        if (!t.is_done)
            p2p_wait(comm, &t, COR_TRACED_MRECV, COR_WAY_FROM, payload->bytes);
        rc = t.error;
        p2p_status(comm, &t, status_p);
        cor_measure_end(comm, begin, COR_TRACED_MRECV, t.peer, t.tag, t.bytes);
    }
    cor_device_leave(device);
    return rc;
}

int cor_imrecv(cor_comm *comm, cor_message *message, const cor_payload *payload, cor_request **request_p)
{
    if (!message)
        return p2p_make(comm, COR_REQUEST_RECV, COR_STANDARD, payload, COR_PROC_NULL, COR_ANY_TAG, 0, request_p);
    cor_device *device = comm->device;
    cor_device_enter(device);
    uint64_t begin = cor_measure_begin(comm->monitor);
    cor_request *request = cor_request_make(comm, COR_REQUEST_RECV);
    int rc = request ? COR_OK : p2p_no_memory(comm);
    if (request) {
        rc = device->ops->imrecv(device, &request->transfer, message, payload);
        request->is_active = 1;
        *request_p = request;
        cor_measure_end(comm, begin, COR_TRACED_IMRECV, request->transfer.peer, request->transfer.tag, 0);
    }
    cor_device_leave(device);
    return rc;
}
