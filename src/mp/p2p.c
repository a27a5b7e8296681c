/* Point-to-point: from ranks and modes to transfers of the device. */
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

int cor_send(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode)
{
    if (COR_UNLIKELY(dest == COR_PROC_NULL))
        return COR_OK;
    cor_device *device = comm->device;
    cor_transfer t;
    int rc;
    cor_device_enter(device);
    if (COR_UNLIKELY(mode == COR_BUFFERED)) {
        rc = cor_buffer_send(comm, payload, dest, tag);
    } else {
        rc = p2p_start_send(comm, &t, payload, dest, tag, mode);
        if (COR_LIKELY(rc == COR_OK)) {
            if (COR_UNLIKELY(!t.is_done))
                cor_device_wait(device, &t);
            rc = t.error;
        }
    }
    cor_device_flush(device);
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
    int rc = device->ops->irecv(device, &t, p2p_source(comm, source), comm->context, tag, payload);
    if (COR_LIKELY(rc == COR_OK)) {
        cor_device_wait(device, &t);
        rc = t.error;
        if (status_p)
            cor_status_fill(comm, &t, status_p);
    } else if (status_p) {
        *status_p = cor_status_empty;
    }
    cor_device_leave(device);
    return rc;
}

int cor_sendrecv(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in, int source,
                 int recv_tag, cor_status *status_p)
{
    cor_device *device = comm->device;
    cor_transfer send = {.is_done = 1}, recv = {.is_done = 1};
    int rc = COR_OK;
    cor_device_enter(device);
    if (source != COR_PROC_NULL)
        rc = device->ops->irecv(device, &recv, p2p_source(comm, source), comm->context, recv_tag, in);
    if (rc == COR_OK) {
        if (dest != COR_PROC_NULL)
            rc = p2p_start_send(comm, &send, out, dest, send_tag, COR_STANDARD);
        if (rc == COR_OK)
            cor_device_wait(device, &send);
        else
            device->ops->cancel(device, &recv);
        cor_device_wait(device, &recv);
    }
    cor_device_flush(device);
    cor_device_leave(device);
    if (rc != COR_OK)
        return rc;
    if (source == COR_PROC_NULL)
        p2p_no_one(status_p);
    else if (status_p)
        cor_status_fill(comm, &recv, status_p);
    return send.error != COR_OK ? send.error : recv.error;
}

int cor_sendrecv_replace(cor_comm *comm, const cor_payload *payload, int dest, int send_tag, int source, int recv_tag,
                         cor_status *status_p)
{
    void *copy = malloc(payload->bytes + 1);
    if (!copy)
        return cor_fault_set(&comm->owner->fault, COR_ERR_MEMORY, "no memory for a copy of %zu bytes", payload->bytes);
    cor_payload_read(payload, 0, copy, payload->bytes);
    cor_payload out = cor_payload_plain(copy, payload->bytes);
    out.type_class = payload->type_class;
    int rc = cor_sendrecv(comm, &out, dest, send_tag, payload, source, recv_tag, status_p);
    free(copy);
    return rc;
}

/* ---- non-blocking and persistent -------------------------------------------------------------------------------- */

static int p2p_no_memory(cor_comm *comm)
{
    return cor_fault_set(&comm->owner->fault, COR_ERR_MEMORY, "no memory for a request");
}

/* Start what the request describes, with the lock held. */
static int p2p_start(cor_request *request, const cor_payload *payload, int peer, int tag)
{
    cor_comm *comm = request->comm;
    cor_device *device = comm->device;
    cor_transfer *t = &request->transfer;
    int rc = COR_OK;
    t->is_done = 0;
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

static int p2p_make(cor_comm *comm, cor_request_kind kind, cor_send_mode mode, const cor_payload *payload, int peer,
                    int tag, int is_persistent, cor_request **request_p)
{
    cor_device *device = comm->device;
    cor_device_enter(device);
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
    cor_device *device = request->comm->device;
    /* The request keeps its own hold; the transfer takes and gives back one of its own where it needs it. */
    cor_payload payload = request->payload;
    payload.is_held = 0;
    cor_device_enter(device);
    int rc = request->kind == COR_REQUEST_JOB ? request->job_start(request)
                                              : p2p_start(request, &payload, request->peer, request->tag);
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

/* One look, with the lock held: 1, 0, or a code when no message can come any more. message_p NULL: leave the message
 * where it is. A message that is taken out has a
 * reference to its communicator, which is the caller's to give back. */
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
    cor_device_enter(device);
    int is_there;
    while ((is_there = p2p_look(comm, source, tag, message_p, &found)) == 0) {
        if (cor_device_progress(device, p2p_source(comm, source)) > 0)
            idle = (cor_idle_state){0};
        else
            cor_device_idle(device, &idle);
    }
    cor_device_leave(device);
    if (is_there < 0)
        return is_there;
    p2p_found(comm, &found, status_p);
    return COR_OK;
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

int cor_probe(cor_comm *comm, int source, int tag, cor_status *status_p)
{
    if (source == COR_PROC_NULL)
        p2p_no_one(status_p);
    else
        return p2p_wait_for_message(comm, source, tag, NULL, status_p);
    return COR_OK;
}

int cor_iprobe(cor_comm *comm, int source, int tag, int *flag_p, cor_status *status_p)
{
    *flag_p = 1;
    if (source == COR_PROC_NULL)
        p2p_no_one(status_p);
    else
        *flag_p = p2p_look_once(comm, source, tag, NULL, status_p);
    if (*flag_p < 0) {
        int rc = *flag_p;
        *flag_p = 0;
        return rc;
    }
    return COR_OK;
}

int cor_mprobe(cor_comm *comm, int source, int tag, cor_message **message_p, cor_status *status_p)
{
    *message_p = NULL;
    if (source == COR_PROC_NULL)
        p2p_no_one(status_p);
    else
        return p2p_wait_for_message(comm, source, tag, message_p, status_p);
    return COR_OK;
}

int cor_improbe(cor_comm *comm, int source, int tag, int *flag_p, cor_message **message_p, cor_status *status_p)
{
    *message_p = NULL;
    *flag_p = 1;
    if (source == COR_PROC_NULL)
        p2p_no_one(status_p);
    else
        *flag_p = p2p_look_once(comm, source, tag, message_p, status_p);
    if (*flag_p < 0) {
        int rc = *flag_p;
        *flag_p = 0;
        return rc;
    }
    return COR_OK;
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
    int rc = device->ops->imrecv(device, &t, message, payload);
    if (rc == COR_OK) {
        cor_device_wait(device, &t);
        rc = t.error;
        if (status_p)
            cor_status_fill(comm, &t, status_p);
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
    cor_request *request = cor_request_make(comm, COR_REQUEST_RECV);
    int rc = request ? COR_OK : p2p_no_memory(comm);
    if (request) {
        rc = device->ops->imrecv(device, &request->transfer, message, payload);
        request->is_active = 1;
        *request_p = request;
    }
    cor_device_leave(device);
    return rc;
}
