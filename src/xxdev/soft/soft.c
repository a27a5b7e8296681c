/* Life of the software device, and the bookkeeping its protocols share. */
#include "xxdev/soft/soft_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define SOFT_FIELD(field) offsetof(cor_soft_config, field)

static const cor_knob soft_knob_rows[] = {
    {"soft.unexpected_max", COR_KNOB_SIZE, SOFT_FIELD(unexpected_max_bytes), "4M", NULL, 4096, 1L << 34,
     "what one peer may make this rank store before messages wait at the sender"},
    {"wait.spin_us", COR_KNOB_INT, SOFT_FIELD(spin_us), "1000", NULL, 0, 1 << 30,
     "microseconds to spin before yielding, where every rank has a CPU; 0: not at all"},
    {"wait.yields", COR_KNOB_INT, SOFT_FIELD(yields), "100", NULL, 0, 1 << 30,
     "times to give the CPU away before sleeping; 0: sleep at once"},
};

const cor_knob_table cor_soft_knobs = {soft_knob_rows, sizeof soft_knob_rows / sizeof *soft_knob_rows};

/* ---- exchanges: ids by which the other side names our transfers ------------------------------------------------- */

/* An id is index + 1 in the low 24 bits and a generation above, so that a stale or forged one is seen. */
enum { SOFT_ID_BITS = 24, SOFT_ID_MASK = (1 << SOFT_ID_BITS) - 1 };

static int soft_exchanges_grow(cor_soft *soft)
{
    uint32_t count = soft->exchange_count ? soft->exchange_count * 2 : 64;
    if (count > SOFT_ID_MASK)
        return COR_ERR_MEMORY;
    soft_exchange *larger = realloc(soft->exchanges, count * sizeof *larger);
    if (!larger)
        return COR_ERR_MEMORY;
    for (uint32_t i = soft->exchange_count; i < count; i++)
        larger[i] = (soft_exchange){.next_free = i + 1 < count ? i + 2 : 0};
    soft->first_free = soft->exchange_count + 1;
    soft->exchanges = larger;
    soft->exchange_count = count;
    return COR_OK;
}

uint32_t soft_exchange_add(cor_soft *soft, cor_transfer *t)
{
    if (!soft->first_free && soft_exchanges_grow(soft) != COR_OK)
        return 0;
    uint32_t slot = soft->first_free;
    soft_exchange *exchange = &soft->exchanges[slot - 1];
    soft->first_free = exchange->next_free;
    exchange->transfer = t;
    t->id = slot | exchange->generation << SOFT_ID_BITS;
    return t->id;
}

cor_transfer *soft_exchange_find(cor_soft *soft, uint32_t id)
{
    uint32_t slot = id & SOFT_ID_MASK;
    if (slot == 0 || slot > soft->exchange_count)
        return NULL;
    cor_transfer *t = soft->exchanges[slot - 1].transfer;
    return t && t->id == id ? t : NULL;
}

