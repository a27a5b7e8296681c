/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half: a message and its data become a letter at once; when it arrives is the model's. */
#include "xxdev/sim/simdev_state.h"

static size_t send_letter_bytes(size_t bytes)
{
    return sizeof(sim_letter) + bytes;
}

static sim_letter *send_letter(simdev *self, const cor_transfer *t, const cor_payload *payload, int is_sync)
{
    sim_world *world = self->world;
    const cor_sim_link *link = cor_sim_link_of(&self->net, self->rank, t->peer);
    uint64_t place = cor_sim_reserve(world, 1) ? cor_sim_take(world, send_letter_bytes(payload->bytes)) : 0;
    if (!place)
        return NULL;
    sim_letter *letter = sim_at(world, place);
    *letter = (sim_letter){.from = self->rank,
                           .to = t->peer,
                           .context = t->context,
                           .tag = t->tag,
                           .type_class = payload->type_class,
                           .number = self->sent[t->peer]++,
                           .bytes = payload->bytes,
                           .references = 1};
    cor_sim_cost_of(link, (double)payload->bytes, is_sync, &letter->cost);
    letter->is_long = !letter->cost.is_eager;
    if (payload->bytes > 0)
        cor_payload_read(payload, 0, letter->data, payload->bytes);
    return letter;
}

void simdev_drop(simdev *self, sim_letter *letter)
{
    if (--letter->references == 0)
        cor_sim_give(self->world, sim_place(self->world, letter), send_letter_bytes(letter->bytes));
}

static int send_start(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                      const cor_payload *payload, int is_sync)
{
    simdev *self = simdev_of(device);
    t->is_done = 0;
    t->error = COR_OK;
    t->peer = peer;
    t->tag = tag;
    t->context = context;
    t->bytes = t->message_bytes = payload->bytes;
    t->is_cancelled = 0;
    t->is_send = 1;
    t->state = SIMDEV_MOVING;
    t->payload = (cor_payload){0}; /* the data are in the letter: nothing need be held */
    simdev_enter(self);
    sim_letter *letter = send_letter(self, t, payload, is_sync);
    if (!letter) {
        simdev_leave(self);
        return cor_fault_set(self->fault, COR_ERR_MEMORY,
                             "no room for a message of %zu bytes to rank %d; sim.memory is %zu", payload->bytes, peer,
                             self->memory_bytes);
    }
    sim_seat *seat = simdev_seat(self);
    uint64_t place = sim_place(self->world, letter);
    double start = seat->clock;
    seat->clock += letter->cost.asking;
    if (letter->is_long) {
        letter->references = 2;
        letter->sender = (uint64_t)(uintptr_t)t;
        cor_sim_push(self->world, self->rank, SIM_ANNOUNCED, seat->clock + letter->cost.announced, place);
    } else {
        cor_sim_push(self->world, self->rank, SIM_LEAVES, start + letter->cost.lead, place);
        cor_device_complete(device, t, COR_OK);
    }
    simdev_leave(self);
    return COR_OK;
}

int simdev_isend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    return send_start(device, t, peer, context, tag, payload, 0);
}

int simdev_issend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    return send_start(device, t, peer, context, tag, payload, 1);
}

void simdev_sent(simdev *self, sim_letter *letter, double time)
{
    sim_seat *seat = simdev_seat(self);
    cor_transfer *t = (cor_transfer *)(uintptr_t)letter->sender;
    if (seat->clock < time)
        seat->clock = time;
    simdev_drop(self, letter);
    cor_device_complete(&self->base, t, COR_OK);
}
