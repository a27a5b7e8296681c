/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a small model of a protocol, found by walking through all interleavings of its steps, breadth first:
 * add the first state, and then for each state, by its number, those that may follow on it. A state is a struct without
 * padding whose bytes are all defined: memset it first. It is kept once.
 *
 *     model_states states = {.bytes = sizeof(state)};
 *     model_states_add(&states, &first);
 *     for (size_t i = 0; i < states.count; i++) {
 *         state now;
 *         model_states_get(&states, i, &now);
 *         ...model_states_add(&states, &next)...
 *     }
 *     model_states_free(&states);
 */
#ifndef TESTS_MODEL_WALK_H
#define TESTS_MODEL_WALK_H

#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_STATES_ROOM = 1024 }; /* to begin with */

typedef struct model_states {
    size_t bytes; /* of a state */
    char *all;
    size_t count, room;
    uint32_t *table; /* by hash: the number of a state, from 1 on */
    size_t table_size;
} model_states;

static inline size_t model_states_slot(const model_states *states, const char *state)
{
    uint64_t hash = 0, word;
    for (size_t i = 0; i < states->bytes; i += sizeof word) {
        word = 0;
        memcpy(&word, state + i, states->bytes - i < sizeof word ? states->bytes - i : sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash % states->table_size;
}

static inline void model_states_enter(model_states *states, uint32_t number)
{
    size_t at = model_states_slot(states, states->all + number * states->bytes);
    while (states->table[at])
        at = (at + 1) % states->table_size;
    states->table[at] = number + 1;
}

static inline void model_states_grow(model_states *states)
{
    states->room = states->room ? states->room * 2 : MODEL_STATES_ROOM;
    states->table_size = states->room * 2;
    states->all = realloc(states->all, states->room * states->bytes);
    free(states->table);
    states->table = calloc(states->table_size, sizeof *states->table);
    CHECK(states->all && states->table);
    for (size_t i = 0; i < states->count; i++)
        model_states_enter(states, (uint32_t)i);
}

static inline void model_states_add(model_states *states, const void *state)
{
    if (states->count == states->room)
        model_states_grow(states);
    for (size_t at = model_states_slot(states, state); states->table[at]; at = (at + 1) % states->table_size)
        if (memcmp(states->all + (states->table[at] - 1) * states->bytes, state, states->bytes) == 0)
            return;
    memcpy(states->all + states->count * states->bytes, state, states->bytes);
    model_states_enter(states, (uint32_t)states->count++);
}

static inline void model_states_get(const model_states *states, size_t number, void *state_p)
{
    memcpy(state_p, states->all + number * states->bytes, states->bytes);
}

static inline void model_states_free(model_states *states)
{
    free(states->all);
    free(states->table);
}

#endif
