/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the wire through UCX or libfabric. */
#include "base/clock.h"
#include "xxdev/soft/library/library_state.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIBRARY_TICK_MS = 1000, LIBRARY_FRUITLESS_MAX = 8, LIBRARY_AT_ONCE_NS = 100 * 1000 };

/* Not all of it came at once, or a peer is to be told lost: a descriptor tells of neither. */
static int library_arm(cor_wait_source *source)
{
    library_wire *wire = COR_OWNER(source, library_wire, base.source);
    uint64_t now_ns = cor_clock_ns();
    if (!cor_list_is_empty(&wire->ended) || wire->unreached > 0)
        return 0;
    wire->fruitless = now_ns - wire->armed_ns < LIBRARY_AT_ONCE_NS ? wire->fruitless + 1 : 0;
    wire->armed_ns = now_ns;
    wire->is_napping = wire->fruitless >= LIBRARY_FRUITLESS_MAX;
    return wire->is_napping ||
           (wire->meeting.ops->arm(wire->meeting.library) && cor_list_is_empty(&wire->ended) && wire->unreached == 0);
}

static int library_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    library_wire *wire = COR_OWNER(source, library_wire, base.source);
    (void)room;
    wire->polls |= 255; /* the next poll looks at the clock */
    *timeout_ms_p = wire->is_napping ? 1 : LIBRARY_TICK_MS;
    fds[0] = (struct pollfd){.fd = wire->meeting.ops->descriptor(wire->meeting.library), .events = POLLIN};
    return !wire->is_napping;
}

static void library_close(cor_wire *base)
{
    library_wire *wire = library_of(base);
    while (!cor_list_is_empty(&wire->started)) { /* UCX complains of receives that it still has */
        library_item *item = COR_OWNER(wire->started.next, library_item, link);
        cor_list_remove(&item->link);
        if (item->kind == LIBRARY_RECEIVE || item->kind == LIBRARY_LANDING)
            wire->meeting.ops->cancel(wire->meeting.library, &item->transfer);
    }
    cor_tagged_meeting_close(&wire->meeting);
    cor_pool_fini(&wire->items);
    cor_pool_fini(&wire->frames);
    free(wire->peers);
    free(wire->awaited);
    free(wire);
}

static int library_make(library_wire *wire, const cor_tagged_kind *kind, cor_fault *fault)
{
    const cor_tagged_config *config = wire->options.config;
    const cor_tagged_options options = {
        .rank = wire->options.rank,
        .tag_bits = LIBRARY_TAG_BITS,
        .tag_peer_shift = LIBRARY_PEER_SHIFT,
        .tag_peer_bits = LIBRARY_PEER_BITS,
        .done = library_done,
        .unreached = library_unreached,
        .device = wire,
    };
    int size = wire->options.size;
    if (size > 1 << LIBRARY_PEER_BITS)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "a job over %s can have %d ranks at most, not %d",
                             kind->plugin.library, 1 << LIBRARY_PEER_BITS, size);
    wire->peers = calloc((size_t)size, sizeof *wire->peers);
    wire->awaited = calloc((size_t)size, 1);
    if (!wire->peers || !wire->awaited)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d peers", size);
    for (int i = 0; i < size; i++)
        cor_list_init(&wire->peers[i].early);
    /* No packet is announced by the bridge to libfabric: that would be one message more. */
    if (kind == &cor_tagged_ofi && config->eager_max < LIBRARY_PACKET_BYTES + sizeof(cor_header))
        return cor_fault_set(fault, COR_ERR_KNOB, "hybdev needs an ofi.eager_max of at least %zu",
                             LIBRARY_PACKET_BYTES + sizeof(cor_header));
    int rc = cor_tagged_meeting_init(&wire->meeting, "hybdev", kind, config, size, fault);
    rc = rc == COR_OK ? cor_tagged_meeting_open(&wire->meeting, options, fault) : rc;
    if (rc != COR_OK)
        return rc;
    /* Receives for packets match also when all memory waits. */
    int receives = wire->meeting.ops->receives_max(wire->meeting.library) - LIBRARY_RECEIVES;
    while (wire->free_count < LIBRARY_MEMORIES && wire->free_count < receives) {
        wire->free_numbers[wire->free_count] = (uint16_t)wire->free_count;
        wire->free_count++;
    }
    return COR_OK;
}

