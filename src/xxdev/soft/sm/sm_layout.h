/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of shared memory, and which side writes what. Every line of a channel has one writer; a rank's
 * announcements are written by all.
 *
 * The area of a rank (wait/host.h) has the announcements to it, then the channels that it writes, by reader: first the
 * heads and slots of all, then, from a page on, the byte rings of all side by side. So the rings that a rank does not
 * use are in few pieces of memory, which it can return to the system (sm_idle.c).
 *
 * Fast sockets have a different ring (net/net_ring.h explains why).
 */
#ifndef COR_SM_LAYOUT_H
#define COR_SM_LAYOUT_H

#include "base/cpu.h"
#include "xxdev/soft/wire.h"

#include <stdatomic.h>
#include <stdint.h>

enum { SM_INLINE_BYTES = 32, SM_PAGE_BYTES = 4096, SM_VERSION = 6 };

/* One packet. Written by the channel's writer, `sequence` last. Packet number n (from 0) is in slot n % slots with
 * sequence n + 1, so a slot of the previous lap is never taken for a new one. */
typedef struct sm_slot {
    _Atomic uint32_t sequence;
    uint32_t bytes; /* of payload: up to SM_INLINE_BYTES here, else in the byte ring */
    cor_header header;
    uint8_t payload[SM_INLINE_BYTES];
} sm_slot;

_Static_assert(sizeof(sm_slot) == COR_CACHE_LINE, "a small message is one cache line");

/* The progress of the reader, for the writer. The slots follow in memory. */
typedef struct sm_channel {
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t slots_taken;
    _Atomic uint64_t bytes_taken;
} sm_channel;

/* The start of an area. */
typedef struct sm_area {
    /* Written by the host's first rank at set-up, read by the others after the set-up of all. */
    uint32_t single_copy_percent; /* the time of a single copy, in percent of a memcpy */
    int32_t ancestor;             /* the nearest common ancestor process of all ranks of the host; 0: none */

    /* Grows by one when a peer sends for the first time; announced[w] is then set. So a reader polls only channels
     * that were ever used. */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t announcements;
    _Atomic uint8_t announced[]; /* one per local rank */
} sm_area;

/* The size of the channels of a host. */
typedef struct sm_shape {
    int channels; /* of an area: one for every local rank */
    size_t slots, ring_bytes;
} sm_shape;

static inline size_t sm_round_line(size_t bytes)
{
    return (bytes + COR_CACHE_LINE - 1) / COR_CACHE_LINE * COR_CACHE_LINE;
}

/* Head and slots of a channel. */
static inline size_t sm_channel_bytes(const sm_shape *shape)
{
    return sizeof(sm_channel) + shape->slots * sizeof(sm_slot);
}

/* Where the channels and the rings of an area begin, and where it ends. */
static inline size_t sm_area_channels(const sm_shape *shape)
{
    return sm_round_line(sizeof(sm_area) + (size_t)shape->channels);
}

static inline size_t sm_area_rings(const sm_shape *shape)
{
    size_t end = sm_area_channels(shape) + (size_t)shape->channels * sm_channel_bytes(shape);
    return (end + SM_PAGE_BYTES - 1) / SM_PAGE_BYTES * SM_PAGE_BYTES;
}

static inline size_t sm_area_bytes(const sm_shape *shape)
{
    return sm_area_rings(shape) + (size_t)shape->channels * shape->ring_bytes;
}

static inline sm_channel *sm_area_channel(sm_area *area, const sm_shape *shape, int reader)
{
    char *first = (char *)area + sm_area_channels(shape);
    return (sm_channel *)(void *)(first + (size_t)reader * sm_channel_bytes(shape));
}

static inline sm_slot *sm_channel_slots(sm_channel *channel)
{
    return (sm_slot *)(void *)(channel + 1);
}

static inline char *sm_area_ring(sm_area *area, const sm_shape *shape, int reader)
{
    return (char *)area + sm_area_rings(shape) + (size_t)reader * shape->ring_bytes;
}

#endif
