/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the software device: open its wires, connect to the peers, close. */
#include "xxdev/soft/soft_state.h"

#include <stdio.h>
#include <stdlib.h>

int cor_soft_open(const cor_device_options *options, const char *name, const cor_soft_wire *wires, int wire_count,
                  cor_device **device_p, cor_fault *fault)
{
    const cor_soft_config *config = options->settings;
    cor_soft *soft = calloc(1, sizeof *soft);
    soft_peer *peers = calloc((size_t)options->size, sizeof *peers);
    if (!soft || !peers || cor_match_init(&soft->match) != COR_OK) {
        free(soft);
        free(peers);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a device with %d peers", options->size);
    }
    cor_device_init(&soft->base, &soft_ops, name, options);
    soft->base.tag_max = INT32_MAX;
    for (int i = 0; i < wire_count; i++)
        soft->offered[i] = wires[i];
    soft->offered_count = wire_count;
    soft->config = *config;
    soft->rank = options->rank;
    soft->size = options->size;
    soft->log = options->log;
    soft->fault = options->fault;
    soft->peers = peers;
    soft->credit_limit = (uint32_t)(config->unexpected_max_bytes / SOFT_CREDIT_UNIT);
    cor_list_init(&soft->busy);
    cor_pool_init(&soft->controls, sizeof(soft_control));
    for (int i = 0; i < options->size; i++) {
        soft_peer *peer = &soft->peers[i];
        peer->rank = i;
        cor_list_init(&peer->controls);
        cor_list_init(&peer->sends);
        cor_list_init(&peer->streams);
        cor_list_init(&peer->unacked);
        cor_list_init(&peer->wishes);
    }
    *device_p = &soft->base;
    return COR_OK;
}

void soft_close(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    for (int i = 0; i < soft->wire_count; i++)
        soft->wires[i]->ops->close(soft->wires[i]);
    cor_match_fini(&soft->match);
    cor_pool_fini(&soft->controls);
    for (uint32_t i = 0; i < soft->exchange_count; i++)
        free(soft->exchanges[i].key);
    free(soft->exchanges);
    free(soft->peers);
}

void soft_abandon(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    for (int i = 0; i < soft->wire_count; i++)
        if (soft->wires[i]->ops->abandon)
            soft->wires[i]->ops->abandon(soft->wires[i]);
}

int soft_begin_shutdown(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    int has_begun = 0;
    for (int i = 0; i < soft->wire_count; i++)
        if (soft->wires[i]->ops->begin_shutdown) {
            soft->wires[i]->ops->begin_shutdown(soft->wires[i]);
            has_begun = 1;
        }
    return has_begun;
}

cor_wire *cor_soft_wire_at(const cor_device *device, int index)
{
    return ((const cor_soft *)(const void *)device)->wires[index];
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static int soft_open_wire(cor_soft *soft, const cor_soft_wire *offered, cor_fault *fault)
{
    cor_wire_options options = {
        .rank = soft->rank,
        .size = soft->size,
        .device = soft->base.name,
        .host = soft->base.host,
        .log = soft->log,
        .config = offered->config,
        .deliver = soft_deliver,
        .land = soft_land,
        .zcopy_done = soft_zcopy_done,
        .copied = soft_copied,
        .written = soft_written,
        .lost = soft_lost,
        .awaited = soft_awaited,
        .has_ended = soft_has_ended,
        .connecting = soft_connecting,
        .sink = soft,
    };
    int rc = offered->ops->open(&options, &soft->wires[soft->wire_count], fault);
    if (rc == COR_OK)
        soft->wire_count++;
    return rc;
}

static int soft_reaches_all(const cor_soft *soft)
{
    for (int rank = 0; rank < soft->size; rank++)
        if (!soft->peers[rank].wire)
            return 0;
    return 1;
}

/* The wire whose rounds these are; NULL: none yet, or one that was not built. */
static cor_wire *soft_wire_of_round(const cor_soft *soft)
{
    return soft->next_offered > 0 && soft->offered[soft->next_offered - 1].ops ? soft->wires[soft->wire_count - 1]
                                                                               : NULL;
}

/* The next wire, if one is needed. */
static int soft_address_next(cor_soft *soft, char *text, cor_fault *fault)
{
    if (soft->next_offered == soft->offered_count || soft_reaches_all(soft))
        return 0;
    const cor_soft_wire *offered = &soft->offered[soft->next_offered++];
    soft->wire_round = 0;
    if (!offered->ops) {
        snprintf(text, COR_WIRE_ADDRESS_MAX, "%s", offered->absent_address);
        return 1;
    }
    int rc = soft_open_wire(soft, offered, fault);
    if (rc != COR_OK)
        return rc;
    cor_wire *wire = soft->wires[soft->wire_count - 1];
    wire->ops->address(wire, text);
    return 1;
}

int soft_address(cor_device *device, int round, char *text, cor_fault *fault)
{
    cor_soft *soft = soft_of(device);
    cor_wire *wire = soft_wire_of_round(soft);
    (void)round;
    soft->wire_round++;
    if (wire && wire->ops->address_more && wire->ops->address_more(wire, soft->wire_round, text))
        return 1;
    return soft_address_next(soft, text, fault);
}

static int soft_connect_wire(cor_soft *soft, cor_wire *wire, const char *const *texts, cor_fault *fault)
{
    uint8_t *reached = calloc((size_t)soft->size, sizeof *reached);
    if (!reached)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d peers", soft->size);
    int rc = wire->ops->connect(wire, texts, reached, fault);
    for (int rank = 0; rc == COR_OK && rank < soft->size; rank++)
        if (reached[rank] && !soft->peers[rank].wire)
            soft->peers[rank].wire = wire;
    free(reached);
    return rc;
}

int soft_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault)
{
    cor_soft *soft = soft_of(device);
    cor_wire *wire = soft_wire_of_round(soft);
    (void)round;
    if (!wire)
        return COR_OK;
    return soft->wire_round == 0 ? soft_connect_wire(soft, wire, texts, fault)
                                 : wire->ops->connect_more(wire, soft->wire_round, texts, fault);
}

