/* SPDX-License-Identifier: Apache-2.0 */
/* The data path: put a packet into a peer's channel, take packets out of ours. */
#include "base/list.h"
#include "xxdev/soft/sm/sm_state.h"

enum {
    SM_BATCH = 32,        /* packets taken from one channel before the next gets its turn */
    SM_LONG_BYTES = 2048, /* a packet of this size ends a turn: its receiver may be about to post the next receive, and
                           * what comes before that is copied twice */
    SM_FAIR_EVERY = 64,   /* polls after which the preferred peer waits its turn too */
};

/* The slow half of finding room: read the reader's count. */
static __attribute__((noinline)) int sm_writer_refresh(sm_writer *w, uint32_t slots, uint64_t ring_bytes,
                                                       uint64_t bytes_end)
{
    if (COR_UNLIKELY(w->is_closed))
        return 0;
    /* acquire: the reader has copied out of a slot before it updates its count; the slot is overwritten only after
     * that. */
    w->taken_seen = atomic_load_explicit(&w->channel->slots_taken, memory_order_acquire);
    w->bytes_taken_seen = atomic_load_explicit(&w->channel->bytes_taken, memory_order_acquire);
    return w->sent - w->taken_seen < slots && bytes_end - w->bytes_taken_seen <= ring_bytes;
}

/* From here on every send ends in the question for room above, and finds none. */
static void sm_writer_close(const sm_wire *wire, sm_writer *w)
{
    w->is_closed = 1;
    w->taken_seen = w->sent - wire->slot_mask - 1;
}

static __attribute__((noinline)) void sm_announce(sm_wire *wire, sm_writer *w)
{
    w->is_announced = 1;
    /* release: the reader that sees the count grown sees the mark. */
    atomic_store_explicit(&w->area->announced[wire->host->me], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->area->announcements, 1, memory_order_release);
}

/* Where a payload of `bytes` starts in a byte ring whose next free position is `position`: pieces do not wrap. */
static inline uint64_t sm_ring_place(uint64_t position, size_t bytes, uint64_t ring_mask)
{
    uint64_t room = ring_mask + 1 - (position & ring_mask);
    return bytes <= room ? position : position + room;
}

/* Budget for 8 bytes: one line written, no atomic read-modify-write, about 10 ns. */
int sm_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
            size_t bytes)
{
    sm_wire *wire = sm_of(base);
    sm_writer *w = &wire->peers[wire->index_of[rank]].writer;
    uint64_t place = w->bytes_sent, end = place;
    if (bytes > SM_INLINE_BYTES) {
        place = sm_ring_place(place, bytes, wire->ring_mask);
        end = place + sm_round_line(bytes);
    }
    if (COR_UNLIKELY(w->sent - w->taken_seen > wire->slot_mask || end - w->bytes_taken_seen > wire->ring_mask + 1) &&
        !sm_writer_refresh(w, wire->slot_mask + 1, wire->ring_mask + 1, end))
        return COR_AGAIN;

    sm_slot *slot = &w->slots[w->sent & wire->slot_mask];
    if (bytes > SM_INLINE_BYTES) {
        cor_payload_read(payload, offset, w->ring + (place & wire->ring_mask), bytes);
        w->bytes_sent = end;
    } else if (bytes) {
        cor_payload_read(payload, offset, slot->payload, bytes);
    }
    slot->bytes = (uint32_t)bytes;
    slot->header = *header;
    w->sent++;
    /* release: a reader that sees the sequence sees header and payload. */
    atomic_store_explicit(&slot->sequence, w->sent, memory_order_release);

    if (COR_UNLIKELY(!w->is_announced))
        sm_announce(wire, w);
    cor_host_notify(wire->host, w->seat, w->index);
    return COR_OK;
}