void soft_exchange_remove(cor_soft *soft, cor_transfer *t)
{
    uint32_t slot = t->id & SOFT_ID_MASK;
    soft_exchange *exchange = &soft->exchanges[slot - 1];
    exchange->transfer = NULL;
    exchange->generation++;
    exchange->next_free = soft->first_free;
    soft->first_free = slot;
    t->id = 0;
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

void soft_complete(cor_soft *soft, cor_transfer *t, int error)
{
    t->error = error;
    if (COR_UNLIKELY(t->payload.ops != NULL)) {
        cor_list_remove(&t->unheld);
        cor_payload_release(&t->payload);
    }
    if (COR_UNLIKELY(t->is_peekable))
        cor_list_append(&soft->peekable, &t->peeked);
    t->is_done = 1;
    /* Another thread of this rank may be asleep waiting for just this one. */
    soft_wake_sleepers(soft);
}

static __attribute__((noinline)) void soft_wake_all(cor_soft *soft)
{
    if (soft->followers)
        soft_wake_followers(soft, INT_MAX);
    if (!soft->sleeps_on_fds || soft->has_leader)
        soft->wires[0]->ops->ring(soft->wires[0]);
}

void soft_wake_sleepers(cor_soft *soft)
{
    if (COR_UNLIKELY(soft->sleepers))
        soft_wake_all(soft);
}

/* The transfer outlives this moment: its payload is to be held before the lock is released. */
void soft_hold_later(cor_soft *soft, cor_transfer *t)
{
    if (!t->payload.ops)
        return;
    cor_list_init(&t->unheld);
    if (t->payload.ops->hold && !t->payload.is_held)
        cor_list_append(&soft->base.unheld, &t->unheld);
}

void cor_device_hold_all(cor_device *device)
{
    while (!cor_list_is_empty(&device->unheld)) {
        cor_transfer *t = COR_OWNER(device->unheld.next, cor_transfer, unheld);
        cor_list_remove(&t->unheld);
        cor_payload_hold(&t->payload);
    }
}

int cor_device_step_followers(cor_device *device)
{
    int events = 0;
    cor_link *link = device->followers.next;
    while (link != &device->followers) {
        cor_follower *follower = COR_OWNER(link, cor_follower, link);
        link = link->next;
        events += follower->step(follower);
    }
    return events;
}

void soft_no_memory(cor_soft *soft, const char *what)
{
    COR_LOG(soft->log, ERROR, "out of memory for %s; the message cannot be refused any more", what);
    abort();
}

static cor_transfer *soft_peek(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    if (cor_list_is_empty(&soft->peekable))
        return NULL;
    cor_link *link = soft->peekable.next;
    cor_list_remove(link);
    return COR_OWNER(link, cor_transfer, peeked);
}

static void soft_cancel(cor_device *device, cor_transfer *t)
{
    cor_soft *soft = soft_of(device);
    if (t->is_done)
        return;
    if (t->is_send) {
        if (!soft_cancel_send(soft, t))
            return;
    } else if (t->state == SOFT_POSTED) {
        cor_match_remove_receive(&soft->match, t);
    } else {
        return;
    }
    t->is_cancelled = 1;
    t->bytes = 0;
    soft_complete(soft, t, COR_OK);
}

/* A look at a far wire is a system call: while a near one is waited for it is made now and then. */
enum { SOFT_FAR_EVERY = 16, SOFT_FAR_EVERY_ANY = 4 };

static __attribute__((noinline)) int soft_poll_far(cor_soft *soft, int hint)
{
    cor_wire *wanted = hint >= 0 ? soft->peers[hint].wire : NULL;
    uint32_t every = hint >= 0 ? SOFT_FAR_EVERY : SOFT_FAR_EVERY_ANY;
    int is_turn = ++soft->polls % every == 0 || soft->must_poll_all, events = 0;
    soft->must_poll_all = 0;
    for (int i = 1; i < soft->wire_count; i++)
        if (is_turn || soft->wires[i] == wanted)
            events += soft->wires[i]->ops->poll(soft->wires[i], soft->wires[i] == wanted ? hint : -1);
    return events;
}

static int soft_progress(cor_device *device, int hint)
{
    cor_soft *soft = soft_of(device);
    int events = 0;
    if (COR_UNLIKELY(!cor_list_is_empty(&soft->busy)))
        events = soft_pump(soft);
    events += soft->wires[0]->ops->poll(soft->wires[0], hint);
    if (COR_UNLIKELY(soft->wire_count > 1))
        events += soft_poll_far(soft, hint);
    if (events == 0 && COR_UNLIKELY(--soft->patience == 0))
        events = soft_look(soft);
    return events;
}

static void soft_wake(cor_device *device)
{
    soft_wake_sleepers(soft_of(device));
}

static void soft_nudge(cor_device *device, int rank)
{
    cor_wire *wire = soft_of(device)->peers[rank].wire;
    if (wire->ops->nudge)
        wire->ops->nudge(wire, rank);
}

static int soft_is_drained(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    int is_drained = cor_list_is_empty(&soft->busy);
    for (int i = 0; is_drained && i < soft->wire_count; i++)
        if (soft->wires[i]->ops->is_flushed)
            is_drained = soft->wires[i]->ops->is_flushed(soft->wires[i]);
    return is_drained;
}

static void soft_describe(cor_device *device, int rank, char *out, size_t out_bytes)
{
    const soft_peer *peer = &soft_of(device)->peers[rank];
    char more[128] = "";
    if (peer->wire->ops->describe) {
        more[0] = ' ';
        peer->wire->ops->describe(peer->wire, rank, more + 1, sizeof more - 1);
    }
    snprintf(out, out_bytes, "wire %s%s%s, eager to %zu bytes, then %s", peer->wire->ops->name, more,
             peer->is_same_memory ? " (same process)" : "", peer->eager_max_bytes,
             peer->is_same_memory   ? "one direct copy"
             : peer->can_get        ? "one copy out of the sender's process"
             : peer->lend_min_bytes ? "pieces straight from memory"
                                    : "pieces through the ring");
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void soft_close(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    for (cor_message *m = cor_match_any_message(&soft->match); m; m = cor_match_any_message(&soft->match)) {
        cor_match_remove_message(m);
        soft_message_free(soft, m);
    }
    while (!cor_list_is_empty(&soft->taken)) {
        cor_message *m = COR_OWNER(soft->taken.next, cor_message, links);
        cor_list_remove(&m->links[0]);
        soft_message_free(soft, m);
    }
    for (int i = 0; i < soft->wire_count; i++)
        soft->wires[i]->ops->close(soft->wires[i]);
    cor_match_fini(&soft->match);
    cor_pool_fini(&soft->controls);
    cor_pool_fini(&soft->messages);
    free(soft->exchanges);
    for (int i = 0; i < soft->size; i++)
        free(soft->peers[i].lost);
    free(soft->told);
    free(soft->peers);
    free((void *)(uintptr_t)soft->base.ops);
    free(soft);
}

static const cor_device_ops soft_ops = {
    .name = "soft",
    .summary = "matching and protocols in software, over wires",
    .close = soft_close,
    .isend = soft_isend,
    .issend = soft_issend,
    .irecv = soft_irecv,
    .imrecv = soft_imrecv,
    .iprobe = soft_iprobe,
    .improbe = soft_improbe,
    .visit = soft_visit,
    .let_down = soft_let_down,
    .cancel = soft_cancel,
    .peek = soft_peek,
    .progress = soft_progress,
    .idle = soft_idle,
    .vain = soft_vain,
    .is_drained = soft_is_drained,
    .wake = soft_wake,
    .nudge = soft_nudge,
    .lost = soft_lost_why,
    .describe = soft_describe,
};

int cor_soft_open(const cor_soft_options *options, cor_device **device_p, cor_fault *fault)
{
    cor_soft *soft = calloc(1, sizeof *soft);
    cor_device_ops *ops = malloc(sizeof *ops);
    soft_peer *peers = calloc((size_t)options->size, sizeof *peers);
    if (!soft || !ops || !peers || cor_match_init(&soft->match) != COR_OK) {
        free(soft);
        free(ops);
        free(peers);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a device with %d peers", options->size);
    }
    *ops = soft_ops;
    ops->name = options->name;
    soft->base.ops = ops;
    soft->base.lock = options->lock;
    cor_list_init(&soft->base.unheld);
    cor_list_init(&soft->base.followers);
    soft->config = *options->config;
    soft->rank = options->rank;
    soft->size = options->size;
    soft->log = options->log;
    soft->defers_losses = options->defers_losses;
    soft->fault = options->fault;
    soft->holds = options->holds;
    soft->owner = options->owner;
    soft->peers = peers;
    soft->credit_limit = (uint32_t)(options->config->unexpected_max_bytes / SOFT_CREDIT_UNIT);
    cor_list_init(&soft->busy);
    cor_list_init(&soft->peekable);
    cor_list_init(&soft->taken);
    cor_pool_init(&soft->controls, sizeof(soft_control));
    cor_pool_init(&soft->messages, sizeof(cor_message) + SOFT_POOLED_DATA);
    for (int i = 0; i < options->size; i++) {
        soft_peer *peer = &soft->peers[i];
        peer->rank = i;
        cor_list_init(&peer->controls);
        cor_list_init(&peer->sends);
        cor_list_init(&peer->streams);
        cor_list_init(&peer->lenders);
        cor_list_init(&peer->wishes);
    }
    *device_p = &soft->base;
    return COR_OK;
}

int cor_soft_add_wire(cor_device *device, const cor_wire_ops *ops, const void *config, cor_fault *fault)
{
    cor_soft *soft = soft_of(device);
    COR_ASSERT(soft->wire_count < SOFT_MAX_WIRES);
    cor_wire_options options = {
        .rank = soft->rank,
        .size = soft->size,
        .log = soft->log,
        .config = config,
        .deliver = soft_deliver,
        .land = soft_land,
        .repaid = soft_repaid,
        .lost = soft_lost,
        .awaited = soft_awaited,
        .calling = soft_calling,
        .sink = soft,
    };
    int rc = ops->open(&options, &soft->wires[soft->wire_count], fault);
    if (rc == COR_OK)
        soft->wire_count++;
    return rc;
}

int cor_soft_wire_count(const cor_device *device)
{
    return ((const cor_soft *)(const void *)device)->wire_count;
}

cor_wire *cor_soft_wire(const cor_device *device, int index)
{
    return ((const cor_soft *)(const void *)device)->wires[index];
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
                         soft->base.ops->name, rank,
                         soft->wire_count == 1 ? " (dev hybdev or tcpdev would reach it)" : "");
}

/* A message that costs more credits than there are would never leave. */
static size_t soft_eager_max(const cor_soft *soft, size_t route_max_bytes)
{
    size_t most_bytes = (size_t)(soft->credit_limit - SOFT_MESSAGE_COST) * SOFT_CREDIT_UNIT;
    return route_max_bytes < most_bytes ? route_max_bytes : most_bytes;
}

int cor_soft_ready(cor_device *device, uint8_t *const *reached, cor_fault *fault)
{
    cor_soft *soft = soft_of(device);
    for (int i = 0; i < soft->wire_count; i++) {
        int crowded = soft->wires[i]->ops->is_crowded(soft->wires[i]);
        device->is_crowded |= crowded > 0;
        device->is_job_crowded |= crowded > 1;
    }
    soft_look_later(soft);
    soft->sleeps_on_fds = soft->wire_count > 1 || !soft->wires[0]->ops->sleep;
    for (int i = 0; soft->sleeps_on_fds && i < soft->wire_count; i++)
        if (soft->wires[i]->ops->use_fds)
            soft->wires[i]->ops->use_fds(soft->wires[i]);
    for (int rank = 0; rank < soft->size; rank++) {
        soft_peer *peer = &soft->peers[rank];
        for (int i = 0; i < soft->wire_count && !peer->wire; i++)
            if (reached[i][rank])
                peer->wire = soft->wires[i];
        if (!peer->wire)
            return soft_unreached(soft, rank, fault);
        cor_wire_route route;
        peer->wire->ops->route(peer->wire, rank, &route);
        peer->eager_max_bytes = soft_eager_max(soft, route.eager_max_bytes);
        peer->packet_max_bytes = route.packet_max_bytes;
        peer->is_same_memory = (uint8_t)route.is_same_memory;
        peer->can_get = (uint8_t)route.can_get;
        peer->rings_for_room = (uint8_t)route.rings_for_room;
        peer->lend_min_bytes = peer->wire->ops->send_lent ? route.lend_min_bytes : 0;
        if (soft->log->level >= COR_LOG_DEBUG) {
            char line[240];
            soft_describe(device, rank, line, sizeof line);
            COR_LOG(soft->log, DEBUG, "to rank %d: %s", rank, line);
        }
    }
    return COR_OK;
}
