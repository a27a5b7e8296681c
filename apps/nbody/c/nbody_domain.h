/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bodies a rank has: a piece of a curve through space that visits all places near one place before others (that
 * of Morton), cut so that each piece costs as many pairs as the others. All ranks know all keys and costs, and find the
 * same cuts; bodies then go where they belong.
 */
#ifndef NBODY_DOMAIN_H
#define NBODY_DOMAIN_H

#include "nbody_bodies.h"

#include <mpi.h>

enum { NBODY_DOMAIN_BITS = 17 /* of a coordinate; keys of 51 bits are exact as doubles */ };

typedef struct nbody_domain {
    int rank, ranks;        /* of MPI_COMM_WORLD */
    double corner[3], size; /* the cube around all bodies, once they are divided */
    double *cuts;           /* keys at which pieces end, but for the last */
} nbody_domain;

void nbody_domain_init(nbody_domain *domain, int rank, int ranks);
void nbody_domain_fini(nbody_domain *domain);

/* Shares the bodies out anew; the array is another one afterwards. All ranks call it. */
void nbody_domain_divide(nbody_domain *domain, nbody_bodies *bodies);

/* Whether all places of a cube are this rank's: one around the body with this key, so often parted from the whole. */
int nbody_domain_owns(const nbody_domain *domain, double key, int level);

/* So many numbers to each rank, one part after the other; returns what arrives, in the order of ranks, in memory that
 * the caller frees, and how many numbers. All ranks call it. */
void *nbody_domain_exchange(const nbody_domain *domain, const void *data, const int *counts, int *total_p);

/* All ranks' numbers on every rank, in the order of ranks, in memory that the caller frees. All ranks call it. */
double *nbody_domain_gather(const nbody_domain *domain, const double *own, int count, int *total_p);

#endif
