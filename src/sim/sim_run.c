/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_run.h"

#include "base/cpu.h"
#include "sim/sim_agenda.h"

#include <stdlib.h>
#include <string.h>

/* What becomes of a message. All name the send: its rank, call and transfer. */
typedef enum run_event {
    RUN_ANNOUNCED, /* the receiver hears of a long message */
    RUN_LEAVES,    /* the data go to the port of their node */
    RUN_LEFT,      /* the last byte of a long message has left */
    RUN_HEAD,      /* the first byte is at the port of arrival */
    RUN_THERE,     /* all of it is */
} run_event;

enum { RUN_TRANSFER_BITS = 34, RUN_CALL_BITS = 6, RUN_RANK_BITS = 20 };

/* What a transfer knows, as bits. */
enum { RUN_POSTED = 1, RUN_DONE = 2, RUN_ARRIVED = 4, RUN_HEARD = 8 };

typedef struct run_rank {
    double clock;
    uint64_t pushed;
    size_t next_op;   /* of its own */
    uint32_t started; /* transfers of this call */
    uint32_t settled; /* those below are done */
    uint8_t call, is_done;
} run_rank;

/* What messages of one length cost on one link: kept, because few lengths cost many messages each. */
typedef struct run_price {
    uint64_t bytes;
    cor_sim_cost cost;
} run_price;

enum { RUN_PRICE_BITS = 6 };
enum { RUN_EVENTS_A_LOOK = 1 << 16 }; /* between two looks whether to stop */

typedef struct run {
    const cor_sim_net *net;
    const cor_sim_program *program;
    int calls;
    run_rank *ranks;
    uint8_t *states; /* of the transfers of all calls: those of a rank together, call after call */
    double *out_ports, *in_ports;
    cor_sim_agenda agenda;
    run_price prices[2][1 << RUN_PRICE_BITS]; /* between nodes, inside; by a hash of the length */
    uint64_t handled;
    int left; /* ranks that have not ended */
} run;

static inline size_t run_transfers_of(const cor_sim_program *program, int rank)
{
    return program->transfer_starts[rank + 1] - program->transfer_starts[rank];
}

static inline uint8_t *run_state(const run *self, int rank, int call, uint32_t transfer)
{
    const cor_sim_program *program = self->program;
    size_t first = program->transfer_starts[rank] * (size_t)self->calls;
    return &self->states[first + (size_t)call * run_transfers_of(program, rank) + transfer];
}

static inline const cor_sim_transfer *run_transfer(const run *self, int rank, uint32_t transfer)
{
    return &self->program->transfers[self->program->transfer_starts[rank] + transfer];
}

/* ---- events
 * -------------------------------------------------------------------------------------------------------- */

typedef struct run_message {
    int from, call;
    uint32_t transfer; /* of the sender */
} run_message;

/* `whose` rank makes it: see cor_sim_order. */
static inline void run_push(run *self, int whose, run_event event, double time, run_message message)
{
    uint64_t subject = (uint64_t)event << (RUN_TRANSFER_BITS + RUN_CALL_BITS + RUN_RANK_BITS) |
                       (uint64_t)message.from << (RUN_TRANSFER_BITS + RUN_CALL_BITS) |
                       (uint64_t)message.call << RUN_TRANSFER_BITS | message.transfer;
    cor_sim_agenda_push(&self->agenda,
                        (cor_sim_event){time, cor_sim_order(whose, self->ranks[whose].pushed++), subject});
}

/* The rank's CPU from `time` on, if it is not busy until later: its clock. */
static inline double *run_clock(run *self, int rank, double time)
{
    double *clock = &self->ranks[rank].clock;
    if (*clock < time)
        *clock = time;
    return clock;
}

/* ---- messages
 * ------------------------------------------------------------------------------------------------------ */

static void run_make_prices(run *self)
{
    for (int i = 0; i < 1 << RUN_PRICE_BITS; i++)
        for (int is_inside = 0; is_inside < 2; is_inside++)
            self->prices[is_inside][i].bytes = UINT64_MAX;
}

/* Good until the next. */
static inline const cor_sim_cost *run_cost(run *self, int is_inside, uint64_t bytes)
{
    run_price *price = &self->prices[is_inside][bytes * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RUN_PRICE_BITS)];
    if (COR_UNLIKELY(price->bytes != bytes)) {
        price->bytes = bytes;
        cor_sim_cost_of(is_inside ? &self->net->inside : &self->net->between, (double)bytes, 0, &price->cost);
    }
    return &price->cost;
}

/* The data leave by their port; those of a long message when the sender's CPU moves them. */
static void run_leave(run *self, run_message message, int is_inside, const cor_sim_cost *cost, double ready)
{
    double left;
    if (!cost->is_eager) {
        double *clock = run_clock(self, message.from, ready);
        ready = *clock + cost->lead;
        *clock += cost->overhead - cost->asking;
    }
    double *port = &self->out_ports[cor_sim_port(self->net, message.from, is_inside)];
    double head = cor_sim_depart(port, ready, cost->latency, cost->occupancy, &left);
    run_push(self, message.from, RUN_HEAD, head, message);
    if (!cost->is_eager)
        run_push(self, message.from, RUN_LEFT, left, message);
}