/* Take up to SM_BATCH packets out of one channel. */
static inline int sm_reader_drain(sm_wire *wire, sm_reader *r)
{
    int count = 0;
    while (count < SM_BATCH) {
        sm_slot *slot = &r->slots[r->taken & wire->slot_mask];
        /* acquire: header and payload were written before the sequence. */
        if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != r->taken + 1)
            break;
        size_t bytes = slot->bytes;
        const void *data = slot->payload;
        if (bytes > SM_INLINE_BYTES) {
            uint64_t place = sm_ring_place(r->bytes_taken, bytes, wire->ring_mask);
            data = r->ring + (place & wire->ring_mask);
            r->bytes_taken = place + sm_round_line(bytes);
        }
        wire->options.deliver(wire->options.sink, r->peer, &slot->header, data, bytes);
        r->taken++;
        count++;
        /* release: we are done with slot and bytes before the writer may use them again. */
        if (bytes > SM_INLINE_BYTES)
            atomic_store_explicit(&r->channel->bytes_taken, r->bytes_taken, memory_order_release);
        atomic_store_explicit(&r->channel->slots_taken, r->taken, memory_order_release);
        if (bytes >= SM_LONG_BYTES)
            break;
    }
    return count;
}

/* A packet that it was writing when it died is never seen. */
void sm_peer_ended(cor_wire *base, int rank)
{
    sm_wire *wire = sm_of(base);
    sm_peer *peer = &wire->peers[wire->index_of[rank]];
    while (sm_reader_drain(wire, &peer->reader) > 0)
        continue;
    sm_writer_close(wire, &peer->writer);
}

void sm_reject(cor_wire *base, int rank, const char *what)
{
    sm_wire *wire = sm_of(base);
    int index = wire->index_of[rank];
    sm_peer *peer = &wire->peers[index];
    cor_fault why;
    cor_host_forget(wire->host, index);
    sm_writer_close(wire, &peer->writer);
    /* Half of all numbers away from the next packet's: nothing of it is taken, and it finds no room for more. */
    peer->reader.taken ^= 1u << 31;
    cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: its process %d on this host sent %s", rank,
                  (int)wire->host->peers[index].pid, what);
    wire->options.lost(wire->options.sink, rank, &why);
}

static __attribute__((noinline)) void sm_activate(sm_wire *wire, uint32_t announcements)
{
    wire->announcements_seen = announcements;
    for (int i = 0; i < wire->host->count; i++) {
        sm_reader *r = &wire->peers[i].reader;
        /* relaxed: ordered by the acquire on the count. A mark whose count we have not seen yet does no harm. */
        if (!r->is_active && atomic_load_explicit(&wire->area->announced[i], memory_order_relaxed)) {
            r->is_active = 1;
            wire->active[wire->active_count++] = r;
        }
    }
}

static inline void sm_look_for_announcements(sm_wire *wire)
{
    /* acquire: pairs with the release in sm_announce. */
    uint32_t announcements = atomic_load_explicit(&wire->area->announcements, memory_order_acquire);
    if (COR_UNLIKELY(announcements != wire->announcements_seen))
        sm_activate(wire, announcements);
}

int sm_poll(cor_wire *base, int first)
{
    sm_wire *wire = sm_of(base);
    cor_host_note_arrivals(wire->host);
    if (first >= 0 && wire->index_of[first] >= 0 && ++wire->polls % SM_FAIR_EVERY != 0) {
        int count = sm_reader_drain(wire, &wire->peers[wire->index_of[first]].reader);
        if (count > 0)
            return count;
    }
    sm_look_for_announcements(wire);
    int total = 0;
    int start = wire->next_active;
    for (int i = 0; i < wire->active_count; i++) {
        int at = start + i < wire->active_count ? start + i : start + i - wire->active_count;
        int count = sm_reader_drain(wire, wire->active[at]);
        if (count > 0)
            wire->next_active = at + 1 < wire->active_count ? at + 1 : 0;
        total += count;
    }
    return total;
}

/* The doorbell is armed: has something come before that? */
int sm_arm(cor_wait_source *source)
{
    sm_wire *wire = sm_of(COR_OWNER(source, cor_wire, source));
    sm_look_for_announcements(wire);
    for (int i = 0; i < wire->active_count; i++) {
        sm_reader *r = wire->active[i];
        sm_slot *slot = &r->slots[r->taken & wire->slot_mask];
        /* relaxed: only a hint whether to poll, which acquires. */
        if (atomic_load_explicit(&slot->sequence, memory_order_relaxed) == r->taken + 1)
            return 0;
    }
    sm_give_back_idle(wire);
    return 1;
}
