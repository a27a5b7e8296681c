/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a wire over a library, and how a rank sleeps on it. */
#include "xxdev/soft/fabric/fabric.h"

#include "base/clock.h"
#include "xxdev/soft/fabric/fabric_state.h"

#include <poll.h>
#include <stdlib.h>

enum { FABRIC_TICK_MS = 1000, FABRIC_FRUITLESS_MAX = 8, FABRIC_AT_ONCE_NS = 100 * 1000, FABRIC_PATIENCE_MS = 2000 };

/* ---- the plugin ------------------------------------------------------------------------------------------------- */

static int fabric_load(const cor_fabric_kind *kind, const char *device, const cor_fabric_ops **ops_p, cor_fault *fault)
{
    const void *table = NULL;
    cor_plugin plugin = kind->plugin;
    plugin.device = device;
    int rc = cor_plugin_open(&plugin, &table, fault);
    *ops_p = table;
    return rc;
}

int cor_fabric_check(const cor_fabric_kind *kind, const char *device, cor_fault *fault)
{
    const cor_fabric_ops *ops;
    return fabric_load(kind, device, &ops, fault);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* No descriptor tells of these. */
static int fabric_has_work(const fabric_wire *wire)
{
    return wire->troubled > 0 || wire->own_count > 0 || !cor_list_is_empty(&wire->untold);
}

static int fabric_arm(cor_wait_source *source)
{
    fabric_wire *wire = COR_OWNER(source, fabric_wire, base.source);
    uint64_t now_ns = cor_clock_ns();
    if (fabric_has_work(wire))
        return 0;
    wire->fruitless = now_ns - wire->armed_ns < FABRIC_AT_ONCE_NS ? wire->fruitless + 1 : 0;
    wire->armed_ns = now_ns;
    wire->is_napping = wire->fruitless >= FABRIC_FRUITLESS_MAX || !cor_list_is_empty(&wire->blocked);
    if (wire->is_napping || wire->base.is_silent)
        return 1;
    wire->delivered = 0;
    return wire->ops->arm(wire->library) && wire->delivered == 0 && !fabric_has_work(wire);
}

static int fabric_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    fabric_wire *wire = COR_OWNER(source, fabric_wire, base.source);
    int descriptor = wire->ops->descriptor(wire->library);
    (void)room;
    wire->polls |= 255; /* the next poll looks at the clock */
    *timeout_ms_p = wire->is_napping ? 1 : FABRIC_TICK_MS;
    if (wire->is_napping || descriptor < 0)
        return 0;
    fds[0] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    return 1;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

void cor_fabric_close(cor_wire *base)
{
    fabric_wire *wire = fabric_of(base);
    for (int i = 0; wire->peers && i < wire->size; i++) {
        wire->peers[i].is_lost = 1; /* nothing is told of it any more */
        free(wire->peers[i].rejected);
        fabric_forget_packets(wire, i);
        fabric_forget_copies(wire, i);
    }
    if (wire->library)
        wire->ops->close(wire->library);
    cor_pool_fini(&wire->small);
    cor_pool_fini(&wire->large);
    cor_pool_fini(&wire->bare);
    cor_pool_fini(&wire->copying);
    free(wire->addresses);
    free(wire->address_bytes);
    free(wire->peers);
    free(wire->awaited);
    free(wire);
}

static int fabric_make(fabric_wire *wire, cor_fault *fault)
{
    const size_t size = (size_t)wire->size;
    wire->peers = calloc(size, sizeof *wire->peers);
    for (int i = 0; wire->peers && i < wire->size; i++) {
        cor_list_init(&wire->peers[i].queue);
        cor_list_init(&wire->peers[i].early);
        cor_list_init(&wire->peers[i].zcopies);
    }
    wire->awaited = calloc(size, 1);
    wire->address_bytes = calloc(size, sizeof *wire->address_bytes);
    if (!wire->peers || !wire->awaited || !wire->address_bytes)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d peers of the wire over %s", wire->size,
                             wire->kind->plugin.library);
    return COR_OK;
}

