/* SPDX-License-Identifier: Apache-2.0 */
/* The software device's table of operations, and the bookkeeping its protocols share. */
#include "xxdev/soft/soft_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define SOFT_FIELD(field) offsetof(cor_soft_config, field)

static const cor_knob soft_knob_rows[] = {
    {"soft.unexpected_max", COR_KNOB_SIZE, SOFT_FIELD(unexpected_max_bytes), "4M", NULL, 4096, 1L << 34,
     "bytes of unexpected messages of one peer that a rank stores before messages wait at the sender; beyond it, "
     "envelopes only"},
    {"hyb.library", COR_KNOB_CHOICE, SOFT_FIELD(library), "none", "none|ucx|ofi", 0, 0,
     "library by which hybdev sends between hosts, with the settings of ucxdev or ofidev; none: RDMA or TCP; the "
     "same on all ranks"},
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

cor_wire_key **soft_exchange_key(cor_soft *soft, const cor_transfer *t)
{
    return &soft->exchanges[(t->id & SOFT_ID_MASK) - 1].key;
}

void soft_exchange_remove(cor_soft *soft, cor_transfer *t)
{
    uint32_t slot = t->id & SOFT_ID_MASK;
    soft_exchange *exchange = &soft->exchanges[slot - 1];
    if (COR_UNLIKELY(t->has_handle))
        soft_unregister(soft, t);
    if (COR_UNLIKELY(exchange->key != NULL)) {
        free(exchange->key);
        exchange->key = NULL;
    }
    exchange->transfer = NULL;
    exchange->generation++;
    exchange->next_free = soft->first_free;
    soft->first_free = slot;
    t->id = 0;
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

void soft_no_memory(cor_soft *soft, const char *what)
{
    COR_LOG(soft->log, ERROR, "out of memory for %s; the message cannot be refused any more", what);
    abort();
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

/* Polling a far wire is a system call: during a wait for a near one it is polled only now and then. */
enum { SOFT_FAR_EVERY = 16, SOFT_FAR_EVERY_ANY = 4 };

static __attribute__((noinline)) int soft_poll_far(cor_soft *soft, int hint)
{
    cor_wire *wanted = hint >= 0 ? soft->peers[hint].wire : NULL;
    uint32_t every = hint >= 0 ? SOFT_FAR_EVERY : SOFT_FAR_EVERY_ANY;
    int is_turn = ++soft->polls % every == 0 || soft->base.waiter.has_slept, events = 0;
    soft->base.waiter.has_slept = 0;
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
    return events;
}

/* Unsent packets wait until the peer makes room, and over some wires no doorbell is rung for that. */
static cor_unsent soft_unsent(cor_device *device)
{
    const cor_soft *soft = soft_of(device);
    if (cor_list_is_empty(&soft->busy))
        return COR_UNSENT_NONE;
    for (const cor_link *link = soft->busy.next; link != &soft->busy; link = link->next)
        if (!COR_OWNER((cor_link *)(uintptr_t)link, soft_peer, busy)->rings_for_room)
            return COR_UNSENT_POLLS;
    return COR_UNSENT_WAKES;
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
             peer->is_same_memory    ? "one direct copy"
             : peer->memory          ? "one copy between the processes"
             : peer->zcopy_min_bytes ? "pieces straight from memory"
                                     : "pieces through the ring");
}

static const cor_peer_counts *soft_counts(cor_device *device, int rank)
{
    const cor_soft *soft = soft_of(device);
    device->counts.resumed = device->counts.resent = 0;
    for (int i = 0; i < soft->wire_count; i++) {
        device->counts.resumed += soft->wires[i]->resumed;
        device->counts.resent += soft->wires[i]->resent;
    }
    return &soft->peers[rank].counts;
}

const cor_device_ops soft_ops = {
    .address = soft_address,
    .connect = soft_connect,
    .attach = soft_attach,
    .settle = soft_settle,
    .close = soft_close,
    .abandon = soft_abandon,
    .begin_shutdown = soft_begin_shutdown,
    .isend = soft_isend,
    .issend = soft_issend,
    .irecv = soft_irecv,
    .imrecv = soft_imrecv,
    .iprobe = soft_iprobe,
    .improbe = soft_improbe,
    .visit = soft_visit,
    .notify_failure = soft_notify_failure,
    .cancel = soft_cancel,
    .progress = soft_progress,
    .unsent = soft_unsent,
    .is_drained = soft_is_drained,
    .describe = soft_describe,
    .memory = &soft_memory,
    .counts = soft_counts,
};
