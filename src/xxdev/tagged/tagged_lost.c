/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling, and what happens to transfers when a peer is lost. */
#include "base/clock.h"
#include "xxdev/tagged/tagged_state.h"

#include <stdio.h>

/* Does a context hold a lost peer? */
static int tagged_is_broken(const tagged *self, uint32_t context)
{
    for (int i = 0; self->base.losses.count > 0 && i < self->size; i++)
        if (cor_losses_of(&self->base.losses, i) && cor_losses_holds(&self->base.losses, context, i))
            return 1;
    return 0;
}

/* How long a transfer may take that might end by itself, but might also never end. */
enum { TAGGED_MOMENT_MS = 300 };

static void tagged_doom(tagged *self, tagged_request *request, int ms)
{
    if (request->forget_ns)
        return;
    request->forget_ns = cor_clock_ns() + (uint64_t)ms * 1000000;
    self->doomed++;
}

void tagged_doom_receive(tagged *self, tagged_request *request, int peer)
{
    request->lost_peer = peer;
    tagged_doom(self, request, TAGGED_MOMENT_MS);
}

/* No library can cancel a send. But an operation that has lost a member ends, and so does not receive any more: a send that
 * does not end within a moment is forgotten then. */
void tagged_cancel(cor_device *device, cor_transfer *t)
{
    tagged *self = tagged_of(device);
    tagged_request *request = t->handle;
    if (t->is_done || !request) /* it is about to end */
        return;
    if (!t->is_send)
        self->ops->cancel(self->library, &request->base);
    else if (tagged_is_broken(self, t->context))
        tagged_doom(self, request, TAGGED_MOMENT_MS);
}

/* Nothing waits for this one to leave: perhaps its peer is dying, too. */
void tagged_notify_failure(cor_device *device, int peer, uint32_t context, int tag)
{
    tagged *self = tagged_of(device);
    tagged_request *request = cor_losses_of(&device->losses, peer) ? NULL : cor_pool_get(&self->requests);
    if (!request)
        return;
    *request = (tagged_request){.device = self};
    int rc = self->ops->send(self->library, peer, tagged_tag(context, self->rank, TAGGED_ABANDONED, tag),
                             (cor_tagged_data){0}, 0, &request->base);
    if (rc == COR_TAGGED_STARTED)
        cor_list_append(&self->started, &request->link);
    else
        cor_pool_put(&self->requests, request);
}

/* Does this request fail because the peer is lost? */
static int tagged_is_hit(const tagged *self, const tagged_request *request, int peer)
{
    const cor_transfer *t = request->transfer;
    if (request->base.is_matched)
        return t && request->base.matched_peer == peer;
    return t &&
           (t->peer == peer || (t->peer == COR_ANY_PEER && cor_losses_holds(&self->base.losses, t->context, peer)));
}

/* A transfer that may never end. */
static void tagged_forget(tagged *self, tagged_request *request)
{
    self->sending -= request->is_send;
    self->doomed -= request->forget_ns != 0;
    request->is_send = 0;
    request->forget_ns = 0;
    request->transfer = NULL;
}

void tagged_complete_lost(tagged *self, cor_transfer *t, int peer)
{
    int error = cor_losses_check(&self->base.losses, t->peer, t->context);
    t->peer = peer;
    t->bytes = t->message_bytes = 0;
    cor_device_complete(&self->base, t, error == COR_OK ? COR_ERR_PEER : error);
}

int tagged_forget_doomed(tagged *self)
{
    uint64_t now_ns = cor_clock_ns();
    int ended = 0;
    for (cor_link *link = self->started.next; link != &self->started; link = link->next) {
        tagged_request *request = COR_OWNER(link, tagged_request, link);
        cor_transfer *t = request->transfer;
        if (!request->forget_ns || request->forget_ns > now_ns)
            continue;
        if (t->is_send && self->ops->forget && !self->ops->forget(self->library, &request->base))
            continue;
        tagged_forget(self, request);
        ended++;
        if (!t->is_send) {
            tagged_complete_lost(self, t, request->lost_peer);
            continue;
        }
        t->is_cancelled = 1;
        t->bytes = t->message_bytes = 0;
        cor_device_complete(&self->base, t, COR_OK);
    }
    return ended;
}

/* A receive from any peer may have met the message of another one, which the library goes on to write: it ends with the error
 * only if it can still be cancelled. But what it has met may be the lost one's, which UCX does not tell, nor, inside a host,
 * that nothing more will come: then it ends when that has lasted for long. */
static void tagged_end_any(tagged *self, tagged_request *request, int peer)
{
    enum { LONG_MS = 3000 };
    request->lost_peer = peer;
    if (self->base.host->index_of[peer] >= 0)
        tagged_doom(self, request, LONG_MS);
    self->ops->cancel(self->library, &request->base); /* it may be gone now */
}

