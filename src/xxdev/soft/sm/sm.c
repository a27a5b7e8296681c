/* Life of the wire: find the local peers, make an inbox for them, map theirs. */
#define _GNU_SOURCE
#include "xxdev/soft/sm/sm.h"

#include "base/futex.h"
#include "base/process.h"
#include "xxdev/soft/sm/sm_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SM_FIELD(field) offsetof(cor_sm_config, field)

static const cor_knob sm_knob_rows[] = {
    {"sm.eager_max", COR_KNOB_SIZE, SM_FIELD(eager_max_bytes), "16k", NULL, 0, 1 << 20,
     "messages up to this size go at once, longer ones after the receive is posted; at most sm.chunk"},
    {"sm.ring", COR_KNOB_SIZE, SM_FIELD(ring_bytes), "256k", NULL, 1 << 12, 1 << 26,
     "bytes on the way from one rank to another; a power of two"},
    {"sm.chunk", COR_KNOB_SIZE, SM_FIELD(chunk_bytes), "16k", NULL, 1 << 10, 1 << 24,
     "long messages are pipelined in pieces of this size; at most a quarter of sm.ring"},
    {"sm.slots", COR_KNOB_INT, SM_FIELD(slots), "512", NULL, 8, 1 << 16,
     "packets on the way from one rank to another; a power of two"},
    {"sm.memory", COR_KNOB_SIZE, SM_FIELD(memory_bytes), "3M", NULL, 1 << 16, 1L << 34,
     "of what other ranks of the host send to a rank; where there are many, sm.ring and sm.slots shrink until they "
     "fit"},
    {"sm.single_copy", COR_KNOB_CHOICE, SM_FIELD(single_copy), "auto", "auto|never|always", 0, 0,
     "copy long messages straight out of the sender's process; auto measures, and looks whether it is allowed"},
    {"sm.segment", COR_KNOB_CHOICE, SM_FIELD(segment), "memfd", "memfd|file", 0, 0,
     "where the memory comes from; a file is unlinked as soon as it is mapped"},
    {"sm.spread", COR_KNOB_BOOL, SM_FIELD(spread), "yes", NULL, 0, 0,
     "ranks that share CPUs spread evenly over them; a rank may still run on all that it was given"},
};

const cor_knob_table cor_sm_knobs = {sm_knob_rows, sizeof sm_knob_rows / sizeof *sm_knob_rows};

enum { SM_COPY_AUTO, SM_COPY_NEVER, SM_COPY_ALWAYS };

enum { SM_LEAST_SLOTS = 32, SM_LEAST_RING_BYTES = 4096, SM_CHUNKS_A_RING = 4 };

cor_sm_config cor_sm_fit(const cor_sm_config *config, int ranks)
{
    cor_sm_config fit = *config;
    while ((size_t)ranks * sm_channel_bytes((size_t)fit.slots, fit.ring_bytes) > fit.memory_bytes &&
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
    return sm_channel_bytes((size_t)fit.slots, fit.ring_bytes);
}

size_t cor_sm_host_bytes(const cor_sm_config *config, int ranks)
{
    cor_sm_config fit = cor_sm_fit(config, ranks);
    return sm_seats_bytes(ranks) + (size_t)ranks * sm_inbox_bytes(ranks, (size_t)fit.slots, fit.ring_bytes);
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
    sm_wire *wire = (sm_wire *)(void *)base;
    sm_watch_end(wire);
    sm_trace_forbid(wire);
    if (wire->segment)
        munmap(wire->segment, wire->segment_bytes);
    sm_bell_close(wire);
    sm_segment_bury(wire);
    sm_segment_settle(wire);
    free(wire->peers);
    free(wire->peer_of_rank);
    free(wire->active);
    free(wire);
}

static void sm_abandon(cor_wire *base)
{
    const sm_wire *wire = (const sm_wire *)(const void *)base;
    sm_segment_bury(wire);
    if (wire->path[0] && wire->fd >= 0)
        unlink(wire->path);
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
    wire->base.ops = &cor_sm_wire;
    wire->options = *options;
    wire->config = *config;
    wire->fd = -1;
    wire->bell_pipe[0] = wire->bell_pipe[1] = -1;
    /* Ranks that have these in common can map each other's memory. */
    cor_process_where(wire->host, wire->pid_space);
    sm_segment_create(wire);
    *wire_p = &wire->base;
    return COR_OK;
}

/* sm1,<boot id>,<pid space>,<pid>,<fd>,<wire>,<path or -> : <wire> is meant for threads of the same process only. */
static void sm_address(cor_wire *base, char *text)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    snprintf(text, COR_WIRE_ADDRESS_MAX, "sm%d,%s,%s,%d,%d,%llx,%s", SM_VERSION, wire->host, wire->pid_space,
             (int)getpid(), wire->fd, (unsigned long long)(uintptr_t)wire, wire->path[0] ? wire->path : "-");
}

