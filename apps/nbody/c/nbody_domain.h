/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bodies a rank has: a piece of a curve through space that visits all places near one place before others (that of Morton), cut
 * so that each piece costs as many pairs as the others. All ranks know all keys and costs, and find the same cuts; bodies then go
 * where they belong.
 */
#ifndef NBODY_DOMAIN_H
#define NBODY_DOMAIN_H

#include "nbody_bodies.h"

#include <mpi.h>

typedef struct nbody_domain {
    int ranks;              /* of MPI_COMM_WORLD */
    double corner[3], size; /* the cube around all bodies, once they are divided */
} nbody_domain;

/* Shares the bodies out anew; the array is another one afterwards. All ranks call it. */
void nbody_domain_divide(nbody_domain *domain, nbody_bodies *bodies);

/* All ranks' numbers on every rank, in the order of ranks, in memory that the caller frees. All ranks call it. */
double *nbody_domain_gather(const nbody_domain *domain, const double *own, int count, int *total_p);

#endif
