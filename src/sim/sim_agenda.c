/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key of a time is its bits as a number, which has the same order. Keys up to `until` are near. A later key is in
 * the bucket of the highest bit in which it differs from `until`: so all keys of a bucket lie before those of the next
 * one, and stay there when `until` moves within the stretch of a lower bucket.
 *
 * When nothing is near, the first bucket that has events comes near as a whole if they are few; else `until` becomes
 * its first key, and its events go to the buckets below it.
 */
#include "sim/sim_agenda.h"

#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

enum { AGENDA_FEW = 1024, AGENDA_PIECE = 127 }; /* events that come near at once; of a piece of a bucket */

struct agenda_piece {
    struct agenda_piece *next;
    size_t count;
    cor_sim_event events[AGENDA_PIECE];
};

static inline uint64_t agenda_key(double time)
{
    uint64_t key;
    memcpy(&key, &time, sizeof key);
    return key;
}

void cor_sim_agenda_free(cor_sim_agenda *agenda)
{
    for (int i = 0; i <= COR_SIM_AGENDA_BUCKETS; i++) {
        struct agenda_piece *piece = i < COR_SIM_AGENDA_BUCKETS ? agenda->buckets[i] : agenda->spare, *next;
        for (; piece; piece = next) {
            next = piece->next;
            free(piece);
        }
    }
    free(agenda->near);
    *agenda = (cor_sim_agenda){0};
}

/* ---- near
 * ----------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int agenda_grow(cor_sim_agenda *agenda)
{
    size_t room = agenda->near_room ? 2 * agenda->near_room : 4 * AGENDA_FEW;
    cor_sim_event *larger = realloc(agenda->near, room * sizeof *larger);
    if (!larger) {
        agenda->has_failed = 1;
        return 0;
    }
    agenda->memory_bytes += (room - agenda->near_room) * sizeof *larger;
    agenda->near = larger;
    agenda->near_room = room;
    return 1;
}

static inline void agenda_put_near(cor_sim_agenda *agenda, cor_sim_event event)
{
    if (COR_LIKELY(agenda->near_count < agenda->near_room) || agenda_grow(agenda))
        cor_sim_queue_push(agenda->near, &agenda->near_count, event);
}

/* ---- far
 * ------------------------------------------------------------------------------------------------------------ */

/* A new first piece of a bucket; NULL: no memory. */
static __attribute__((noinline)) struct agenda_piece *agenda_add_piece(cor_sim_agenda *agenda, int bucket)
{
    struct agenda_piece *piece = agenda->spare;
    if (piece) {
        agenda->spare = piece->next;
    } else {
        piece = malloc(sizeof *piece);
        if (!piece) {
            agenda->has_failed = 1;
            return NULL;
        }
        agenda->memory_bytes += sizeof *piece;
    }
    piece->count = 0;
    piece->next = agenda->buckets[bucket];
    agenda->buckets[bucket] = piece;
    agenda->filled |= (uint64_t)1 << bucket;
    return piece;
}

static inline void agenda_put_far(cor_sim_agenda *agenda, cor_sim_event event, uint64_t key)
{
    int bucket = 63 - __builtin_clzll(key ^ agenda->until);
    struct agenda_piece *piece = agenda->buckets[bucket];
    if (COR_UNLIKELY(!piece || piece->count == AGENDA_PIECE))
        piece = agenda_add_piece(agenda, bucket);
    if (piece) {
        piece->events[piece->count++] = event;
        agenda->counts[bucket]++;
    }
}

static inline void agenda_put(cor_sim_agenda *agenda, cor_sim_event event)
{
    uint64_t key = agenda_key(event.time);
    if (key <= agenda->until)
        agenda_put_near(agenda, event);
    else
        agenda_put_far(agenda, event, key);
}

/* ---- from the one to the other
 * -------------------------------------------------------------------------------------- */

static uint64_t agenda_first_key(const struct agenda_piece *piece)
{
    uint64_t first = UINT64_MAX;
    for (; piece; piece = piece->next)
        for (size_t i = 0; i < piece->count; i++) {
            uint64_t key = agenda_key(piece->events[i].time);
            first = key < first ? key : first;
        }
    return first;
}

/* Nothing is near: open the first bucket. */
static void agenda_open_bucket(cor_sim_agenda *agenda)
{
    int bucket = __builtin_ctzll(agenda->filled);
    struct agenda_piece *piece = agenda->buckets[bucket], *next;
    int is_few = agenda->counts[bucket] <= AGENDA_FEW;
    /* The last key of its stretch has all bits set from that of the bucket down. */
    agenda->until = is_few ? agenda->until | (((uint64_t)2 << bucket) - 1) : agenda_first_key(piece);
    agenda->buckets[bucket] = NULL;
    agenda->counts[bucket] = 0;
    agenda->filled &= agenda->filled - 1;
    agenda->near_most = (size_t)4 * AGENDA_FEW;
    for (; piece; piece = next) {
        for (size_t i = 0; i < piece->count; i++)
            agenda_put(agenda, piece->events[i]);
        next = piece->next;
        piece->next = agenda->spare;
        agenda->spare = piece;
    }
}

/* Too many have come near: leave only the first time there. The limit rises where that is the time of most of them. */
static __attribute__((noinline)) void agenda_put_off(cor_sim_agenda *agenda)
{
    size_t count = agenda->near_count, left = 0;
    agenda->until = agenda_key(agenda->near[0].time);
    for (size_t i = 0; i < count; i++) {
        cor_sim_event event = agenda->near[i];
        uint64_t key = agenda_key(event.time);
        if (key == agenda->until) /* behind no event that is still to be looked at: left <= i */
            cor_sim_queue_push(agenda->near, &left, event);
        else
            agenda_put_far(agenda, event, key);
    }
    agenda->near_count = left;
    agenda->near_most = 2 * left > (size_t)4 * AGENDA_FEW ? 2 * left : (size_t)4 * AGENDA_FEW;
}

void cor_sim_agenda_push(cor_sim_agenda *agenda, cor_sim_event event)
{
    agenda_put(agenda, event);
    if (COR_UNLIKELY(agenda->near_count > agenda->near_most) && agenda->near_most > 0)
        agenda_put_off(agenda);
}

int cor_sim_agenda_pop(cor_sim_agenda *agenda, cor_sim_event *event_p)
{
    while (agenda->near_count == 0) {
        if (!agenda->filled)
            return 0;
        agenda_open_bucket(agenda);
    }
    *event_p = cor_sim_queue_pop(agenda->near, &agenda->near_count);
    return 1;
}
