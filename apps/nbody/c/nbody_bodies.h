/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: ten numbers each, one after the other, so that an array of them is a message and a snapshot. */
#ifndef NBODY_BODIES_H
#define NBODY_BODIES_H

#include <stddef.h>

typedef struct nbody_body {
    double place[3];
    double velocity[3]; /* half a step behind, but for the first step and in snapshots */
    double mass;
    double cost; /* pairs that its last force took */
    double key;  /* place along the curve */
    double name; /* its number; never changes */
} nbody_body;

enum { NBODY_NUMBERS = sizeof(nbody_body) / sizeof(double) };

typedef struct nbody_bodies {
    nbody_body *all; /* from nbody_alloc; free() ends it */
    int count;
} nbody_bodies;

/* Orders them along the curve. */
void nbody_bodies_sort(nbody_bodies *bodies);

/* Zeroed memory, or the end of the job after a sentence. */
void *nbody_alloc(size_t count, size_t size);
/* More room for a list from nbody_alloc, which it replaces; the first `count` elements stay. */
void *nbody_grow(void *list, size_t count, size_t room, size_t size);

#endif