static void tagged_end_hit(tagged *self, tagged_request *request, int peer)
{
    cor_transfer *t = request->transfer;
    int is_send = request->is_send;
    tagged_forget(self, request);
    tagged_complete_lost(self, t, peer);
    if (!is_send)
        self->ops->cancel(self->library, &request->base);
}

/* The process of a peer on this host has ended. What it has sent is delivered first. */
void tagged_ended(void *subject, int peer, const cor_fault *why)
{
    tagged *self = subject;
    enum { LAST_EVENTS = 10000 };
    for (int i = 0; i < LAST_EVENTS && self->ops->progress(self->library) > 0; i++)
        ;
    if (!cor_losses_add(&self->base.losses, peer, why))
        return;
    cor_link *link = self->started.next;
    while (link != &self->started) {
        tagged_request *request = COR_OWNER(link, tagged_request, link);
        link = link->next;
        if (!tagged_is_hit(self, request, peer))
            continue;
        if (request->transfer->peer == COR_ANY_PEER && !request->base.is_matched)
            tagged_end_any(self, request, peer);
        else
            tagged_end_hit(self, request, peer);
    }
    self->ops->lose(self->library, peer);
    cor_device_wake(&self->base);
}

/* Has the process of a peer that is not reached ended? If nothing is known of that, it is lost all the same. */
static void tagged_lose_unreached(tagged *self, int peer, int error)
{
    cor_fault why;
    char text[160];
    cor_host_look(self->base.host);
    if (cor_losses_of(&self->base.losses, peer))
        return;
    self->ops->explain(error, text, sizeof text);
    cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: %s reports: %s", peer, self->ops->name, text);
    tagged_ended(self, peer, &why);
}

int tagged_lose(tagged *self, int peer, uint32_t context, int error)
{
    tagged_lose_unreached(self, peer, error);
    return cor_losses_check(&self->base.losses, peer, context);
}

/* To lose it takes calls of the library, which are not made in its progress. */
void tagged_unreached(void *device, int peer, int error)
{
    tagged *self = device;
    if (self->is_ending || self->unreached[peer] || cor_losses_of(&self->base.losses, peer))
        return;
    self->unreached[peer] = error;
    self->unreached_count++;
    cor_device_wake(&self->base);
}

/* is_patient: not those of this host. */
static int tagged_end_unreached(tagged *self, int is_patient)
{
    int ended = 0;
    for (int i = 0; self->unreached_count > 0 && i < self->size; i++) {
        int error = self->unreached[i];
        if (!error || (is_patient && self->base.host->index_of[i] >= 0))
            continue;
        self->unreached[i] = 0;
        self->unreached_count--;
        tagged_lose_unreached(self, i, error);
        ended++;
    }
    return ended;
}

static int tagged_end_failed(tagged *self)
{
    int ended = 0;
    for (; !cor_list_is_empty(&self->failed); ended++) {
        cor_transfer *t = COR_OWNER(self->failed.next, cor_transfer, link);
        cor_list_remove(&t->link);
        cor_device_complete(&self->base, t, tagged_lose(self, t->peer, t->context, t->error));
    }
    return ended;
}

/* Receives whose senders could not go on. Is the rank that those have lost lost to us, too? It is named then. */
static int tagged_end_abandoned(tagged *self)
{
    cor_fault room;
    int ended = 0;
    for (; !cor_list_is_empty(&self->abandoned); ended++) {
        cor_transfer *t = COR_OWNER(self->abandoned.next, cor_transfer, link);
        char lost[32] = "a rank";
        for (int i = 0; i < self->size; i++)
            if (cor_losses_of(&self->base.losses, i))
                snprintf(lost, sizeof lost, "rank %d", i);
        cor_list_remove(&t->link);
        cor_device_complete(&self->base, t,
                            cor_fault_set(tagged_fault(self, &room), COR_ERR_PEER,
                                          "rank %d could not go on, because it has lost %s", t->peer, lost));
    }
    return ended;
}

/* Some rank is lost. A library may notice a death before the kernel tells of it: the host is asked for a while, since it
 * says more. */
int tagged_end_unlucky(tagged *self)
{
    enum { PATIENCE_MS = 500 };
    uint64_t now_ns = cor_clock_ns();
    if (self->patience_ns == 0)
        self->patience_ns = now_ns + PATIENCE_MS * UINT64_C(1000000);
    cor_host_look(self->base.host);
    int is_patient = self->base.losses.count == 0 && now_ns < self->patience_ns;
    int ended = tagged_end_unreached(self, is_patient);
    if (is_patient)
        return ended;
    self->patience_ns = 0;
    return ended + tagged_end_failed(self) + tagged_end_abandoned(self);
}
