/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the wire: find a device, tell where it is, learn where the others are. */
#define _GNU_SOURCE
#include "xxdev/soft/ibv/ibv.h"

#include "base/sha256.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void ibw_close(cor_wire *base)
{
    ibw_wire *wire = ibw_of(base);
    for (int i = 0; wire->links && i < wire->options.size; i++)
        if (wire->links[i])
            ibw_link_destroy(wire, wire->links[i]);
    ibw_memory_close(wire);
    ibw_device_close(wire);
    if (wire->epoll_fd >= 0)
        close(wire->epoll_fd);
    free(wire->inline_frame);
    free(wire->mail_links);
    free(wire->by_number);
    free(wire->awaited);
    free(wire->places);
    free(wire->links);
    free(wire);
}

static int ibw_make(ibw_wire *wire, cor_fault *fault)
{
    size_t size = (size_t)wire->options.size, slots = 4;
    while (slots < 2 * size)
        slots *= 2;
    wire->places = calloc(size, sizeof *wire->places);
    wire->links = calloc(size, sizeof(ibw_link *));
    wire->awaited = calloc(size, sizeof *wire->awaited);
    wire->mail_links = calloc(size, sizeof(ibw_link *));
    wire->by_number = calloc(slots, sizeof(ibw_link *));
    wire->inline_frame = aligned_alloc(64, (wire->config.inline_max_bytes + 127) / 64 * 64);
    wire->by_number_mask = (uint32_t)slots - 1;
    if (!wire->places || !wire->links || !wire->awaited || !wire->mail_links || !wire->by_number ||
        !wire->inline_frame)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d peers of the verbs wire", wire->options.size);
    wire->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (wire->epoll_fd < 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot prepare to wait for RDMA: %s", strerror(errno));
    return COR_OK;
}

static void ibw_read_host(ibw_address *address)
{
    char host[IBW_HOST_MAX] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        snprintf(host, sizeof host, "unknown");
    for (char *at = host; *at; at++)
        if (*at <= ' ' || *at >= 127 || *at == ',')
            *at = '_';
    memcpy(address->host, host, sizeof host);
}

static int ibw_open(const cor_wire_options *options, const cor_wire_ops *ops, ibw_wire **wire_p, cor_fault *fault)
{
    ibw_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the verbs wire");
    wire->base = (cor_wire){.ops = ops, .source = {.arm = ibw_arm, .fds = ibw_fds}};
    wire->options = *options;
    wire->config = *(const cor_ibv_config *)options->config;
    wire->epoll_fd = -1;
    wire->send_buffers = wire->config.send_buffers;
    wire->inline_max_bytes = (uint32_t)wire->config.inline_max_bytes;
    wire->address.buffer_bytes = wire->config.buffer_bytes;
    ibw_read_host(&wire->address);
    ibw_memory_open(wire);
    int rc = ibw_make(wire, fault);
    if (rc == COR_OK && options->rank == 0) {
        rc = cor_random_bytes(wire->address.secret, IBW_SECRET_BYTES);
        wire->address.has_secret = 1;
    }
    if (rc != COR_OK) {
        ibw_close(&wire->base);
        return rc;
    }
    *wire_p = wire;
    return COR_OK;
}

static int ibw_open_surely(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    ibw_wire *wire;
    int rc = ibw_open(options, &cor_ibv_wire, &wire, fault);
    if (rc != COR_OK)
        return rc;
    rc = ibw_device_open(wire, fault);
    if (rc != COR_OK) {
        ibw_close(&wire->base);
        return rc;
    }
    wire->address.has_device = 1;
    *wire_p = &wire->base;
    return COR_OK;
}

static int ibw_open_if_any(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    ibw_wire *wire;
    cor_fault why;
    int rc = ibw_open(options, &cor_ibv_wire_if_any, &wire, fault);
    if (rc != COR_OK)
        return rc;
    if (!wire->config.is_in_hybrid)
        COR_LOG(options->log, DEBUG, "ibv: not used, as ibv.hybrid says");
    else if (!ibw_device_is_there())
        COR_LOG(options->log, DEBUG, "ibv: the kernel of this host has no RDMA device");
    else if (ibw_buffers_are_allowed(wire, &why) == COR_OK && ibw_device_open(wire, &why) == COR_OK)
        wire->address.has_device = 1;
    else
        wire->obstacle = why;
    if (wire->obstacle.code && options->rank != 0)
        COR_LOG(options->log, INFO, "ibv: %s", why.text);
    *wire_p = &wire->base;
    return COR_OK;
}

static void ibw_address_of(cor_wire *base, char *text)
{
    ibw_address_print(&ibw_of(base)->address, text);
}

/* With a device, and with the settings that must be alike? */
static int ibw_learn(ibw_wire *wire, int rank, const char *text, int *has_device_p, cor_fault *fault)
{
    ibw_address address;
    int rc = ibw_address_parse(text, &address, fault);
    if (rc != COR_OK)
        return rc;
    *has_device_p = address.has_device;
    memcpy(wire->places[rank].host, address.host, sizeof address.host);
    wire->places[rank].place = address.place;
    wire->places[rank].spot = address.spot;
    if (!address.has_device)
        return COR_OK;
    if (address.buffer_bytes != wire->config.buffer_bytes)
        return cor_fault_set(fault, COR_ERR_KNOB,
                             "ibv.buffer is %zu on rank %d and %zu on rank %d; it must be the same on all ranks",
                             wire->config.buffer_bytes, wire->options.rank, address.buffer_bytes, rank);
    if (wire->address.has_device && address.has_spot != wire->address.has_spot)
        return cor_fault_set(
            fault, COR_ERR_KNOB,
            "connections are made by %s on rank %d, and not on rank %d: ibv.setup=exchange on all ranks "
            "makes them alike",
            wire->setup->name, wire->options.rank, rank);
    if (wire->address.has_spot && address.has_spot && address.spot.gid_kind != wire->address.spot.gid_kind)
        return cor_fault_set(
            fault, COR_ERR_KNOB,
            "rank %d is on %s and rank %d on %s: ibv.gid_index, ibv.port and ibv.device choose others",
            wire->options.rank, ibw_gid_kind_text(wire->address.spot.gid_kind), rank,
            ibw_gid_kind_text(address.spot.gid_kind));
    if (rank == 0 && !address.has_secret)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank 0 has told no secret for the connections of this job");
    if (rank == 0)
        memcpy(wire->secret, address.secret, sizeof wire->secret);
    return COR_OK;
}

/* By rank 0, for all: once, and louder if there is a device that is not used. */
static void ibw_tell_obstacle(const ibw_wire *wire, int without)
{
    const cor_log *log = wire->options.log;
    if (wire->obstacle.code)
        COR_LOG(log, WARN, "no RDMA between hosts, TCP instead: %s", wire->obstacle.text);
    else if (wire->address.has_device)
        COR_LOG(log, WARN, "no RDMA between hosts, since rank %d on %s offers no device: TCP instead", without,
                wire->places[without].host);
    else
        COR_LOG(log, INFO, "no RDMA between hosts, since rank %d on %s offers no device: TCP instead", without,
                wire->places[without].host);
}

/* All ranks or none, so that all see alike whether another wire is needed. Itself a rank reaches by shared memory. */
static int ibw_connect(cor_wire *base, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    ibw_wire *wire = ibw_of(base);
    int without = -1;
    for (int rank = 0; rank < wire->options.size; rank++) {
        int has_device;
        int rc = ibw_learn(wire, rank, addresses[rank], &has_device, fault);
        if (rc != COR_OK)
            return rc;
        if (!has_device && without < 0)
            without = rank;
    }
    if (without < 0) {
        for (int rank = 0; rank < wire->options.size; rank++)
            reached[rank] |= rank != wire->options.rank;
        return COR_OK;
    }
    if (wire->options.rank == 0)
        ibw_tell_obstacle(wire, without);
    ibw_device_close(wire);
    return COR_OK;
}

static int ibw_attach(cor_wire *base, cor_fault *fault)
{
    (void)base;
    (void)fault;
    return COR_OK;
}

/* A packet goes to a mailbox only if it fits a buffer to send from. */
static void ibw_settle_mailboxes(ibw_wire *wire)
{
    size_t most = wire->config.mailbox_max_bytes;
    if (most == 0)
        return;
    if (wire->context->device->transport_type == IBV_TRANSPORT_IWARP) {
        COR_LOG(wire->options.log, WARN, "no mailboxes (ibv.mailbox): iWARP does not say in which order it writes");
        return;
    }
    wire->mail_slot_bytes =
        ibw_mailbox_slot_bytes(most, wire->config.buffer_bytes, wire->config.mailbox_bytes, wire->options.size);
    if (wire->mail_slot_bytes)
        COR_LOG(wire->options.log, DEBUG, "ibv: mailboxes of %d slots of %u bytes", IBW_MAIL_SLOTS,
                wire->mail_slot_bytes);
    else
        COR_LOG(wire->options.log, INFO,
                "ibv: no mailboxes, since %zu bytes (ibv.mailbox_bytes) are too few for %d ranks",
                wire->config.mailbox_bytes, wire->options.size);
}

static void ibw_settle(cor_wire *base)
{
    ibw_wire *wire = ibw_of(base);
    if (!wire->completions)
        return;
    wire->looked_ns = cor_clock_ns();
    wire->timer_ns = wire->looked_ns + IBW_AWAIT_MS * 1000000ull;
    ibw_settle_mailboxes(wire);
    COR_LOG(wire->options.log, DEBUG,
            "ibv: device %s, connections by %s, each with %d credits and %d places in the send queue", wire->device,
            wire->setup->name, wire->config.credits, wire->config.send_queue);
    if (wire->config.connects_all)
        ibw_call_all(wire);
}

static void ibw_begin_shutdown(cor_wire *base)
{
    ibw_wire *wire = ibw_of(base);
    int open = 0;
    wire->is_shutting_down = 1;
    for (int rank = 0; rank < wire->options.size; rank++)
        open += wire->links[rank] && wire->links[rank]->state == IBW_OPEN;
    if (wire->completions)
        COR_LOG(wire->options.log, INFO, "ibv: connected with %d of %d other ranks", open, wire->options.size - 1);
}

static void ibw_route(cor_wire *base, int rank, cor_wire_route *route_p)
{
    const ibw_wire *wire = ibw_of(base);
    size_t packet = wire->config.buffer_bytes - sizeof(ibw_frame);
    (void)rank;
    *route_p = (cor_wire_route){
        .eager_max_bytes = packet,
        .packet_max_bytes = packet,
        .has_memory = 1,
        .get_max_bytes = wire->config.get_max_bytes,
        .puts_tell = ibw_puts_tell(wire),
        .atomics = ibw_atomics(wire),
        .rings_for_room = 1,
    };
}

static void ibw_describe(cor_wire *base, int rank, char *out, size_t out_bytes)
{
    const ibw_wire *wire = ibw_of(base);
    snprintf(out, out_bytes, "on %s, by %s", wire->places[rank].host, wire->device);
}

/* Two tables that differ in how they are opened. */
#define IBW_OPS(open_function)                                                                                        \
    {                                                                                                                 \
        .name = "ibv", .summary = "InfiniBand, RoCE and iWARP", .open = open_function, .address = ibw_address_of,     \
        .connect = ibw_connect, .attach = ibw_attach, .settle = ibw_settle, .begin_shutdown = ibw_begin_shutdown,     \
        .close = ibw_close, .route = ibw_route, .describe = ibw_describe, .send = ibw_send,                           \
        .is_flushed = ibw_is_flushed, .poll = ibw_poll, .reject = ibw_reject, .memory = &ibw_memory,                  \
    }

const cor_wire_ops cor_ibv_wire = IBW_OPS(ibw_open_surely);
const cor_wire_ops cor_ibv_wire_if_any = IBW_OPS(ibw_open_if_any);