static int fabric_start(fabric_wire *wire, cor_fault *fault)
{
    const cor_fabric_config *config = &wire->config;
    char why[200] = "";
    const cor_fabric_options options = {
        .rank = wire->rank,
        .size = wire->size,
        .transports = config->transports,
        .interface = config->interface,
        .eager_max_bytes = config->eager_max_bytes,
        .get_max_bytes = config->get_max_bytes,
        .handles_errors = config->handles_errors,
        .sleeps = config->sleeps,
        .rendezvous = config->rendezvous,
        .wire = wire,
        .arrived = fabric_arrived,
        .arrived_odd = fabric_arrived_odd,
        .sent = fabric_sent,
        .copied = fabric_copied,
        .written = fabric_written,
        .reject = fabric_reject,
        .unreached = fabric_unreached,
        .failed = fabric_failed,
        .warn = fabric_warn,
    };
    wire->kind->prepare(wire->size);
    int rc = fabric_load(wire->kind, wire->options.device, &wire->ops, fault);
    if (rc != COR_OK)
        return rc;
    if (wire->ops->open(&options, &wire->library, why, sizeof why) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "%s cannot start %s: %s", wire->options.device, wire->ops->name,
                             why);
    return COR_OK;
}

int cor_fabric_open(const cor_wire_options *options, const cor_wire_ops *ops, const cor_fabric_kind *kind,
                    cor_wire **wire_p, cor_fault *fault)
{
    fabric_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the wire over %s", kind->plugin.library);
    wire->base = (cor_wire){.ops = ops, .source = {.arm = fabric_arm, .fds = fabric_fds}};
    wire->options = *options;
    wire->config = *(const cor_fabric_config *)options->config;
    wire->kind = kind;
    wire->patience_ns = FABRIC_PATIENCE_MS * UINT64_C(1000000);
    wire->rank = options->rank;
    wire->size = options->size;
    cor_list_init(&wire->own);
    cor_list_init(&wire->blocked);
    cor_list_init(&wire->untold);
    cor_list_init(&wire->copies);
    int rc = fabric_make(wire, fault);
    rc = rc == COR_OK ? fabric_start(wire, fault) : rc;
    if (rc != COR_OK) {
        cor_fabric_close(&wire->base);
        return rc;
    }
    *wire_p = &wire->base;
    return COR_OK;
}

void cor_fabric_settle(cor_wire *base)
{
    fabric_wire *wire = fabric_of(base);
    wire->looked_ns = cor_clock_ns();
    base->is_silent = wire->ops->descriptor(wire->library) < 0;
}

/* ---- what there is to say --------------------------------------------------------------------------------------- */

void cor_fabric_route(cor_wire *base, int peer, cor_wire_route *route_p)
{
    const fabric_wire *wire = fabric_of(base);
    *route_p = wire->peers[peer].route;
    if (peer != wire->rank)
        return;
    route_p->has_memory = 0;
    route_p->is_same_memory = 1;
    route_p->zcopy_min_bytes = 0;
}

void cor_fabric_describe(cor_wire *base, int peer, char *out, size_t out_bytes)
{
    const fabric_wire *wire = fabric_of(base);
    wire->ops->describe(wire->library, peer, out, out_bytes);
}

void cor_fabric_begin_shutdown(cor_wire *base)
{
    fabric_of(base)->is_ending = 1;
}

int cor_fabric_is_flushed(cor_wire *base)
{
    const fabric_wire *wire = fabric_of(base);
    return (wire->under_way == 0 || wire->failure[0]) && wire->own_count == 0;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

enum { FABRIC_LOOK_POLLS = 256, FABRIC_LOOK_NS = 1000 * 1000 * 1000 };

int cor_fabric_poll(cor_wire *base, int first)
{
    fabric_wire *wire = fabric_of(base);
    (void)first;
    wire->delivered = 0;
    int events = wire->ops->progress(wire->library);
    if (COR_UNLIKELY(wire->own_count > 0))
        events += fabric_deliver_own(wire);
    if (COR_UNLIKELY(!cor_list_is_empty(&wire->blocked)))
        events += fabric_send_queued(wire);
    if (COR_UNLIKELY(!cor_list_is_empty(&wire->untold)))
        events += fabric_tell_zcopies(wire);
    if (COR_UNLIKELY(wire->troubled > 0))
        events += fabric_tell_troubled(wire);
    if (events > 0) {
        wire->fruitless = 0;
    } else if (++wire->polls % FABRIC_LOOK_POLLS == 0) {
        uint64_t now_ns = cor_clock_ns();
        if (now_ns - wire->looked_ns > FABRIC_LOOK_NS)
            fabric_look(wire, now_ns);
    }
    return events;
}