/* The same version, host and space of process ids: everything before the third comma. */
static int sm_is_one_node(const char *address, const char *other)
{
    for (int commas = 0; *address == *other && *address; address++, other++)
        if (*address == ',' && ++commas == 3)
            return 1;
    return 0;
}

/* Does the address belong to this host? Then fill in the peer. */
static int sm_parse_address(const sm_wire *wire, int rank, const char *text, sm_peer *peer)
{
    int version, pid, fd;
    char host[40], pid_space[24], path[96];
    unsigned long long thread;
    if (sscanf(text, "sm%d,%39[^,],%23[^,],%d,%d,%llx,%95s", &version, host, pid_space, &pid, &fd, &thread, path) !=
            7 ||
        version != SM_VERSION || strcmp(host, wire->host) != 0 || strcmp(pid_space, wire->pid_space) != 0)
        return 0;
    *peer = (sm_peer){.rank = rank, .pid = pid, .fd_number = fd, .bell_fd = -1, .process_fd = -1};
    if (strcmp(path, "-") != 0)
        memcpy(peer->path, path, sizeof path);
    if (pid == getpid()) {
        peer->is_same_memory = 1;
        peer->thread = (sm_wire *)(uintptr_t)thread;
    }
    return 1;
}

static int sm_find_peers(sm_wire *wire, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    int size = wire->options.size;
    wire->peers = calloc((size_t)size, sizeof *wire->peers);
    wire->peer_of_rank = malloc((size_t)size * sizeof *wire->peer_of_rank);
    wire->active = calloc((size_t)size, sizeof(sm_reader *));
    if (!wire->peers || !wire->peer_of_rank || !wire->active)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d shared-memory peers", size);
    for (int rank = 0; rank < size; rank++) {
        wire->peer_of_rank[rank] = -1;
        if (!sm_parse_address(wire, rank, addresses[rank], &wire->peers[wire->peer_count]))
            continue;
        if (rank == wire->options.rank)
            wire->me = wire->peer_count;
        wire->peer_of_rank[rank] = wire->peer_count++;
        reached[rank] = 1;
    }
    return COR_OK;
}

/* Of a segment with so many: the seat and the inbox of this number. */
static void sm_take_seat(const sm_wire *wire, int index, int count, sm_seat **seat_p, sm_inbox **inbox_p)
{
    char *inboxes = (char *)wire->segment + sm_seats_bytes(count);
    *seat_p = (sm_seat *)wire->segment + index;
    *inbox_p = (sm_inbox *)(void *)(inboxes + (size_t)index * wire->inbox_bytes);
}

static int sm_connect(cor_wire *base, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    int rc = sm_find_peers(wire, addresses, reached, fault);
    if (rc != COR_OK)
        return rc;
    for (int i = 0; i < wire->peer_count; i++)
        wire->process_count += !wire->peers[i].is_same_memory;
    wire->config = cor_sm_fit(&wire->config, wire->peer_count);
    wire->slot_mask = (uint32_t)wire->config.slots - 1;
    wire->ring_mask = wire->config.ring_bytes - 1;
    wire->next_watched = wire->me; /* not all begin with the same one */
    wire->inbox_bytes = sm_inbox_bytes(wire->peer_count, (size_t)wire->config.slots, wire->config.ring_bytes);
    int owners = wire->process_count > 0 ? wire->peer_count : 1; /* threads have one segment each */
    wire->segment_bytes = sm_seats_bytes(owners) + (size_t)owners * wire->inbox_bytes;
    if (wire->process_count > 0)
        return sm_segment_size(wire, fault);
    rc = sm_segment_map_private(wire, fault);
    if (rc == COR_OK)
        sm_take_seat(wire, 0, 1, &wire->seat, &wire->inbox);
    return rc;
}

static void sm_set_up_ends(sm_wire *wire, sm_peer *peer, int index)
{
    size_t channel_bytes = sm_channel_bytes((size_t)wire->config.slots, wire->config.ring_bytes);
    sm_channel *out = sm_inbox_channel(peer->inbox, wire->peer_count, channel_bytes, wire->me);
    peer->writer = (sm_writer){.slots = sm_channel_slots(out),
                               .ring = sm_channel_ring(out, wire->slot_mask + 1),
                               .channel = out,
                               .inbox = peer->inbox};
    sm_channel *in = sm_inbox_channel(wire->inbox, wire->peer_count, channel_bytes, index);
    peer->reader = (sm_reader){.slots = sm_channel_slots(in),
                               .ring = sm_channel_ring(in, wire->slot_mask + 1),
                               .channel = in,
                               .peer = peer->rank};
}

static int sm_wants_single_copy(const sm_wire *wire)
{
    return wire->process_count > 0 && wire->config.single_copy != SM_COPY_NEVER;
}

