/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the provider: taken, started, queued, completed. */
#include "xxdev/tagged/ofi_state.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* ---- free ones -------------------------------------------------------------------------------------------------- */

void *ofi_slab(cor_tagged_library *library, size_t object_bytes)
{
    char *slab = calloc(1, sizeof(max_align_t) + OFI_SLAB * object_bytes);
    if (!slab)
        return NULL;
    *(void **)(void *)slab = library->slabs;
    library->slabs = slab;
    return slab + sizeof(max_align_t);
}

ofi_request *ofi_take(cor_tagged_library *library, ofi_kind kind)
{
    if (!library->free_requests) {
        ofi_request *slab = ofi_slab(library, sizeof *slab);
        for (int i = 0; slab && i < OFI_SLAB; i++) {
            slab[i].next = library->free_requests;
            library->free_requests = &slab[i];
        }
    }
    ofi_request *r = library->free_requests;
    if (r) {
        library->free_requests = r->next;
        *r = (ofi_request){.kind = kind};
    }
    return r;
}

void ofi_give_back(cor_tagged_library *library, ofi_request *r)
{
    free(r->bounce);
    r->next = library->free_requests;
    library->free_requests = r;
}

/* ---- starting --------------------------------------------------------------------------------------------------- */

/* Where a short message goes. What the receive has no room for is written where all of that goes, and never read:
 * libfabric 1.17 does not work on after a message was truncated. Returns how many places. */
static size_t ofi_places(const cor_tagged_library *library, const ofi_request *r, struct iovec places[2])
{
    size_t count = 0;
    if (r->bytes > 0)
        places[count++] = (struct iovec){r->memory, r->bytes};
    if (r->bytes < library->spill_bytes && count < library->info->rx_attr->iov_limit)
        places[count++] = (struct iovec){library->spill, library->spill_bytes - r->bytes};
    return count;
}

static ssize_t ofi_start_receive(cor_tagged_library *library, ofi_request *r, uint64_t flags)
{
    struct iovec places[2];
    struct fi_msg_tagged message = {.msg_iov = places,
                                    .iov_count = flags & FI_PEEK ? 0 : ofi_places(library, r, places),
                                    .addr = FI_ADDR_UNSPEC,
                                    .tag = r->tag,
                                    .ignore = ~r->mask & ofi_tag_ones(library),
                                    .context = &r->context};
    return fi_trecvmsg(library->endpoint, &message, flags);
}

static ssize_t ofi_start(cor_tagged_library *library, ofi_request *r)
{
    struct fid_ep *endpoint = library->endpoint;
    switch (r->kind) {
    case OFI_SEND:
    case OFI_PIECE_OUT:
        return fi_tsenddata(endpoint, r->memory, r->bytes, NULL, 0, library->peers[r->peer].address, r->tag,
                            &r->context);
    case OFI_CONTROL:
        return fi_tinjectdata(endpoint, NULL, 0, r->data, library->peers[r->peer].address, r->tag);
    case OFI_RECEIVE:
        return library->posted < library->posted_max ? ofi_start_receive(library, r, 0) : -FI_EAGAIN;
    case OFI_ANSWER:
    case OFI_PIECE_IN:
        return fi_trecv(endpoint, r->memory, r->bytes, NULL, FI_ADDR_UNSPEC, r->tag, ~r->mask & ofi_tag_ones(library),
                        &r->context);
    case OFI_PEEK:
        return ofi_start_receive(library, r, r->is_taking ? FI_PEEK | FI_CLAIM : FI_PEEK);
    case OFI_CLAIM:
        return ofi_start_receive(library, r, FI_CLAIM);
    }
    return -FI_EINVAL;
}

static ofi_queue *ofi_queue_of(cor_tagged_library *library, const ofi_request *r)
{
    if (ofi_goes_out(r))
        return &library->peers[r->peer].out;
    return &library->in[r->kind == OFI_RECEIVE ? OFI_IN : r->kind == OFI_ANSWER ? OFI_IN_ANSWERS : OFI_IN_OWN];
}

static void ofi_enqueue(cor_tagged_library *library, ofi_request *r)
{
    ofi_queue *queue = ofi_queue_of(library, r);
    r->next = NULL;
    r->is_queued = 1;
    if (!queue->first && ofi_goes_out(r)) {
        cor_list_append(&library->blocked, &library->peers[r->peer].link);
        library->blocked_count++;
    }
    if (queue->first)
        queue->last->next = r;
    else
        queue->first = r;
    queue->last = r;
}

static void ofi_dequeue(cor_tagged_library *library, ofi_request *r)
{
    ofi_queue *queue = ofi_queue_of(library, r);
    ofi_request **at = &queue->first, *before = NULL;
    while (*at != r) {
        before = *at;
        at = &before->next;
    }
    *at = r->next;
    if (queue->last == r)
        queue->last = before;
    r->is_queued = 0;
    if (!queue->first && ofi_goes_out(r)) {
        cor_list_remove(&library->peers[r->peer].link);
        library->blocked_count--;
    }
}