static void run_send(run *self, int rank, uint32_t number)
{
    run_rank *state = &self->ranks[rank];
    const cor_sim_transfer *transfer = run_transfer(self, rank, number);
    run_message message = {rank, state->call, number};
    const cor_sim_cost *cost =
        run_cost(self, cor_sim_is_inside(self->net, rank, (int)transfer->peer), transfer->bytes);
    double start = state->clock;
    state->clock += cost->asking;
    if (!cost->is_eager) {
        run_push(self, message.from, RUN_ANNOUNCED, state->clock + cost->announced, message);
        return;
    }
    *run_state(self, rank, state->call, number) |= RUN_DONE;
    run_push(self, rank, RUN_LEAVES, start + cost->lead, message);
}

static void run_receive(run *self, int rank, uint32_t number)
{
    run_rank *state = &self->ranks[rank];
    const cor_sim_transfer *transfer = run_transfer(self, rank, number);
    uint8_t *bits = run_state(self, rank, state->call, number);
    *bits |= RUN_POSTED;
    if (*bits & RUN_ARRIVED) {
        state->clock += self->net->copy_us * (double)transfer->bytes;
        *bits |= RUN_DONE;
    } else if (*bits & RUN_HEARD) {
        run_push(self, rank, RUN_LEAVES, state->clock,
                 (run_message){(int)transfer->peer, state->call, transfer->partner});
    }
}

/* ---- steps
 * --------------------------------------------------------------------------------------------------------- */

static int run_is_settled(const run *self, int rank, uint32_t end)
{
    run_rank *state = &self->ranks[rank];
    const uint8_t *bits = run_state(self, rank, state->call, 0);
    while (state->settled < end && bits[state->settled] & RUN_DONE)
        state->settled++;
    return state->settled >= end;
}

/* 0: it must wait. */
static int run_step(run *self, int rank, uint64_t op)
{
    run_rank *state = &self->ranks[rank];
    uint64_t value = op & (((uint64_t)1 << COR_SIM_OP_SHIFT) - 1);
    switch ((cor_sim_op_kind)(op >> COR_SIM_OP_SHIFT)) {
    case COR_SIM_SEND:
        run_send(self, rank, state->started++);
        return 1;
    case COR_SIM_RECV:
        run_receive(self, rank, state->started++);
        return 1;
    case COR_SIM_WAIT:
        return *run_state(self, rank, state->call, (uint32_t)value) & RUN_DONE;
    case COR_SIM_WAIT_ALL:
        return run_is_settled(self, rank, (uint32_t)value);
    case COR_SIM_COPY:
        state->clock += self->net->copy_us * (double)value;
        return 1;
    case COR_SIM_REDUCE:
        state->clock += self->net->reduce_us * (double)value;
        return 1;
    case COR_SIM_CALL:
        state->clock += self->net->call_us;
        return 1;
    }
    return 1;
}

static void run_go_on(run *self, int rank)
{
    run_rank *state = &self->ranks[rank];
    const uint64_t *ops = self->program->ops + self->program->op_starts[rank];
    size_t count = self->program->op_starts[rank + 1] - self->program->op_starts[rank];
    while (!state->is_done) {
        while (state->next_op < count) {
            if (!run_step(self, rank, ops[state->next_op]))
                return;
            state->next_op++;
        }
        if (!run_is_settled(self, rank, state->started))
            return;
        state->next_op = state->started = state->settled = 0;
        if (++state->call == self->calls) {
            state->is_done = 1;
            self->left--;
        }
    }
}

static inline run_message run_message_of(cor_sim_event event)
{
    return (run_message){(int)(event.subject >> (RUN_TRANSFER_BITS + RUN_CALL_BITS) & ((1 << RUN_RANK_BITS) - 1)),
                         (int)(event.subject >> RUN_TRANSFER_BITS & ((1 << RUN_CALL_BITS) - 1)),
                         (uint32_t)(event.subject & (((uint64_t)1 << RUN_TRANSFER_BITS) - 1))};
}

/* What the next event is about lies anywhere in memory, and can come while this one is handled. */
static inline void run_look_ahead(const run *self)
{
    const cor_sim_event *next = cor_sim_agenda_next(&self->agenda);
    if (next) {
        run_message message = run_message_of(*next);
        __builtin_prefetch(run_transfer(self, message.from, message.transfer));
    }
}

