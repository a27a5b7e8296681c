/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers: what the device starts, and how the library ends it. */
#include "base/clock.h"
#include "xxdev/tagged/tagged_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tagged_error(const tagged *self, const char *what, int peer, int error)
{
    char text[160];
    self->ops->explain(error, text, sizeof text);
    cor_fault room;
    return cor_fault_set(tagged_fault(self, &room), COR_ERR_SYSTEM, "rank %d cannot %s rank %d: %s: %s", self->rank,
                         what, peer, self->ops->name, text);
}

static _Noreturn void tagged_no_memory(const tagged *self)
{
    COR_LOG(self->log, ERROR, "out of memory for a message; it cannot be refused any more");
    abort();
}

static int tagged_check_tag(const tagged *self, int tag)
{
    cor_fault room;
    if (COR_LIKELY(tag <= self->base.tag_max))
        return COR_OK;
    return cor_fault_set(tagged_fault(self, &room), COR_ERR_TAG,
                         "tag is %d, but over %s it can be %d at most (MPI_TAG_UB)", tag, self->base.name,
                         self->base.tag_max);
}

/* A transfer ends with the next progress. The thread that waits for it may sleep, while another one makes this progress. */
static void tagged_end_later(tagged *self, cor_list *list, cor_transfer *t)
{
    t->handle = NULL;
    cor_list_append(list, &t->link);
    cor_device_wake(&self->base);
}

/* The library does not reach the peer of this transfer any more. That is looked at outside of the library's progress. */
static void tagged_fail_later(tagged *self, cor_transfer *t, int error)
{
    t->error = error; /* the library's, until then */
    tagged_end_later(self, &self->failed, t);
}

/* ---- the end of a transfer -------------------------------------------------------------------------------------- */

static void tagged_received(tagged *self, cor_transfer *t, const cor_tagged_result *result)
{
    unsigned type_class = tagged_class_of(result->tag);
    int error = COR_OK, peer = tagged_peer_of(result->tag);
    switch (result->end) {
    case COR_TAGGED_OK:
    case COR_TAGGED_TRUNCATED:
        error = cor_transfer_meet(t, peer, tagged_tag_of(result->tag), type_class, result->bytes);
        if (result->end == COR_TAGGED_TRUNCATED && error == COR_OK) /* some do not tell how long it was */
            error = COR_ERR_TRUNCATE;
        if (COR_UNLIKELY(type_class == TAGGED_ABANDONED)) {
            tagged_end_later(self, &self->abandoned, t);
            return;
        }
        break;
    case COR_TAGGED_CANCELLED:
        t->is_cancelled = 1;
        t->bytes = t->message_bytes = 0;
        break;
    case COR_TAGGED_FAILED:
        t->bytes = t->message_bytes = 0;
        t->peer = t->peer == COR_ANY_PEER && result->tag ? peer : t->peer;
        if (t->peer != COR_ANY_PEER && self->ops->is_gone(result->error)) {
            tagged_fail_later(self, t, result->error);
            return;
        }
        error = tagged_error(self, "receive from", t->peer, result->error);
        break;
    }
    cor_device_complete(&self->base, t, error);
}

static void tagged_sent(tagged *self, cor_transfer *t, const cor_tagged_result *result)
{
    int is_fine = result->end == COR_TAGGED_OK;
    if (!is_fine && self->ops->is_gone(result->error)) {
        tagged_fail_later(self, t, result->error);
        return;
    }
    cor_device_complete(&self->base, t, is_fine ? COR_OK : tagged_error(self, "send to", t->peer, result->error));
}

static tagged_request *tagged_request_of(cor_tagged_transfer *transfer)
{
    return (tagged_request *)(void *)transfer;
}

void tagged_done(cor_tagged_transfer *transfer, const cor_tagged_result *result)
{
    tagged_request *request = tagged_request_of(transfer);
    cor_transfer *t = request->transfer;
    tagged *self = request->device;
    cor_list_remove(&request->link);
    self->sending -= request->is_send;
    self->doomed -= request->forget_ns != 0;
    if (t && t->is_send)
        tagged_sent(self, t, result);
    else if (t && request->lost_peer >= 0 && result->end == COR_TAGGED_CANCELLED)
        tagged_complete_lost(self, t, request->lost_peer);
    else if (t)
        tagged_received(self, t, result);
    cor_pool_put(&self->requests, request);
}

/* ---- starting --------------------------------------------------------------------------------------------------- */

static tagged_request *tagged_request_make(tagged *self, cor_transfer *t, const cor_payload *payload)
{
    tagged_request *request = cor_pool_get(&self->requests);
    if (!request)
        tagged_no_memory(self);
    *request = (tagged_request){.device = self, .transfer = t, .is_send = t->is_send, .lost_peer = -1};
    t->payload = *payload;
    t->handle = request;
    return request;
}