/* A request is over; r->result tells how. */
static void ofi_completed(cor_tagged_library *library, ofi_request *r)
{
    switch (r->kind) {
    case OFI_SEND:
    case OFI_RECEIVE:
    case OFI_CLAIM:
        ofi_message_completed(library, r);
        break;
    case OFI_PEEK:
        r->is_found = r->result.end == COR_TAGGED_OK;
        break;
    case OFI_ANSWER:
        ofi_answered(library, r);
        break;
    case OFI_CONTROL:
    case OFI_PIECE_OUT:
    case OFI_PIECE_IN:
        ofi_long_completed(library, r);
        break;
    }
}

/* The provider has taken it. Of what is injected no completion comes. */
static void ofi_taken(cor_tagged_library *library, ofi_request *r)
{
    library->posted += r->kind == OFI_RECEIVE;
    if (r->kind == OFI_CONTROL)
        ofi_completed(library, r);
}

/* The provider is done with it. */
static void ofi_returned(cor_tagged_library *library, ofi_request *r)
{
    library->posted -= r->kind == OFI_RECEIVE;
    ofi_completed(library, r);
}

int ofi_begin(cor_tagged_library *library, ofi_request *r)
{
    int is_peek = r->kind == OFI_PEEK;
    ssize_t rc = !is_peek && ofi_queue_of(library, r)->first ? -FI_EAGAIN : ofi_start(library, r);
    if (rc == -FI_EAGAIN && !is_peek) {
        ofi_enqueue(library, r);
        return 0;
    }
    if (rc == 0)
        ofi_taken(library, r);
    return (int)rc;
}

void ofi_fail_queued(cor_tagged_library *library, ofi_request *r, int error)
{
    ofi_dequeue(library, r);
    r->result =
        (cor_tagged_result){.end = error == -FI_ECANCELED ? COR_TAGGED_CANCELLED : COR_TAGGED_FAILED, .error = error};
    ofi_completed(library, r);
}

void ofi_cancel_request(cor_tagged_library *library, ofi_request *r)
{
    r->is_cancelling = 1;
    if (r->is_queued)
        ofi_fail_queued(library, r, -FI_ECANCELED);
    else
        fi_cancel(&library->endpoint->fid, &r->context);
}

int ofi_copy_queued(ofi_request *r)
{
    if (r->bounce || r->bytes == 0)
        return 1;
    r->bounce = r->is_queued ? malloc(r->bytes) : NULL;
    if (!r->bounce)
        return 0;
    memcpy(r->bounce, r->memory, r->bytes);
    r->memory = r->bounce;
    return 1;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static void ofi_take_error(cor_tagged_library *library)
{
    struct fi_cq_err_entry entry = {0};
    if (fi_cq_readerr(library->completions, &entry, 0) != 1 || !entry.op_context)
        return;
    ofi_request *r = entry.op_context;
    if (entry.err == FI_ECANCELED && !r->is_cancelling)
        entry.err = FI_ECONNABORTED; /* providers cancel what goes over a connection that breaks */
    r->result = (cor_tagged_result){.tag = entry.tag, .bytes = entry.len + entry.olen, .error = -entry.err};
    r->result.end = entry.err == FI_ETRUNC      ? COR_TAGGED_TRUNCATED
                    : entry.err == FI_ECANCELED ? COR_TAGGED_CANCELLED
                                                : COR_TAGGED_FAILED;
    ofi_returned(library, r);
}

static int ofi_start_queued(cor_tagged_library *library, ofi_queue *queue)
{
    int started = 0;
    for (ofi_request *r = queue->first; r; r = queue->first, started++) {
        ssize_t rc = ofi_start(library, r);
        if (rc == -FI_EAGAIN)
            break;
        if (rc != 0) {
            ofi_fail_queued(library, r, (int)rc);
            return started + 1; /* what took its place may be refused, too */
        }
        ofi_dequeue(library, r);
        ofi_taken(library, r);
    }
    return started;
}

/* Each peer has a turn. What ends meanwhile may add and remove others. */
static int ofi_start_blocked(cor_tagged_library *library)
{
    int started = 0;
    for (int turns = library->blocked_count; turns > 0 && library->blocked_count > 0; turns--) {
        ofi_peer *peer = COR_OWNER(library->blocked.next, ofi_peer, link);
        cor_list_remove(&peer->link);
        cor_list_append(&library->blocked, &peer->link);
        started += ofi_start_queued(library, &peer->out);
    }
    return started;
}

int ofi_progress(cor_tagged_library *library)
{
    struct fi_cq_tagged_entry entries[OFI_BATCH];
    ssize_t count = fi_cq_read(library->completions, entries, OFI_BATCH);
    for (ssize_t i = 0; i < count; i++) {
        ofi_request *r = entries[i].op_context;
        r->result = (cor_tagged_result){.tag = entries[i].tag, .bytes = entries[i].len};
        r->data = entries[i].data;
        ofi_returned(library, r);
    }
    if (count == -FI_EAVAIL)
        ofi_take_error(library);
    int events = count > 0 ? (int)count : count == -FI_EAVAIL;
    for (int i = 0; i < OFI_INS; i++)
        if (library->in[i].first && !(i == OFI_IN && library->is_peeking))
            events += ofi_start_queued(library, &library->in[i]);
    if (library->blocked_count > 0)
        events += ofi_start_blocked(library);
    return events;
}
