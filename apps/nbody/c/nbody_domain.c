/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_domain.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { DOMAIN_BITS = 17 /* of a coordinate; keys of 51 bits are exact as doubles */ };

/* What all ranks know of a body. */
typedef struct domain_mark {
    double key, cost;
} domain_mark;

static void domain_measure(nbody_domain *domain, const nbody_bodies *bodies)
{
    double own[6], most[6];
    for (int i = 0; i < 6; i++)
        own[i] = -HUGE_VAL;
    for (int i = 0; i < bodies->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double x = bodies->all[i].place[axis];
            own[axis] = fmax(own[axis], x);
            own[3 + axis] = fmax(own[3 + axis], -x);
        }
    MPI_Allreduce(own, most, 6, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    domain->size = 0;
    for (int axis = 0; axis < 3; axis++) {
        domain->size = fmax(domain->size, most[axis] + most[3 + axis]);
        domain->corner[axis] = -most[3 + axis];
    }
    domain->size *= 1 + 1e-9; /* the outermost bodies are inside */
}

static void domain_set_keys(const nbody_domain *domain, nbody_bodies *bodies)
{
    double scale = (1 << DOMAIN_BITS) / domain->size;
    for (int i = 0; i < bodies->count; i++) {
        uint64_t key = 0;
        for (int axis = 0; axis < 3; axis++) {
            uint64_t cell = (uint64_t)((bodies->all[i].place[axis] - domain->corner[axis]) * scale);
            for (int bit = 0; bit < DOMAIN_BITS; bit++)
                key |= (cell >> bit & 1) << (3 * bit + axis);
        }
        bodies->all[i].key = (double)key;
    }
}

static int domain_compare(const void *a, const void *b)
{
    const domain_mark *one = a, *two = b;
    return one->key < two->key ? -1 : one->key > two->key;
}

/* The keys at which pieces end, but for the last; orders the marks. */
static void domain_cut(const nbody_domain *domain, domain_mark *marks, int count, double *cuts)
{
    double sum = 0, passed = 0;
    int peer = 0;
    for (int i = 0; i < count; i++)
        sum += marks[i].cost;
    qsort(marks, (size_t)count, sizeof *marks, domain_compare);
    for (int i = 0; i < domain->ranks; i++)
        cuts[i] = HUGE_VAL;
    for (int i = 0; i < count && peer < domain->ranks - 1; i++) {
        passed += marks[i].cost;
        while (peer < domain->ranks - 1 && passed >= sum * (peer + 1) / domain->ranks)
            cuts[peer++] = i + 1 < count ? marks[i + 1].key : HUGE_VAL;
    }
}

/* Where each rank's part begins; returns where the last one ends. */
static int domain_starts(const int *counts, int ranks, int *starts)
{
    int at = 0;
    for (int i = 0; i < ranks; i++) {
        starts[i] = at;
        at += counts[i];
    }
    return at;
}

/* Bodies, which are in order, go to the ranks whose pieces they are in. */
static void domain_exchange(const nbody_domain *domain, nbody_bodies *bodies, const double *cuts)
{
    int ranks = domain->ranks, peer = 0;
    int *counts = nbody_alloc(4 * (size_t)ranks, sizeof *counts), *starts = counts + ranks;
    int *arriving = starts + ranks, *arriving_starts = arriving + ranks;
    for (int i = 0; i < bodies->count; i++) {
        while (peer < ranks - 1 && bodies->all[i].key >= cuts[peer])
            peer++;
        counts[peer] += NBODY_NUMBERS;
    }
    MPI_Alltoall(counts, 1, MPI_INT, arriving, 1, MPI_INT, MPI_COMM_WORLD);
    domain_starts(counts, ranks, starts);
    int total = domain_starts(arriving, ranks, arriving_starts);
    nbody_body *received = nbody_alloc((size_t)total, sizeof(double));
    MPI_Alltoallv(bodies->all, counts, starts, MPI_DOUBLE, received, arriving, arriving_starts, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    free(bodies->all);
    free(counts);
    bodies->all = received;
    bodies->count = total / NBODY_NUMBERS;
}

void nbody_domain_divide(nbody_domain *domain, nbody_bodies *bodies)
{
    int total = 0;
    domain_measure(domain, bodies);
    domain_set_keys(domain, bodies);
    nbody_bodies_sort(bodies);
    domain_mark *own = nbody_alloc((size_t)bodies->count, sizeof *own);
    double *cuts = nbody_alloc((size_t)domain->ranks, sizeof *cuts);
    for (int i = 0; i < bodies->count; i++)
        own[i] = (domain_mark){bodies->all[i].key, bodies->all[i].cost};
    double *all = nbody_domain_gather(domain, (const double *)own, 2 * bodies->count, &total);
    domain_cut(domain, (domain_mark *)all, total / 2, cuts);
    domain_exchange(domain, bodies, cuts);
    nbody_bodies_sort(bodies);
    free(own);
    free(all);
    free(cuts);
}

double *nbody_domain_gather(const nbody_domain *domain, const double *own, int count, int *total_p)
{
    int *counts = nbody_alloc(2 * (size_t)domain->ranks, sizeof *counts), *starts = counts + domain->ranks;
    MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    *total_p = domain_starts(counts, domain->ranks, starts);
    double *all = nbody_alloc((size_t)*total_p, sizeof *all);
    MPI_Allgatherv(own, count, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    free(counts);
    return all;
}