/* What the others read when all have written it. */
static void sm_introduce(sm_wire *wire)
{
    sm_seat *seat = wire->seat;
    atomic_init(&seat->cpu, -1);
    seat->started = wire->process_count > 0 ? cor_process_started() : 0;
    seat->has_heavy_fence = (uint32_t)cor_fence_heavy_init();
    cor_cpu_allowed(&seat->allowed);
    if (wire->me == 0 && sm_wants_single_copy(wire)) {
        seat->single_copy_percent = sm_copy_percent(wire->options.log);
        seat->ancestor = sm_trace_ancestor(wire);
    }
}

static int sm_attach(cor_wire *base, cor_fault *fault)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (wire->process_count > 0) {
        int rc = sm_segment_map(wire, fault);
        if (rc != COR_OK)
            return rc;
        sm_take_seat(wire, wire->me, wire->peer_count, &wire->seat, &wire->inbox);
    }
    for (int i = 0; i < wire->peer_count; i++) {
        sm_peer *peer = &wire->peers[i];
        if (wire->process_count > 0) {
            sm_take_seat(wire, i, wire->peer_count, &peer->seat, &peer->inbox);
        } else {
            peer->seat = peer->thread->seat;
            peer->inbox = peer->thread->inbox;
        }
        sm_set_up_ends(wire, peer, i);
    }
    sm_introduce(wire);
    return COR_OK;
}

/* Where every rank has a CPU both halves of the ring's copy run at the same time, and the ring moves data about as fast
 * as one memcpy: the system call has to beat that. Where ranks share CPUs it has to beat two. */
static int sm_single_copy_pays(const sm_wire *wire)
{
    return wire->peers[0].seat->single_copy_percent < (wire->is_crowded ? 200 : 100);
}

static void sm_decide_single_copy(sm_wire *wire)
{
    int is_forced = wire->config.single_copy == SM_COPY_ALWAYS;
    wire->can_single_copy = sm_wants_single_copy(wire) && (is_forced || sm_single_copy_pays(wire));
    if (wire->can_single_copy)
        wire->can_single_copy = sm_trace_permit(wire, is_forced) || is_forced;
}

static void sm_settle(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    cor_cpu_set all = {{0}};
    int has_heavy_fence = 1;
    for (int i = 0; i < wire->peer_count; i++) {
        const sm_seat *seat = wire->peers[i].seat;
        has_heavy_fence = has_heavy_fence && seat->has_heavy_fence;
        for (int word = 0; word < COR_CPU_MAX / 64; word++)
            all.bits[word] |= seat->allowed.bits[word];
    }
    wire->is_crowded = cor_cpu_count(&all) < wire->peer_count;
    sm_spread_init(wire);
    /* Where ranks share cores they sleep often and a system-wide fence on each sleep would cost more than an ordinary
     * one on each send. */
    wire->has_heavy_fence = !wire->is_crowded && has_heavy_fence;
    sm_decide_single_copy(wire);
    COR_LOG(wire->options.log, DEBUG,
            "sm: %d local ranks on %d CPUs, %d slots and %zu bytes a pair: %s; %s fence; single copy %s",
            wire->peer_count, cor_cpu_count(&all), wire->config.slots, wire->config.ring_bytes,
            wire->is_crowded ? "yielding at once" : "spinning pays", wire->has_heavy_fence ? "sleeper's" : "sender's",
            wire->can_single_copy ? "on" : "off");
    sm_segment_settle(wire);
}

static void sm_route(cor_wire *base, int rank, cor_wire_route *route_p)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    const sm_peer *peer = &wire->peers[wire->peer_of_rank[rank]];
    *route_p = (cor_wire_route){
        .eager_max_bytes = wire->config.eager_max_bytes,
        .packet_max_bytes = wire->config.chunk_bytes,
        .is_same_memory = peer->is_same_memory,
        .can_get = wire->can_single_copy && !peer->is_same_memory,
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
    .is_one_node = sm_is_one_node,
    .connect = sm_connect,
    .attach = sm_attach,
    .settle = sm_settle,
    .close = sm_close,
    .abandon = sm_abandon,
    .route = sm_route,
    .describe = sm_describe,
    .send = sm_send,
    .poll = sm_poll,
    .look = sm_look,
    .reject = sm_reject,
    .get = sm_get,
    .arm = sm_arm,
    .sleep = sm_sleep,
    .use_fds = sm_use_fds,
    .wait_fds = sm_wait_fds,
    .hush = sm_hush,
    .ring = sm_ring,
    .nudge = sm_nudge,
    .is_crowded = sm_is_crowded,
    .may_spin = sm_may_spin,
    .arrivals = sm_arrivals,
    .yield = sm_yield,
    .spread = sm_spread,
};