static int library_open(const cor_wire_options *options, const cor_wire_ops *ops, const cor_tagged_kind *kind,
                        cor_wire **wire_p, cor_fault *fault)
{
    library_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the wire through %s", kind->plugin.library);
    wire->base = (cor_wire){.ops = ops, .source = {.arm = library_arm, .fds = library_fds}};
    wire->options = *options;
    cor_list_init(&wire->started);
    cor_list_init(&wire->ended);
    cor_pool_init(&wire->items, sizeof(library_item));
    cor_pool_init(&wire->frames, sizeof(cor_header) + LIBRARY_PACKET_BYTES);
    int rc = library_make(wire, kind, fault);
    if (rc != COR_OK) {
        library_close(&wire->base);
        return rc;
    }
    *wire_p = &wire->base;
    return COR_OK;
}

static int library_open_ucx(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    return library_open(options, &cor_ucx_wire, &cor_tagged_ucx, wire_p, fault);
}

static int library_open_ofi(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    return library_open(options, &cor_ofi_wire, &cor_tagged_ofi, wire_p, fault);
}

_Static_assert((int)COR_DEVICE_ADDRESS_MAX <= (int)COR_WIRE_ADDRESS_MAX, "the texts of a device have room");

static void library_address(cor_wire *base, char *text)
{
    cor_tagged_meeting_address(&library_of(base)->meeting, 0, text);
}

static int library_connect(cor_wire *base, const char *const *texts, uint8_t *reached, cor_fault *fault)
{
    library_wire *wire = library_of(base);
    for (int i = 0; i < wire->options.size; i++)
        reached[i] = 1;
    return cor_tagged_meeting_learn(&wire->meeting, 0, texts, fault);
}

static int library_address_more(cor_wire *base, int round, char *text)
{
    return cor_tagged_meeting_address(&library_of(base)->meeting, round, text);
}

static int library_connect_more(cor_wire *base, int round, const char *const *texts, cor_fault *fault)
{
    return cor_tagged_meeting_learn(&library_of(base)->meeting, round, texts, fault);
}

static int library_attach(cor_wire *base, cor_fault *fault)
{
    library_wire *wire = library_of(base);
    int rc = cor_tagged_meeting_connect(&wire->meeting, wire->options.host, fault);
    return rc == COR_OK ? library_post_receives(wire, fault) : rc;
}

static void library_settle(cor_wire *base)
{
    library_wire *wire = library_of(base);
    wire->looked_ns = cor_clock_ns();
    base->is_silent = wire->meeting.ops->descriptor(wire->meeting.library) < 0;
}

static void library_route(cor_wire *base, int peer, cor_wire_route *route_p)
{
    (void)base, (void)peer;
    *route_p = (cor_wire_route){.eager_max_bytes = LIBRARY_PACKET_BYTES,
                                .packet_max_bytes = LIBRARY_PACKET_BYTES,
                                .has_memory = 1,
                                .puts_tell = 1};
}

static void library_describe(cor_wire *base, int peer, char *out, size_t out_bytes)
{
    const library_wire *wire = library_of(base);
    wire->meeting.ops->describe(wire->meeting.library, peer, out, out_bytes);
}

static void library_begin_shutdown(cor_wire *base)
{
    library_of(base)->is_ending = 1;
}

static int library_is_flushed(cor_wire *base)
{
    return library_of(base)->under_way == 0;
}

#define LIBRARY_OPS(wire_name, words, open_function)                                                                  \
    {                                                                                                                 \
        .name = wire_name, .summary = words, .open = open_function, .address = library_address,                       \
        .connect = library_connect, .address_more = library_address_more, .connect_more = library_connect_more,       \
        .attach = library_attach, .settle = library_settle, .close = library_close, .route = library_route,           \
        .describe = library_describe, .send = library_send, .begin_shutdown = library_begin_shutdown,                 \
        .is_flushed = library_is_flushed, .poll = library_poll, .reject = library_reject, .memory = &library_memory,  \
    }

const cor_wire_ops cor_ucx_wire = LIBRARY_OPS("ucx", "what UCX knows", library_open_ucx);
const cor_wire_ops cor_ofi_wire = LIBRARY_OPS("ofi", "what libfabric knows", library_open_ofi);
