/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the wire: channels in the memory of the host, one for each pair of local ranks. */
#define _GNU_SOURCE
#include "xxdev/soft/sm/sm.h"

#include "xxdev/soft/sm/sm_state.h"

#include <stdio.h>
#include <stdlib.h>

#define SM_FIELD(field) offsetof(cor_sm_config, field)

static const cor_knob sm_knob_rows[] = {
    {"sm.eager_max", COR_KNOB_SIZE, SM_FIELD(eager_max_bytes), "16k", NULL, 0, 1 << 20,
     "bytes of the longest message sent at once; longer ones are sent after the receive is posted; at most sm.chunk"},
    {"sm.ring", COR_KNOB_SIZE, SM_FIELD(ring_bytes), "256k", NULL, 1 << 12, 1 << 26,
     "bytes under way from one rank to another; a power of two"},
    {"sm.chunk", COR_KNOB_SIZE, SM_FIELD(chunk_bytes), "16k", NULL, 1 << 10, 1 << 24,
     "bytes of a piece in which long messages are pipelined; at most a quarter of sm.ring"},
    {"sm.slots", COR_KNOB_INT, SM_FIELD(slots), "512", NULL, 8, 1 << 16,
     "packets under way from one rank to another; a power of two"},
    {"sm.memory", COR_KNOB_SIZE, SM_FIELD(memory_bytes), "3M", NULL, 1 << 16, 1L << 34,
     "bytes of memory in which a rank sends to the other ranks of the host; with many ranks, sm.ring and sm.slots "
     "shrink until they fit"},
    {"sm.single_copy", COR_KNOB_CHOICE, SM_FIELD(single_copy), "auto", "auto|never|always", 0, 0,
     "copy long messages directly between the processes; auto: if a measurement shows a gain, and it is allowed"},
    {"sm.get_max", COR_KNOB_SIZE, SM_FIELD(get_max_bytes), "1024G", NULL, 0, 1L << 50,
     "bytes of the longest single-copy message that the receiver copies; the sender copies longer ones"},
};

const cor_knob_table cor_sm_knobs = {sm_knob_rows, sizeof sm_knob_rows / sizeof *sm_knob_rows};

enum { SM_COPY_AUTO, SM_COPY_NEVER, SM_COPY_ALWAYS };

enum { SM_LEAST_SLOTS = 32, SM_LEAST_RING_BYTES = 4096, SM_CHUNKS_A_RING = 4 };

static sm_shape sm_shape_of(const cor_sm_config *config, int ranks)
{
    return (sm_shape){.channels = ranks, .slots = (size_t)config->slots, .ring_bytes = config->ring_bytes};
}

/* A channel with its ring. */
static size_t sm_pair_bytes(const cor_sm_config *config)
{
    sm_shape shape = sm_shape_of(config, 1);
    return sm_channel_bytes(&shape) + shape.ring_bytes;
}

cor_sm_config cor_sm_fit(const cor_sm_config *config, int ranks)
{
    cor_sm_config fit = *config;
    while ((size_t)ranks * sm_pair_bytes(&fit) > fit.memory_bytes &&
           (fit.slots > SM_LEAST_SLOTS || fit.ring_bytes > SM_LEAST_RING_BYTES)) {
        if (fit.slots > SM_LEAST_SLOTS)
            fit.slots /= 2;
        if (fit.ring_bytes > SM_LEAST_RING_BYTES)
            fit.ring_bytes /= 2;
    }
    if (fit.chunk_bytes > fit.ring_bytes / SM_CHUNKS_A_RING)
        fit.chunk_bytes = fit.ring_bytes / SM_CHUNKS_A_RING;
    if (fit.eager_max_bytes > fit.chunk_bytes)
        fit.eager_max_bytes = fit.chunk_bytes;
    return fit;
}

size_t cor_sm_pair_bytes(const cor_sm_config *config, int ranks)
{
    cor_sm_config fit = cor_sm_fit(config, ranks);
    return sm_pair_bytes(&fit);
}

