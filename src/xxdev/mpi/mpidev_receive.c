/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: packets that arrive, receives that are posted, messages that wait. */
#include "xxdev/mpi/mpidev_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- a receive meets its message -------------------------------------------------------------------------------- */

/* Where a message comes from and what it is, as its packet or its stored form tells. */
typedef struct mpidev_arrival {
    int peer, tag;
    unsigned type_class;
    uint32_t id;
    size_t bytes;
    const void *data; /* of a short one */
} mpidev_arrival;

/* The data go straight to memory if all of them have room there; else through a copy, also those that are not wanted,
 * for their sender waits for them to be taken. */
static void mpidev_receive_long(mpidev *self, cor_transfer *t, const mpidev_arrival *arrival)
{
    mpidev_stream *stream = cor_pool_get(&self->streams);
    int is_direct = !t->payload.ops && t->bytes == arrival->bytes;
    if (!stream)
        mpidev_fail(self, "no memory for a message that has arrived", 0);
    *stream = (mpidev_stream){.transfer = t};
    if (!is_direct && arrival->bytes > 0) {
        stream->staged = malloc(arrival->bytes);
        if (!stream->staged)
            mpidev_fail(self, "no memory for a message that has arrived", 0);
    }
    void *to = is_direct ? t->payload.base : stream->staged;
    int error = self->ops->irecv(self->bridge, COR_BRIDGE_LONG, arrival->peer, (int)arrival->id, to, arrival->bytes,
                                 &stream->request);
    if (error != 0)
        mpidev_fail(self, "the data of a long message could not be received", error);
    cor_list_append(&self->moving, &stream->link);
}

void mpidev_received(mpidev *self, mpidev_stream *stream)
{
    cor_transfer *t = stream->transfer;
    if (stream->staged && t->bytes > 0)
        cor_payload_write(&t->payload, 0, stream->staged, t->bytes);
    free(stream->staged);
    cor_pool_put(&self->streams, stream);
    mpidev_complete(self, t, t->error);
}

static void mpidev_receive(mpidev *self, cor_transfer *t, const mpidev_arrival *arrival)
{
    /* How it ends is known now; long data are still to come. */
    t->error = cor_transfer_meet(t, arrival->peer, arrival->tag, arrival->type_class, arrival->bytes);
    t->state = MPIDEV_MOVING;
    if (arrival->id) {
        mpidev_receive_long(self, t, arrival);
        return;
    }
    if (t->bytes > 0)
        cor_payload_write(&t->payload, 0, arrival->data, t->bytes);
    mpidev_complete(self, t, t->error);
}

/* ---- messages without a receive --------------------------------------------------------------------------------- */

static void mpidev_store(mpidev *self, uint32_t context, const mpidev_arrival *arrival)
{
    size_t data_bytes = arrival->id ? 0 : arrival->bytes;
    cor_message *m = cor_match_make_message(&self->match, data_bytes);
    if (!m)
        mpidev_fail(self, "no memory for a message that has arrived", 0);
    m->context = context;
    m->peer = arrival->peer;
    m->tag = arrival->tag;
    m->type_class = (uint8_t)arrival->type_class;
    m->id = arrival->id;
    m->bytes = arrival->bytes;
    if (data_bytes)
        memcpy(m->data, arrival->data, data_bytes);
    if (cor_match_add_message(&self->match, m) != COR_OK)
        mpidev_fail(self, "no memory for a message that has arrived", 0);
}

static void mpidev_receive_message(mpidev *self, cor_transfer *t, cor_message *m)
{
    mpidev_receive(self, t,
                   &(mpidev_arrival){.peer = m->peer,
                                     .tag = m->tag,
                                     .type_class = m->type_class,
                                     .id = m->id,
                                     .bytes = m->bytes,
                                     .data = m->data});
    cor_match_free_message(&self->match, m);
}

