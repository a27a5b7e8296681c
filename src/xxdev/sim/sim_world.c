/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/sim/sim_world.h"

#include "base/futex.h"

#include <limits.h>
#include <string.h>

enum { WORLD_LEAST_SHIFT = 6 }; /* of the smallest piece of memory */

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static int world_class(size_t bytes)
{
    int class = WORLD_LEAST_SHIFT;
    while (class < SIM_CLASSES && (size_t)1 << class < bytes)
        class ++;
    return class;
}

uint64_t cor_sim_take(sim_world *world, size_t bytes)
{
    int class = world_class(bytes);
    if (class == SIM_CLASSES)
        return 0;
    uint64_t place = world->free[class];
    size_t size = (size_t)1 << class;
    if (place) {
        world->free[class] = *(uint64_t *)sim_at(world, place);
        return place;
    }
    if (size > world->bytes - world->used)
        return 0;
    place = world->used;
    world->used += size;
    return place;
}

void cor_sim_give(sim_world *world, uint64_t place, size_t bytes)
{
    int class = world_class(bytes);
    *(uint64_t *)sim_at(world, place) = world->free[class];
    world->free[class] = place;
}

int cor_sim_reserve(sim_world *world, size_t count)
{
    if (world->event_room - world->event_count >= count)
        return 1;
    size_t room = world->event_room ? 2 * world->event_room : 1024;
    uint64_t larger = cor_sim_take(world, room * sizeof(cor_sim_event));
    if (!larger)
        return 0;
    if (world->events) {
        memcpy(sim_at(world, larger), sim_at(world, world->events), world->event_count * sizeof(cor_sim_event));
        cor_sim_give(world, world->events, world->event_room * sizeof(cor_sim_event));
    }
    world->events = larger;
    world->event_room = room;
    return 1;
}

/* Zeroed: it is new. */
static uint64_t world_array(sim_world *world, size_t count, size_t each)
{
    return cor_sim_take(world, count * each);
}

int cor_sim_world_init(sim_world *world, size_t bytes, const cor_sim_net *net, cor_fault *fault)
{
    size_t ranks = (size_t)net->ranks, ports = cor_sim_port_count(net);
    pthread_mutexattr_t attributes;
    world->bytes = bytes;
    world->used = (sizeof *world + 63) / 64 * 64;
    world->net = *net;
    world->running = net->ranks;
    world->seats = world_array(world, ranks, sizeof(sim_seat));
    world->out_ports = world_array(world, ports, sizeof(double));
    world->in_ports = world_array(world, ports, sizeof(double));
    if (!world->seats || !world->out_ports || !world->in_ports || !cor_sim_reserve(world, 1))
        return cor_fault_set(fault, COR_ERR_MEMORY, "sim.memory is %zu bytes, too few for %d simulated ranks", bytes,
                             net->ranks);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&world->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return COR_OK;
}

void cor_sim_lock(sim_world *world)
{
    pthread_mutex_lock(&world->mutex);
}