size_t cor_sm_host_bytes(const cor_sm_config *config, int ranks)
{
    cor_sm_config fit = cor_sm_fit(config, ranks);
    sm_shape shape = sm_shape_of(&fit, ranks);
    return cor_host_segment_bytes(ranks, sm_area_bytes(&shape));
}

static int sm_is_power_of_two(size_t number)
{
    return number && !(number & (number - 1));
}

static int sm_check_config(const cor_sm_config *config, cor_fault *fault)
{
    if (!sm_is_power_of_two(config->ring_bytes))
        return cor_fault_set(fault, COR_ERR_KNOB, "sm.ring is %zu; it must be a power of two", config->ring_bytes);
    if (!sm_is_power_of_two((size_t)config->slots))
        return cor_fault_set(fault, COR_ERR_KNOB, "sm.slots is %d; it must be a power of two", config->slots);
    if (config->eager_max_bytes > config->chunk_bytes)
        return cor_fault_set(fault, COR_ERR_KNOB, "sm.eager_max is %zu; at most sm.chunk (%zu) is possible",
                             config->eager_max_bytes, config->chunk_bytes);
    if (config->chunk_bytes > config->ring_bytes / SM_CHUNKS_A_RING)
        return cor_fault_set(fault, COR_ERR_KNOB, "sm.chunk is %zu; at most a quarter of sm.ring (%zu) is possible",
                             config->chunk_bytes, config->ring_bytes / SM_CHUNKS_A_RING);
    return COR_OK;
}

static void sm_close(cor_wire *base)
{
    sm_wire *wire = sm_of(base);
    sm_trace_forbid(wire);
    free(wire->peers);
    free(wire->active);
    free(wire->idle);
    free(wire);
}

static int sm_open(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    const cor_sm_config *config = options->config;
    int rc = sm_check_config(config, fault);
    if (rc != COR_OK)
        return rc;
    sm_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the shared-memory wire");
    wire->base = (cor_wire){.ops = &cor_sm_wire, .source = {.arm = sm_arm}};
    wire->options = *options;
    wire->config = *config;
    wire->host = options->host;
    *wire_p = &wire->base;
    return COR_OK;
}

/* All other addresses were published by the host. */
static void sm_address(cor_wire *base, char *text)
{
    (void)base;
    snprintf(text, COR_WIRE_ADDRESS_MAX, "sm%d,", SM_VERSION);
}

static int sm_connect(cor_wire *base, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    sm_wire *wire = sm_of(base);
    (void)addresses;
    int count = wire->host->count;
    wire->index_of = wire->host->index_of;
    wire->peers = calloc((size_t)count, sizeof *wire->peers);
    wire->active = calloc((size_t)count, sizeof(sm_reader *));
    wire->idle = calloc((size_t)count, sizeof *wire->idle);
    if (!wire->peers || !wire->active || !wire->idle)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d shared-memory peers", count);
    for (int i = 0; i < count; i++)
        reached[wire->host->peers[i].rank] = 1;
    wire->config = cor_sm_fit(&wire->config, count);
    wire->shape = sm_shape_of(&wire->config, count);
    wire->slot_mask = (uint32_t)wire->config.slots - 1;
    wire->ring_mask = wire->config.ring_bytes - 1;
    cor_host_reserve(wire->host, sm_area_bytes(&wire->shape));
    return COR_OK;
}

static void sm_set_up_ends(sm_wire *wire, int index)
{
    const sm_shape *shape = &wire->shape;
    int me = wire->host->me;
    sm_peer *peer = &wire->peers[index];
    sm_area *theirs = sm_area_of(wire, index);
    sm_channel *out = sm_area_channel(wire->area, shape, index), *in = sm_area_channel(theirs, shape, me);
    peer->writer = (sm_writer){.slots = sm_channel_slots(out),
                               .ring = sm_area_ring(wire->area, shape, index),
                               .channel = out,
                               .area = theirs,
                               .seat = wire->host->peers[index].seat,
                               .index = index};
    peer->reader = (sm_reader){.slots = sm_channel_slots(in),
                               .ring = sm_area_ring(theirs, shape, me),
                               .channel = in,
                               .peer = wire->host->peers[index].rank};
}

