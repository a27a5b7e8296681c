/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on bodies: bodies, and cubes of the tree that act as one mass. All of it is doubles, so that an array is a
 * message. */
#ifndef NBODY_MASSES_H
#define NBODY_MASSES_H

#include "nbody_bodies.h"

typedef struct nbody_mass {
    double place[3], mass;
    double key;   /* place along the curve; of a cube, that of a body in it */
    double level; /* of a cube: how often the whole was parted to get it; 0: a body */
} nbody_mass;

enum { NBODY_MASS_NUMBERS = sizeof(nbody_mass) / sizeof(double) };

typedef struct nbody_masses {
    nbody_mass *all;
    int count, room;
} nbody_masses;

/* The bodies themselves. */
void nbody_masses_init(nbody_masses *masses, const nbody_bodies *bodies);
void nbody_masses_fini(nbody_masses *masses);

void nbody_masses_add(nbody_masses *masses, const nbody_mass *more, int count);

/* The box around them: its corner, then the one opposite. Around nothing, the first is beyond the second. */
void nbody_masses_box(const nbody_masses *masses, double box[6]);

#endif
