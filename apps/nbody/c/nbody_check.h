/* SPDX-License-Identifier: Apache-2.0 */
/* What verifies a run: a closed system conserves energy, momentum and angular momentum; and the forces on some bodies
 * are summed directly. All ranks call these functions. */
#ifndef NBODY_CHECK_H
#define NBODY_CHECK_H

#include "nbody_bodies.h"
#include "nbody_masses.h"

#include <stdint.h>

typedef struct nbody_conserved {
    double energy, momentum[3], angular[3];
    double momentum_size, angular_size; /* sums of m |v| and of the angular momenta's sizes, to compare with */
} nbody_conserved;

/* Of all ranks; `potential` is that of this rank's bodies. */
nbody_conserved nbody_check_conserved(const nbody_bodies *bodies, double potential);

/* By how much each changed, relative to its size. */
typedef struct nbody_change {
    double energy, momentum, angular;
} nbody_change;

nbody_change nbody_check_change(const nbody_conserved *before, const nbody_conserved *after);

/* How far the tree's accelerations, three for each body, of some bodies of every rank are from the sums of all pairs;
 * the mean of squares, by that of forces. */
double nbody_check_forces(const nbody_bodies *bodies, const double *accelerations, const nbody_mass *all, int count,
                          double softening);

/* A sum over the bits of all places and velocities. */
uint64_t nbody_check_fingerprint(const nbody_bodies *bodies);

#endif