static cor_tagged_data tagged_data(const cor_payload *payload)
{
    return (cor_tagged_data){payload->base, payload->bytes, payload->ops != NULL};
}

void tagged_read(cor_tagged_transfer *transfer, size_t offset, void *to, size_t bytes)
{
    const cor_transfer *t = tagged_request_of(transfer)->transfer;
    if (t)
        cor_payload_read(&t->payload, offset, to, bytes);
    else
        memset(to, 0, bytes); /* it goes to a peer that is lost */
}

void tagged_write(cor_tagged_transfer *transfer, size_t offset, const void *from, size_t bytes)
{
    const cor_transfer *t = tagged_request_of(transfer)->transfer;
    if (t)
        cor_payload_write(&t->payload, offset, from, bytes);
}

static void tagged_begin(cor_transfer *t, int peer, uint32_t context, int tag, int is_send, int is_sync)
{
    t->is_done = 0;
    t->error = COR_OK;
    t->peer = peer;
    t->tag = tag;
    t->context = context;
    t->is_cancelled = 0;
    t->is_send = (uint8_t)is_send;
    t->is_sync = (uint8_t)is_sync;
}

static int tagged_send(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                       const cor_payload *payload, int is_sync)
{
    tagged *self = tagged_of(device);
    int rc = tagged_check_tag(self, tag);
    if (rc == COR_OK && COR_UNLIKELY(device->losses.count > 0))
        rc = cor_losses_check(&device->losses, peer, context);
    if (rc != COR_OK)
        return rc;
    tagged_begin(t, peer, context, tag, 1, is_sync);
    t->bytes = t->message_bytes = payload->bytes;
    tagged_request *request = tagged_request_make(self, t, payload);
    rc = self->ops->send(self->library, peer, tagged_tag(context, self->rank, payload->type_class, tag),
                         tagged_data(payload), is_sync, &request->base);
    if (rc == COR_TAGGED_STARTED) {
        cor_device_hold_later(device, t);
        cor_list_append(&self->started, &request->link);
        self->sending++;
        return COR_OK;
    }
    cor_pool_put(&self->requests, request);
    if (rc != COR_TAGGED_DONE)
        return self->ops->is_gone(rc) ? tagged_lose(self, peer, context, rc) : tagged_error(self, "send to", peer, rc);
    t->is_done = 1;
    return COR_OK;
}

static int tagged_isend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                        const cor_payload *payload)
{
    return tagged_send(device, t, peer, context, tag, payload, 0);
}

static int tagged_issend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                         const cor_payload *payload)
{
    return tagged_send(device, t, peer, context, tag, payload, 1);
}

/* The library has taken a receive, or ended it. sender: whose message is there for it; -1: not known, or none. */
static int tagged_receive_begun(tagged *self, cor_transfer *t, tagged_request *request, int rc,
                                const cor_tagged_result *result, int sender)
{
    if (rc == COR_TAGGED_STARTED) {
        cor_device_hold_later(&self->base, t);
        cor_list_append(&self->started, &request->link);
        if (COR_UNLIKELY(sender >= 0 && cor_losses_of(&self->base.losses, sender)))
            tagged_doom_receive(self, request, sender);
        return COR_OK;
    }
    cor_pool_put(&self->requests, request);
    if (rc != COR_TAGGED_DONE)
        return tagged_error(self, "receive from", t->peer, rc);
    if (t->payload.ops)
        cor_list_init(&t->unheld);
    tagged_received(self, t, result);
    return COR_OK;
}

static int tagged_find(tagged *self, int peer, uint32_t context, int tag, cor_tagged_result *found_p, void **message_p)
{
    tagged_wish wish = tagged_wish_for(context, peer, tag);
    return self->ops->probe(self->library, wish.tag, wish.mask, found_p, message_p);
}

/* A peer is lost: what it has sent before can be received. *sender_p is set where a message is there. */
static int tagged_check_receive(tagged *self, int peer, uint32_t context, int tag, int *sender_p)
{
    cor_tagged_result found;
    if (!tagged_find(self, peer, context, tag, &found, NULL))
        return cor_losses_check(&self->base.losses, peer, context);
    *sender_p = tagged_peer_of(found.tag);
    return COR_OK;
}

static int tagged_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                        const cor_payload *payload)
{
    tagged *self = tagged_of(device);
    cor_tagged_result result;
    int rc = tagged_check_tag(self, tag), sender = -1;
    if (rc == COR_OK && COR_UNLIKELY(device->losses.count > 0))
        rc = tagged_check_receive(self, peer, context, tag, &sender);
    if (rc != COR_OK)
        return rc;
    tagged_begin(t, peer, context, tag, 0, 0);
    tagged_request *request = tagged_request_make(self, t, payload);
    tagged_wish wish = tagged_wish_for(context, peer, tag);
    rc = self->ops->receive(self->library, wish.tag, wish.mask, tagged_data(payload), &request->base, &result);
    return tagged_receive_begun(self, t, request, rc, &result, sender);
}

