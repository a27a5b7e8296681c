/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: letters that arrive, receives that are posted, messages that wait. */
#include "xxdev/sim/simdev_state.h"

/* ---- a receive meets its message
 * ------------------------------------------------------------------------------------ */

/* The data are there: write what fits, and the receive is done. */
static void receive_take(simdev *self, cor_transfer *t, sim_letter *letter)
{
    if (t->bytes > 0)
        cor_payload_write(&t->payload, 0, letter->data, t->bytes);
    simdev_drop(self, letter);
    cor_device_complete(&self->base, t, t->error);
}

/* Of a long message only the announcement is there: its data leave now. */
static void receive_meet(simdev *self, cor_transfer *t, sim_letter *letter)
{
    t->error = cor_transfer_meet(t, letter->from, letter->tag, letter->type_class, letter->bytes);
    t->state = SIMDEV_MOVING;
    if (!letter->is_long) {
        receive_take(self, t, letter);
        return;
    }
    letter->receiver = (uint64_t)(uintptr_t)t;
    if (!cor_sim_reserve(self->world, 1))
        simdev_fail(self);
    cor_sim_push(self->world, self->rank, SIM_LEAVES, simdev_seat(self)->clock, sim_place(self->world, letter));
}

/* ---- messages without a receive
 * --------------------------------------------------------------------------------------- */

static sim_letter *receive_letter(const simdev *self, const cor_message *m)
{
    return sim_at(self->world, m->word);
}

static void receive_store(simdev *self, const sim_letter *letter)
{
    cor_message *m = cor_match_make_message(&self->match, 0);
    if (!m)
        simdev_fail(self);
    m->context = letter->context;
    m->peer = letter->from;
    m->tag = letter->tag;
    m->type_class = (uint8_t)letter->type_class;
    m->bytes = letter->bytes;
    m->word = sim_place(self->world, letter);
    if (cor_match_add_message(&self->match, m) != COR_OK)
        simdev_fail(self);
}

/* A message that has waited is copied out of where it was stored. */
static void receive_stored(simdev *self, cor_transfer *t, cor_message *m)
{
    sim_letter *letter = receive_letter(self, m);
    if (!letter->is_long)
        simdev_seat(self)->clock += self->net.copy_us * (double)letter->bytes;
    receive_meet(self, t, letter);
    cor_match_free_message(&self->match, m);
}

static cor_message *receive_find(simdev *self, uint32_t context, int peer, int tag)
{
    cor_message *m = cor_match_find_message(&self->match, context, peer, tag);
    if (!m && self->match.is_out_of_memory)
        simdev_fail(self);
    return m;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

int simdev_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    simdev *self = simdev_of(device);
    int rc = COR_OK;
    cor_device_begin_receive(&self->base, t, payload);
    simdev_enter(self);
    cor_message *m = receive_find(self, context, peer, tag);
    if (m) {
        cor_match_remove_message(m);
        receive_stored(self, t, m);
    } else {
        t->peer = peer;
        t->tag = tag;
        t->context = context;
        t->state = SIMDEV_POSTED;
        rc = cor_match_add_receive(&self->match, t);
        if (rc != COR_OK && t->payload.ops)
            cor_list_remove(&t->unheld);
    }
    simdev_leave(self);
    return rc;
}

int simdev_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload)
{
    simdev *self = simdev_of(device);
    cor_match_remove_message(message);
    cor_device_begin_receive(&self->base, t, payload);
    simdev_enter(self);
    receive_stored(self, t, message);
    simdev_leave(self);
    return COR_OK;
}

int simdev_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p)
{
    const cor_message *m = receive_find(simdev_of(device), context, peer, tag);
    if (m)
        *found_p = cor_message_envelope(m);
    return m != NULL;
}

int simdev_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                   cor_message **message_p)
{
    simdev *self = simdev_of(device);
    cor_message *m = receive_find(self, context, peer, tag);
    if (!m)
        return 0;
    *found_p = cor_message_envelope(m);
    cor_match_take_message(&self->match, m);
    *message_p = m;
    return 1;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static void receive_pay(const simdev *self, const sim_letter *letter, double time)
{
    sim_seat *seat = simdev_seat(self);
    seat->clock = (seat->clock > time ? seat->clock : time) + letter->cost.overhead;
}

/* A message, of a long one its announcement, which takes the receiver's CPU nothing: T(n) has it. */
static void receive_message(simdev *self, sim_letter *letter, double time)
{
    sim_seat *seat = simdev_seat(self);
    self->received[letter->from]++;
    if (!letter->is_long)
        receive_pay(self, letter, time);
    cor_transfer *t = cor_match_take_receive(&self->match, letter->context, letter->from, letter->tag);
    if (t && letter->is_long && seat->clock < time)
        seat->clock = time;
    if (t)
        receive_meet(self, t, letter);
    else
        receive_store(self, letter);
}

/* The next message from this rank, if it has overtaken others. */
static sim_letter *receive_take_early(simdev *self, int from)
{
    for (uint64_t *link = &self->early; *link;) {
        sim_letter *letter = sim_at(self->world, *link);
        if (letter->from == from && letter->number == self->received[from]) {
            *link = letter->to_receiver.next;
            return letter;
        }
        link = &letter->to_receiver.next;
    }
    return NULL;
}

/* A short message may be faster than a long one before it; it waits for that. */
static void receive_in_order(simdev *self, sim_letter *letter, double time)
{
    int from = letter->from;
    if (letter->number != self->received[from]) {
        letter->to_receiver.next = self->early;
        self->early = sim_place(self->world, letter);
        return;
    }
    do
        receive_message(self, letter, time);
    while ((letter = receive_take_early(self, from)) != NULL);
}

/* The data of a long message that a receive has met. */
static void receive_data(simdev *self, sim_letter *letter, double time)
{
    receive_pay(self, letter, time);
    receive_take(self, (cor_transfer *)(uintptr_t)letter->receiver, letter);
}

int simdev_progress(cor_device *device, int hint)
{
    simdev *self = simdev_of(device);
    sim_world *world = self->world;
    int events = 0;
    (void)hint;
    simdev_enter(self);
    sim_seat *seat = simdev_seat(self);
    while (seat->first_note) {
        const sim_note *note = sim_at(world, seat->first_note);
        sim_letter *letter = sim_at(world, note->letter);
        sim_stage stage = note->stage;
        double time = note->time;
        seat->first_note = note->next;
        if (!seat->first_note)
            seat->last_note = 0;
        events++;
        if (stage == SIM_LEFT)
            simdev_sent(self, letter, time);
        else if (letter->receiver)
            receive_data(self, letter, time);
        else
            receive_in_order(self, letter, time);
    }
    simdev_leave(self);
    return events;
}