int soft_attach(cor_device *device, cor_fault *fault)
{
    cor_soft *soft = soft_of(device);
    int rc = COR_OK;
    for (int i = 0; rc == COR_OK && i < soft->wire_count; i++)
        rc = soft->wires[i]->ops->attach(soft->wires[i], fault);
    return rc;
}

static int soft_unreached(const cor_soft *soft, int rank, cor_fault *fault)
{
    char why[sizeof fault->text] = "";
    for (int i = 0; i < soft->wire_count && !why[0]; i++)
        if (soft->wires[i]->ops->obstacle)
            soft->wires[i]->ops->obstacle(soft->wires[i], rank, why, sizeof why);
    if (why[0])
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "%s", why);
    return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                         "no wire of device %s reaches rank %d: it runs on another host or in another process-id "
                         "space%s",
                         soft->base.name, rank,
                         soft->offered_count == 1 ? " (dev hybdev or tcpdev would reach it)" : "");
}

/* A message that costs more credits than there are would never leave. */
static size_t soft_eager_max(const cor_soft *soft, size_t route_max_bytes)
{
    size_t most_bytes = (size_t)(soft->credit_limit - SOFT_MESSAGE_COST) * SOFT_CREDIT_UNIT;
    return route_max_bytes < most_bytes ? route_max_bytes : most_bytes;
}

static void soft_take_route(cor_soft *soft, soft_peer *peer)
{
    cor_wire_route route;
    char line[240];
    peer->wire->ops->route(peer->wire, peer->rank, &route);
    peer->eager_max_bytes = soft_eager_max(soft, route.eager_max_bytes);
    peer->packet_max_bytes = route.packet_max_bytes;
    peer->is_same_memory = (uint8_t)route.is_same_memory;
    peer->is_pushed = (uint8_t)route.is_pushed;
    peer->windows = route.has_memory ? peer->wire->ops->memory : NULL;
    peer->memory = route.prefers_pieces ? NULL : peer->windows;
    peer->puts_tell = (uint8_t)route.puts_tell;
    peer->get_max_bytes = route.get_max_bytes;
    peer->get_align_bytes = route.get_align_bytes;
    peer->rings_for_room = (uint8_t)route.rings_for_room;
    peer->zcopy_min_bytes = peer->wire->ops->send_zcopy ? route.zcopy_min_bytes : 0;
    if (soft->log->level >= COR_LOG_DEBUG) {
        soft_ops.describe(&soft->base, peer->rank, line, sizeof line);
        COR_LOG(soft->log, DEBUG, "to rank %d: %s", peer->rank, line);
    }
}

int soft_settle(cor_device *device, cor_fault *fault)
{
    cor_soft *soft = soft_of(device);
    for (int i = 0; i < soft->wire_count; i++)
        soft->wires[i]->ops->settle(soft->wires[i]);
    for (int i = 0; i < soft->wire_count; i++) {
        cor_waiter_add(&device->waiter, &soft->wires[i]->source);
        device->waiter.is_silent |= soft->wires[i]->is_silent;
    }
    device->host->ended = soft_ended;
    device->host->subject = soft;
    for (int rank = 0; rank < soft->size; rank++) {
        if (!soft->peers[rank].wire)
            return soft_unreached(soft, rank, fault);
        soft_take_route(soft, &soft->peers[rank]);
    }
    return COR_OK;
}
