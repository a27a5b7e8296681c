/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies in shared memory, and which side writes it. Every line of a channel has one writer; an inbox's
 * announcements are written by all.
 */
#ifndef COR_SM_LAYOUT_H
#define COR_SM_LAYOUT_H

#include "base/cpu.h"
#include "xxdev/soft/wire.h"

#include <stdatomic.h>
#include <stdint.h>

enum { SM_INLINE_BYTES = 32, SM_VERSION = 5 };

/* One packet. Written by the channel's writer, `sequence` last. The packet number n (from 0) stands in slot
 * n % slots with sequence n + 1, so a slot of the last lap is never taken for a new one. */
typedef struct sm_slot {
    _Atomic uint32_t sequence;
    uint32_t bytes; /* of payload: up to SM_INLINE_BYTES here, else in the byte ring */
    cor_header header;
    uint8_t payload[SM_INLINE_BYTES];
} sm_slot;

_Static_assert(sizeof(sm_slot) == COR_CACHE_LINE, "a small message is one cache line");

/* What the reader tells the writer: how far it has come. Slots and bytes follow in memory (sm_channel_*). */
typedef struct sm_channel {
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t slots_taken;
    _Atomic uint64_t bytes_taken;
} sm_channel;

/* The area of a rank in the host's memory (wait/host.h): what others write to it. */
typedef struct sm_inbox {
    /* Of the host's first rank: what it found out for all, written at set-up, read by the others when all have done
     * that. */
    uint32_t single_copy_percent; /* what one takes, of a memcpy */
    int32_t ancestor;             /* the nearest process that all ranks of the host descend from; 0: none */

    /* Grows by one when a peer sends for the first time; announced[w] is then set. So a reader polls only channels
     * that were ever used. */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t announcements;
    _Atomic uint8_t announced[]; /* one per local rank, then, aligned, the channels */
} sm_inbox;

static inline size_t sm_round_line(size_t bytes)
{
    return (bytes + COR_CACHE_LINE - 1) / COR_CACHE_LINE * COR_CACHE_LINE;
}

static inline size_t sm_channel_bytes(size_t slots, size_t ring_bytes)
{
    return sizeof(sm_channel) + slots * sizeof(sm_slot) + ring_bytes;
}

static inline size_t sm_inbox_bytes(int channels, size_t slots, size_t ring_bytes)
{
    return sm_round_line(sizeof(sm_inbox) + (size_t)channels) + (size_t)channels * sm_channel_bytes(slots, ring_bytes);
}

static inline sm_channel *sm_inbox_channel(sm_inbox *inbox, int channels, size_t channel_bytes, int writer)
{
    char *first = (char *)inbox + sm_round_line(sizeof(sm_inbox) + (size_t)channels);
    return (sm_channel *)(void *)(first + (size_t)writer * channel_bytes);
}

static inline sm_slot *sm_channel_slots(sm_channel *channel)
{
    return (sm_slot *)(void *)(channel + 1);
}

static inline char *sm_channel_ring(sm_channel *channel, size_t slots)
{
    return (char *)(sm_channel_slots(channel) + slots);
}

#endif