/* The oldest message that matches, or NULL. */
static cor_message *mpidev_find_message(mpidev *self, uint32_t context, int peer, int tag)
{
    cor_message *m = cor_match_find_message(&self->match, context, peer, tag);
    if (!m && self->match.is_out_of_memory)
        mpidev_fail(self, "no memory for matching with wildcards", 0);
    return m;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

int mpidev_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    mpidev *self = mpidev_of(device);
    cor_device_begin_receive(&self->base, t, payload);
    cor_message *m = mpidev_find_message(self, context, peer, tag);
    if (m) {
        cor_match_remove_message(m);
        mpidev_receive_message(self, t, m);
        return COR_OK;
    }
    t->peer = peer;
    t->tag = tag;
    t->context = context;
    t->state = MPIDEV_POSTED;
    int rc = cor_match_add_receive(&self->match, t);
    if (rc != COR_OK && t->payload.ops)
        cor_list_remove(&t->unheld);
    return rc;
}

int mpidev_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload)
{
    mpidev *self = mpidev_of(device);
    cor_match_remove_message(message);
    cor_device_begin_receive(&self->base, t, payload);
    mpidev_receive_message(self, t, message);
    return COR_OK;
}

int mpidev_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p)
{
    const cor_message *m = mpidev_find_message(mpidev_of(device), context, peer, tag);
    if (m)
        *found_p = cor_message_envelope(m);
    return m != NULL;
}

int mpidev_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                   cor_message **message_p)
{
    mpidev *self = mpidev_of(device);
    cor_message *m = mpidev_find_message(self, context, peer, tag);
    if (!m)
        return 0;
    *found_p = cor_message_envelope(m);
    cor_match_take_message(&self->match, m);
    *message_p = m;
    return 1;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

static size_t mpidev_slot_bytes(const mpidev *self)
{
    return sizeof(mpidev_header) + self->eager_max_bytes;
}

static int mpidev_slot_post(mpidev *self, mpidev_slot *slot)
{
    return self->ops->irecv(self->bridge, COR_BRIDGE_SHORT, COR_BRIDGE_ANY, 0, slot->packet, mpidev_slot_bytes(self),
                            &slot->request);
}

int mpidev_post_slots(mpidev *self, cor_fault *fault)
{
    size_t step = (mpidev_slot_bytes(self) + COR_CACHE_LINE - 1) / COR_CACHE_LINE * COR_CACHE_LINE;
    char text[160];
    int error = 0;
    self->slot_memory = aligned_alloc(COR_CACHE_LINE, MPIDEV_SLOTS * step);
    if (!self->slot_memory)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %zu bytes of messages", MPIDEV_SLOTS * step);
    for (int i = 0; error == 0 && i < MPIDEV_SLOTS; i++) {
        self->slots[i].packet = (mpidev_header *)(void *)(self->slot_memory + (size_t)i * step);
        error = mpidev_slot_post(self, &self->slots[i]);
    }
    if (error != 0) {
        self->ops->explain(error, text, sizeof text);
        return cor_fault_set(fault, COR_ERR_SYSTEM, "MPI_Irecv failed: %s", text);
    }
    self->is_posted = 1;
    return COR_OK;
}

static void mpidev_deliver(mpidev *self, int peer, const mpidev_header *header)
{
    mpidev_arrival arrival = {.peer = peer,
                              .tag = header->tag,
                              .type_class = header->type_class,
                              .id = header->id,
                              .bytes = header->bytes,
                              .data = header + 1};
    cor_transfer *t = cor_match_take_receive(&self->match, header->context, peer, header->tag);
    if (t)
        mpidev_receive(self, t, &arrival);
    else
        mpidev_store(self, header->context, &arrival);
}

int mpidev_take_packets(mpidev *self)
{
    int taken = 0;
    /* Not more than all slots once: others want their turn as well. */
    while (taken < MPIDEV_SLOTS) {
        mpidev_slot *slot = &self->slots[self->next_slot];
        int is_done, peer, bytes, error = self->ops->test(&slot->request, &is_done, &peer, &bytes);
        if (error == 0 && !is_done)
            break;
        if (error == 0)
            mpidev_deliver(self, peer, slot->packet);
        if (error == 0)
            error = mpidev_slot_post(self, slot);
        if (error != 0)
            mpidev_fail(self, "messages cannot be received any more", error);
        self->next_slot = (self->next_slot + 1) % MPIDEV_SLOTS;
        taken++;
    }
    return taken;
}
