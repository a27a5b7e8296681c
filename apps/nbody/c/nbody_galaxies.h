/* SPDX-License-Identifier: Apache-2.0 */
/* Two disc galaxies that are about to meet: each has a heavy centre and light bodies on circles around it; the second
 * one is tilted. Units make the constant of gravity 1. They are those of the Java version, drawn with its random
 * numbers. */
#ifndef NBODY_GALAXIES_H
#define NBODY_GALAXIES_H

#include "nbody_bodies.h"

/* Circles are those of the softened force. */
nbody_bodies nbody_galaxies_make(int count, double softening);

#endif