static int sm_wants_single_copy(const sm_wire *wire)
{
    return wire->host->process_count > 0 && wire->config.single_copy != SM_COPY_NEVER;
}

static int sm_attach(cor_wire *base, cor_fault *fault)
{
    sm_wire *wire = sm_of(base);
    (void)fault;
    wire->area = sm_area_of(wire, wire->host->me);
    for (int i = 0; i < wire->host->count; i++)
        sm_set_up_ends(wire, i);
    if (wire->host->me == 0 && sm_wants_single_copy(wire)) {
        wire->area->single_copy_percent = sm_copy_percent(wire->options.log);
        wire->area->ancestor = sm_trace_ancestor(wire);
    }
    return COR_OK;
}

/* One-sided operations need a copy that the target takes no part in: it has to be possible, and not emulated at great
 * cost. Where ranks share CPUs, so do long messages: sender and receiver take turns at the ring, each time it is full
 * or empty, and that costs several times the copies. Where every rank has a CPU both halves of the ring's copy run at
 * the same time, and the ring moves data about as fast as one memcpy: the system call has to beat that. */
static void sm_decide_single_copy(sm_wire *wire)
{
    int is_forced = wire->config.single_copy == SM_COPY_ALWAYS;
    uint32_t percent = sm_area_of(wire, 0)->single_copy_percent;
    wire->can_single_copy = sm_wants_single_copy(wire) && (is_forced || percent < 1000);
    if (wire->can_single_copy)
        wire->can_single_copy = sm_trace_permit(wire, is_forced) || is_forced;
    wire->prefers_ring = !is_forced && !wire->host->is_oversubscribed && percent >= 100;
}

static void sm_settle(cor_wire *base)
{
    sm_wire *wire = sm_of(base);
    sm_decide_single_copy(wire);
    COR_LOG(wire->options.log, DEBUG, "sm: %d slots and %zu bytes a pair; single copy %s", wire->config.slots,
            wire->config.ring_bytes,
            !wire->can_single_copy ? "off"
            : wire->prefers_ring   ? "for one-sided operations"
                                   : "on");
}

static void sm_route(cor_wire *base, int rank, cor_wire_route *route_p)
{
    sm_wire *wire = sm_of(base);
    int is_same_memory = wire->host->peers[wire->host->index_of[rank]].is_same_memory;
    *route_p = (cor_wire_route){
        .eager_max_bytes = wire->config.eager_max_bytes,
        .packet_max_bytes = wire->config.chunk_bytes,
        .is_same_memory = is_same_memory,
        .has_memory = wire->can_single_copy && !is_same_memory,
        .prefers_pieces = wire->prefers_ring,
        .get_max_bytes = wire->config.get_max_bytes,
    };
}

static void sm_describe(cor_wire *base, int rank, char *out, size_t out_bytes)
{
    const sm_wire *wire = (const sm_wire *)(const void *)base;
    snprintf(out, out_bytes, "%s", rank == wire->options.rank ? "itself" : "on this host");
}

const cor_wire_ops cor_sm_wire = {
    .name = "sm",
    .summary = "shared memory, between processes and threads of one host",
    .open = sm_open,
    .address = sm_address,
    .connect = sm_connect,
    .attach = sm_attach,
    .settle = sm_settle,
    .close = sm_close,
    .route = sm_route,
    .describe = sm_describe,
    .send = sm_send,
    .poll = sm_poll,
    .peer_ended = sm_peer_ended,
    .reject = sm_reject,
    .memory = &sm_memory,
};
