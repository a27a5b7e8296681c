/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half: packets, and the data of long messages. */
#include "xxdev/mpi/mpidev_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- ids: a long message has one from its announcement until its data were received ----------------------------- */

static int mpidev_ids_grow(mpidev *self)
{
    enum { FIRST = 64 };
    uint32_t most = (uint32_t)self->bridge->tag_max;
    uint32_t count = self->id_count ? self->id_count * 2 : FIRST;
    if (count > most)
        count = most;
    if (count == self->id_count)
        return cor_fault_set(self->fault, COR_ERR_EXHAUSTED, "%u long messages are on their way, and no more can be",
                             count);
    uint32_t *larger = realloc(self->free_ids, count * sizeof *larger);
    if (!larger)
        return cor_fault_set(self->fault, COR_ERR_MEMORY, "no memory for %u long messages on their way", count);
    self->free_ids = larger;
    while (self->id_count < count)
        self->free_ids[self->free_count++] = ++self->id_count;
    return COR_OK;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

static int mpidev_mpi_error(mpidev *self, int peer, int error)
{
    char text[160];
    self->ops->explain(error, text, sizeof text);
    return cor_fault_set(self->fault, COR_ERR_SYSTEM, "rank %d cannot send to rank %d: %s", self->bridge->rank, peer,
                         text);
}

static mpidev_packet *mpidev_packet_make(mpidev *self, const cor_transfer *t, const cor_payload *payload, uint32_t id)
{
    mpidev_packet *packet = cor_pool_get(&self->packets);
    if (!packet)
        return NULL;
    packet->transfer = NULL;
    packet->header = (mpidev_header){
        .bytes = payload->bytes, .context = t->context, .tag = t->tag, .id = id, .type_class = payload->type_class};
    return packet;
}

/* Hand it to the MPI, with so many bytes of data behind the header. The caller still owns it if that fails. */
static int mpidev_packet_send(mpidev *self, mpidev_packet *packet, int peer, size_t bytes)
{
    int error = self->ops->isend(self->bridge, COR_BRIDGE_SHORT, peer, 0, &packet->header,
                                 sizeof packet->header + bytes, &packet->request);
    if (error != 0)
        return mpidev_mpi_error(self, peer, error);
    cor_list_append(&self->outbox, &packet->link);
    return COR_OK;
}

int mpidev_push_packets(mpidev *self)
{
    int left = 0;
    while (!cor_list_is_empty(&self->outbox)) {
        mpidev_packet *packet = COR_OWNER(self->outbox.next, mpidev_packet, link);
        int is_done, error = self->ops->test(&packet->request, &is_done, NULL, NULL);
        if (error != 0)
            mpidev_fail(self, "a message could not be sent", error);
        if (!is_done)
            return left;
        cor_list_remove(&packet->link);
        if (packet->transfer)
            mpidev_complete(self, packet->transfer, COR_OK);
        cor_pool_put(&self->packets, packet);
        left++;
    }
    return left;
}

/* ---- sends ------------------------------------------------------------------------------------------------------ */

static int mpidev_send_short(mpidev *self, cor_transfer *t, const cor_payload *payload)
{
    mpidev_packet *packet = mpidev_packet_make(self, t, payload, 0);
    if (!packet)
        return cor_fault_set(self->fault, COR_ERR_MEMORY, "no memory for a message to rank %d", t->peer);
    cor_payload_read(payload, 0, &packet->header + 1, payload->bytes);
    int rc = mpidev_packet_send(self, packet, t->peer, payload->bytes);
    if (rc != COR_OK) {
        cor_pool_put(&self->packets, packet);
        return rc;
    }
    /* The data are in the packet. But a sender that is faster than the network is held up. */
    if (self->packets.in_use > MPIDEV_PACKETS_MAX)
        packet->transfer = t;
    else
        mpidev_complete(self, t, COR_OK);
    mpidev_push_packets(self);
    return COR_OK;
}

static void mpidev_stream_free(mpidev *self, mpidev_stream *stream)
{
    free(stream->staged);
    self->free_ids[self->free_count++] = stream->id;
    cor_pool_put(&self->streams, stream);
}

/* What the data are sent from: the payload's own memory, or a copy. */
static int mpidev_stream_stage(mpidev_stream *stream, const cor_payload *payload, const void **data_p)
{
    *data_p = payload->base;
    if (!payload->ops || payload->bytes == 0)
        return COR_OK;
    stream->staged = malloc(payload->bytes);
    if (!stream->staged)
        return COR_ERR_MEMORY;
    cor_payload_read(payload, 0, stream->staged, payload->bytes);
    *data_p = stream->staged;
    return COR_OK;
}

/* Always synchronous: that it is done says that the receiver has matched it, so that the id is free again, and nothing
 * long waits in the receiver's memory. */
static int mpidev_stream_send(mpidev *self, mpidev_stream *stream, const cor_payload *payload)
{
    const void *data;
    cor_transfer *t = stream->transfer;
    if (mpidev_stream_stage(stream, payload, &data) != COR_OK)
        return cor_fault_set(self->fault, COR_ERR_MEMORY, "no memory for %zu bytes on their way to rank %d",
                             payload->bytes, t->peer);
    mpidev_packet *packet = mpidev_packet_make(self, t, payload, stream->id);
    if (!packet)
        return cor_fault_set(self->fault, COR_ERR_MEMORY, "no memory for a message to rank %d", t->peer);
    int rc = mpidev_packet_send(self, packet, t->peer, 0);
    if (rc != COR_OK) {
        cor_pool_put(&self->packets, packet);
        return rc;
    }
    int error = self->ops->issend(self->bridge, COR_BRIDGE_LONG, t->peer, (int)stream->id, data, payload->bytes,
                                  &stream->request);
    if (error != 0) /* the announcement has left */
        mpidev_fail(self, "the data of a long message could not be sent", error);
    return COR_OK;
}

static int mpidev_send_long(mpidev *self, cor_transfer *t, const cor_payload *payload)
{
    int rc = self->free_count ? COR_OK : mpidev_ids_grow(self);
    if (rc != COR_OK)
        return rc;
    mpidev_stream *stream = cor_pool_get(&self->streams);
    if (!stream)
        return cor_fault_set(self->fault, COR_ERR_MEMORY, "no memory for a message to rank %d", t->peer);
    *stream = (mpidev_stream){.transfer = t, .id = self->free_ids[--self->free_count]};
    rc = mpidev_stream_send(self, stream, payload);
    if (rc != COR_OK) {
        mpidev_stream_free(self, stream);
        return rc;
    }
    t->state = MPIDEV_MOVING;
    cor_list_append(&self->moving, &stream->link);
    return COR_OK;
}

void mpidev_sent(mpidev *self, mpidev_stream *stream)
{
    cor_transfer *t = stream->transfer;
    mpidev_stream_free(self, stream);
    mpidev_complete(self, t, COR_OK);
}

/* The data leave before the call returns, or are staged: the payload need not be held. */
static void mpidev_send_begin(cor_transfer *t, int peer, uint32_t context, int tag, size_t bytes)
{
    t->is_done = 0;
    t->error = COR_OK;
    t->peer = peer;
    t->tag = tag;
    t->context = context;
    t->bytes = t->message_bytes = bytes;
    t->is_cancelled = 0;
    t->is_send = 1;
    t->state = MPIDEV_MOVING;
    t->payload = (cor_payload){0};
}

int mpidev_isend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    mpidev *self = mpidev_of(device);
    mpidev_send_begin(t, peer, context, tag, payload->bytes);
    return payload->bytes <= self->eager_max_bytes ? mpidev_send_short(self, t, payload)
                                                   : mpidev_send_long(self, t, payload);
}

int mpidev_issend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    mpidev_send_begin(t, peer, context, tag, payload->bytes);
    return mpidev_send_long(mpidev_of(device), t, payload);
}