void cor_sim_unlock(sim_world *world)
{
    pthread_mutex_unlock(&world->mutex);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

void cor_sim_push(sim_world *world, int whose, sim_stage stage, double time, uint64_t subject)
{
    cor_sim_queue_push(sim_at(world, world->events), &world->event_count,
                       (cor_sim_event){time, cor_sim_order(whose, sim_seat_of(world, whose)->pushed++),
                                       subject << SIM_STAGE_BITS | (uint64_t)stage});
}

static void world_wake(sim_world *world, int rank)
{
    sim_seat *seat = sim_seat_of(world, rank);
    if (seat->sleepers == 0)
        return;
    seat->sleepers = 0;
    if (!seat->has_left)
        world->running++;
    /* relaxed: a thread that sleeps took its ticket under the mutex, which we hold. */
    atomic_fetch_add_explicit(&seat->bell, 1, memory_order_relaxed);
    cor_futex_wake(&seat->bell, INT_MAX);
}

static void world_deliver(sim_world *world, int rank, sim_note *note, uint64_t letter, double time, sim_stage stage)
{
    sim_seat *seat = sim_seat_of(world, rank);
    uint64_t place = sim_place(world, note);
    *note = (sim_note){.letter = letter, .time = time, .stage = stage};
    if (seat->last_note)
        ((sim_note *)sim_at(world, seat->last_note))->next = place;
    else
        seat->first_note = place;
    seat->last_note = place;
    world_wake(world, rank);
}

/* A rank that polls: by the number of its poll. */
static void world_handle_wake(sim_world *world, uint64_t subject, double time)
{
    int rank = (int)(subject & (COR_SIM_RANKS_MAX - 1));
    sim_seat *seat = sim_seat_of(world, rank);
    if (seat->polls != subject / COR_SIM_RANKS_MAX || seat->sleepers == 0)
        return;
    if (seat->clock < time)
        seat->clock = time;
    world_wake(world, rank);
}

/* The sender's CPU begins to move the data of a long message. Returns when they are at its port. */
static double world_move(sim_seat *sender, const cor_sim_cost *cost, double time)
{
    double start = sender->clock > time ? sender->clock : time;
    sender->clock = start + cost->overhead - cost->asking;
    return start + cost->lead;
}

static void world_handle(sim_world *world, cor_sim_event event)
{
    sim_stage stage = (sim_stage)(event.subject & ((1 << SIM_STAGE_BITS) - 1));
    uint64_t subject = event.subject >> SIM_STAGE_BITS;
    if (stage == SIM_WAKE) {
        world_handle_wake(world, subject, event.time);
        return;
    }
    sim_letter *letter = sim_at(world, subject);
    const cor_sim_cost *cost = &letter->cost;
    int from = letter->from, to = letter->to, is_inside = cor_sim_is_inside(&world->net, from, to);
    double *out = (double *)sim_at(world, world->out_ports) + cor_sim_port(&world->net, from, is_inside);
    double *in = (double *)sim_at(world, world->in_ports) + cor_sim_port(&world->net, to, is_inside);
    double left;
    switch (stage) {
    case SIM_LEAVES: {
        double ready = letter->is_long ? world_move(sim_seat_of(world, from), cost, event.time) : event.time;
        double head = cor_sim_depart(out, ready, cost->latency, cost->occupancy, &left);
        cor_sim_push(world, from, SIM_HEAD, head, subject);
        if (letter->is_long)
            cor_sim_push(world, from, SIM_LEFT, left, subject);
        break;
    }
    case SIM_HEAD:
        cor_sim_push(world, from, SIM_THERE, cor_sim_arrive(in, event.time, cost->occupancy), subject);
        break;
    case SIM_LEFT:
        world_deliver(world, from, &letter->to_sender, subject, event.time, stage);
        break;
    default:
        world_deliver(world, to, &letter->to_receiver, subject, event.time, stage);
        break;
    }
}

int cor_sim_advance(sim_world *world)
{
    while (world->running == 0 && world->event_count > 0) {
        /* An event makes at most two, one of them in its own place. Without room for it nothing can go on. */
        if (!cor_sim_reserve(world, 2))
            return 1;
        world_handle(world, cor_sim_queue_pop(sim_at(world, world->events), &world->event_count));
    }
    if (world->running > 0)
        return 0;
    for (int rank = 0; rank < world->net.ranks; rank++)
        if (!sim_seat_of(world, rank)->has_left)
            return 1;
    return 0;
}

void cor_sim_rest(sim_world *world, int rank)
{
    sim_seat *seat = sim_seat_of(world, rank);
    if (seat->sleepers++ == 0 && !seat->has_left)
        world->running--;
}

void cor_sim_wake(sim_world *world, int rank)
{
    world_wake(world, rank);
}

void cor_sim_leave(sim_world *world, int rank)
{
    sim_seat *seat = sim_seat_of(world, rank);
    if (seat->has_left)
        return;
    seat->has_left = 1;
    if (seat->sleepers == 0)
        world->running--;
}
