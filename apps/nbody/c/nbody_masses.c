/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_masses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nbody_masses_init(nbody_masses *masses, const nbody_bodies *bodies)
{
    *masses = (nbody_masses){nbody_alloc((size_t)bodies->count, sizeof *masses->all), bodies->count, bodies->count};
    for (int i = 0; i < bodies->count; i++) {
        const nbody_body *body = &bodies->all[i];
        masses->all[i] =
            (nbody_mass){{body->place[0], body->place[1], body->place[2]}, .mass = body->mass, .key = body->key};
    }
}

void nbody_masses_fini(nbody_masses *masses)
{
    free(masses->all);
}

void nbody_masses_add(nbody_masses *masses, const nbody_mass *more, int count)
{
    if (count == 0)
        return;
    if (masses->count + count > masses->room) {
        masses->room = 2 * masses->room + count;
        masses->all = nbody_grow(masses->all, (size_t)masses->count, (size_t)masses->room, sizeof *masses->all);
    }
    memcpy(masses->all + masses->count, more, (size_t)count * sizeof *more);
    masses->count += count;
}

void nbody_masses_box(const nbody_masses *masses, double box[6])
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = HUGE_VAL;
        box[3 + axis] = -HUGE_VAL;
        for (int i = 0; i < masses->count; i++) {
            box[axis] = fmin(box[axis], masses->all[i].place[axis]);
            box[3 + axis] = fmax(box[3 + axis], masses->all[i].place[axis]);
        }
    }
}