static int tagged_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload)
{
    tagged *self = tagged_of(device);
    cor_tagged_result result;
    tagged_begin(t, tagged_peer_of(message->found.tag), 0, tagged_tag_of(message->found.tag), 0, 0);
    tagged_request *request = tagged_request_make(self, t, payload);
    int rc = self->ops->receive_message(self->library, message->handle, tagged_data(payload), &request->base, &result);
    cor_pool_put(&self->messages, message);
    return tagged_receive_begun(self, t, request, rc, &result, t->peer);
}

/* ---- probes ----------------------------------------------------------------------------------------------------- */

static int tagged_probe(tagged *self, int peer, uint32_t context, int tag, cor_envelope *found_p, void **message_p,
                        cor_tagged_result *result_p)
{
    if (!tagged_find(self, peer, context, tag, result_p, message_p)) {
        self->is_probing = 1;
        return cor_losses_check(&self->base.losses, peer, context);
    }
    *found_p = (cor_envelope){tagged_peer_of(result_p->tag), tagged_tag_of(result_p->tag), result_p->bytes};
    return 1;
}

static int tagged_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p)
{
    cor_tagged_result result;
    return tagged_probe(tagged_of(device), peer, context, tag, found_p, NULL, &result);
}

static int tagged_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                          cor_message **message_p)
{
    tagged *self = tagged_of(device);
    cor_tagged_result result;
    void *handle;
    int rc = tagged_probe(self, peer, context, tag, found_p, &handle, &result);
    if (rc != 1)
        return rc;
    *message_p = cor_pool_get(&self->messages);
    if (!*message_p)
        tagged_no_memory(self);
    **message_p = (cor_message){result, handle};
    return 1;
}

/* The library does not tell of what it stores without giving it away. */
static void tagged_visit(cor_device *device, cor_envelope_fn visit, void *subject)
{
    (void)device;
    (void)visit;
    (void)subject;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static int tagged_progress(cor_device *device, int hint)
{
    tagged *self = tagged_of(device);
    (void)hint;
    int events = self->ops->progress(self->library);
    if (COR_UNLIKELY(tagged_has_unlucky(self)))
        events += tagged_end_unlucky(self);
    if (COR_UNLIKELY(self->doomed > 0))
        events += tagged_forget_doomed(self);
    if (events > 0)
        self->fruitless = 0;
    return events;
}

/* While UCX 1.13 waits for a peer to accept a TCP connection its descriptor is always readable, and ofi_rxm does not tell when
 * such a wait is over. */
static cor_unsent tagged_unsent(cor_device *device)
{
    const tagged *self = tagged_of(device);
    if (self->fruitless >= TAGGED_FRUITLESS_MAX && cor_clock_ns() - self->armed_ns < TAGGED_NAPS_NS)
        return COR_UNSENT_POLLS;
    return self->sending ? COR_UNSENT_WAKES : COR_UNSENT_NONE;
}

static int tagged_is_drained(cor_device *device)
{
    return tagged_of(device)->sending == 0;
}

static int tagged_begin_shutdown(cor_device *device)
{
    tagged_of(device)->is_ending = 1;
    return 1; /* a message that has left this rank may need the library's progress to arrive */
}

/* Nothing of ours outlives the process. */
static void tagged_abandon(cor_device *device)
{
    (void)device;
}

static void tagged_describe(cor_device *device, int peer, char *out, size_t out_bytes)
{
    tagged *self = tagged_of(device);
    char version[32], way[160] = "";
    self->ops->library_version(version, sizeof version);
    self->ops->describe(self->library, peer, way, sizeof way);
    snprintf(out, out_bytes, "%s %s%s%s", self->ops->name, version, way[0] ? ", " : "", way);
}

const cor_device_ops tagged_ops = {
    .address = tagged_address,
    .connect = tagged_connect,
    .attach = tagged_attach,
    .settle = tagged_settle,
    .close = tagged_close,
    .abandon = tagged_abandon,
    .begin_shutdown = tagged_begin_shutdown,
    .isend = tagged_isend,
    .issend = tagged_issend,
    .irecv = tagged_irecv,
    .imrecv = tagged_imrecv,
    .iprobe = tagged_iprobe,
    .improbe = tagged_improbe,
    .visit = tagged_visit,
    .notify_failure = tagged_notify_failure,
    .cancel = tagged_cancel,
    .progress = tagged_progress,
    .unsent = tagged_unsent,
    .is_drained = tagged_is_drained,
    .describe = tagged_describe,
};