static void run_handle(run *self, cor_sim_event event)
{
    run_event kind = (run_event)(event.subject >> (RUN_TRANSFER_BITS + RUN_CALL_BITS + RUN_RANK_BITS));
    run_message message = run_message_of(event);
    const cor_sim_transfer *transfer = run_transfer(self, message.from, message.transfer);
    int to = (int)transfer->peer, is_inside = cor_sim_is_inside(self->net, message.from, to);
    uint8_t *bits = run_state(self, to, message.call, transfer->partner);
    const cor_sim_cost *cost = run_cost(self, is_inside, transfer->bytes);
    switch (kind) {
    case RUN_ANNOUNCED:
        *bits |= RUN_HEARD;
        if (*bits & RUN_POSTED) /* the receiver answers when its CPU is free */
            run_push(self, message.from, RUN_LEAVES, *run_clock(self, to, event.time), message);
        break;
    case RUN_LEAVES:
        run_leave(self, message, is_inside, cost, event.time);
        break;
    case RUN_LEFT:
        *run_state(self, message.from, message.call, message.transfer) |= RUN_DONE;
        run_clock(self, message.from, event.time);
        run_go_on(self, message.from);
        break;
    case RUN_HEAD: {
        double *port = &self->in_ports[cor_sim_port(self->net, to, is_inside)];
        run_push(self, message.from, RUN_THERE, cor_sim_arrive(port, event.time, cost->occupancy), message);
        break;
    }
    case RUN_THERE:
        *run_clock(self, to, event.time) += cost->overhead;
        *bits |= *bits & RUN_POSTED ? RUN_DONE : RUN_ARRIVED;
        run_go_on(self, to);
        break;
    }
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------------------ */

/* From 0 to 1, by rank and seed. */
static double run_random(uint64_t seed, int rank)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)rank + 1;
    for (int i = 0; i < 3; i++) {
        x ^= x >> 30;
        x *= UINT64_C(0xbf58476d1ce4e5b9);
        x ^= x >> 27;
    }
    return (double)(x >> 11) / (double)(UINT64_C(1) << 53);
}

static int run_make(run *self, cor_fault *fault)
{
    size_t ranks = (size_t)self->program->ranks, ports = cor_sim_port_count(self->net);
    self->ranks = calloc(ranks, sizeof *self->ranks);
    self->states = calloc(self->program->transfer_starts[ranks] * (size_t)self->calls + 1, 1);
    self->out_ports = calloc(2 * ports, sizeof *self->out_ports);
    self->in_ports = self->out_ports + ports;
    self->left = self->program->ranks;
    run_make_prices(self);
    if (self->ranks && self->states && self->out_ports)
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to run %d simulated ranks; fewer ranks need less",
                         self->program->ranks);
}

static void run_free(run *self)
{
    free(self->ranks);
    free(self->states);
    free(self->out_ports);
    cor_sim_agenda_free(&self->agenda);
}

static int run_stuck(const run *self, cor_fault *fault)
{
    int rank = 0;
    while (self->ranks[rank].is_done)
        rank++;
    return cor_fault_set(fault, COR_ERR_ARG,
                         "%d simulated ranks wait for each other; the first is rank %d, in step %zu", self->left, rank,
                         self->ranks[rank].next_op);
}

static void run_report(const run *self, double began, cor_sim_result *result_p)
{
    double last = 0;
    size_t ranks = (size_t)self->program->ranks;
    for (size_t i = 0; i < ranks; i++)
        last = self->ranks[i].clock > last ? self->ranks[i].clock : last;
    *result_p = (cor_sim_result){.us = last - began,
                                 .events = self->handled,
                                 .memory_bytes = cor_sim_program_memory(self->program) + ranks * sizeof *self->ranks +
                                                 self->program->transfer_starts[ranks] * (size_t)self->calls +
                                                 2 * cor_sim_port_count(self->net) * sizeof(double) +
                                                 self->agenda.memory_bytes};
}

int cor_sim_run(const cor_sim_net *net, const cor_sim_program *program, const cor_sim_options *options,
                cor_sim_result *result_p, cor_fault *fault)
{
    run self = {.net = net, .program = program, .calls = options->calls};
    cor_sim_event event;
    double began = 0;
    COR_ASSERT(options->calls >= 1 && options->calls <= COR_SIM_CALLS_MAX && net->ranks == program->ranks);
    int rc = run_make(&self, fault);
    for (int rank = 0; rank < program->ranks && rc == COR_OK; rank++) {
        double start = options->skew_us * run_random(options->seed, rank);
        began = start > began ? start : began;
        run_clock(&self, rank, start);
        run_go_on(&self, rank);
    }
    while (rc == COR_OK && !self.agenda.has_failed && cor_sim_agenda_pop(&self.agenda, &event)) {
        if (self.handled++ % RUN_EVENTS_A_LOOK == 0 && options->stop &&
            options->stop->is_asked(options->stop->subject))
            rc = COR_AGAIN;
        run_look_ahead(&self);
        run_handle(&self, event);
    }
    if (rc == COR_OK && self.agenda.has_failed)
        rc = cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the events of %d simulated ranks, beyond %zu MiB",
                           program->ranks, self.agenda.memory_bytes >> 20);
    else if (rc == COR_OK && self.left > 0)
        rc = run_stuck(&self, fault);
    if (rc == COR_OK)
        run_report(&self, began, result_p);
    run_free(&self);
    return rc;
}
