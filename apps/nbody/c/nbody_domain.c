/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_domain.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* What all ranks know of a body. */
typedef struct domain_mark {
    double key, cost;
} domain_mark;

void nbody_domain_init(nbody_domain *domain, int rank, int ranks)
{
    *domain = (nbody_domain){.rank = rank, .ranks = ranks, .cuts = nbody_alloc((size_t)ranks, sizeof(double))};
}

void nbody_domain_fini(nbody_domain *domain)
{
    free(domain->cuts);
}

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
    double scale = (1 << NBODY_DOMAIN_BITS) / domain->size;
    for (int i = 0; i < bodies->count; i++) {
        uint64_t key = 0;
        for (int axis = 0; axis < 3; axis++) {
            uint64_t cell = (uint64_t)((bodies->all[i].place[axis] - domain->corner[axis]) * scale);
            for (int bit = 0; bit < NBODY_DOMAIN_BITS; bit++)
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
static void domain_cut(const nbody_domain *domain, domain_mark *marks, int count)
{
    double sum = 0, passed = 0, *cuts = domain->cuts;
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

void *nbody_domain_exchange(const nbody_domain *domain, const void *data, const int *counts, int *total_p)
{
    int ranks = domain->ranks, *starts = nbody_alloc(3 * (size_t)ranks, sizeof *starts);
    int *arriving = starts + ranks, *arriving_starts = arriving + ranks;
    MPI_Alltoall(counts, 1, MPI_INT, arriving, 1, MPI_INT, MPI_COMM_WORLD);
    domain_starts(counts, ranks, starts);
    *total_p = domain_starts(arriving, ranks, arriving_starts);
    void *received = nbody_alloc((size_t)*total_p, sizeof(double));
    MPI_Alltoallv(data, counts, starts, MPI_DOUBLE, received, arriving, arriving_starts, MPI_DOUBLE, MPI_COMM_WORLD);
    free(starts);
    return received;
}

/* Bodies, which are in order, go to the ranks whose pieces they are in. */
static void domain_move(const nbody_domain *domain, nbody_bodies *bodies)
{
    int ranks = domain->ranks, peer = 0, total, *counts = nbody_alloc((size_t)ranks, sizeof *counts);
    for (int i = 0; i < bodies->count; i++) {
        while (peer < ranks - 1 && bodies->all[i].key >= domain->cuts[peer])
            peer++;
        counts[peer] += NBODY_NUMBERS;
    }
    nbody_body *received = nbody_domain_exchange(domain, bodies->all, counts, &total);
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
    for (int i = 0; i < bodies->count; i++)
        own[i] = (domain_mark){bodies->all[i].key, bodies->all[i].cost};
    double *all = nbody_domain_gather(domain, (const double *)own, 2 * bodies->count, &total);
    domain_cut(domain, (domain_mark *)all, total / 2);
    domain_move(domain, bodies);
    nbody_bodies_sort(bodies);
    free(own);
    free(all);
}

int nbody_domain_owns(const nbody_domain *domain, double key, int level)
{
    int rank = domain->rank;
    int64_t length = INT64_C(1) << 3 * (NBODY_DOMAIN_BITS - (level < NBODY_DOMAIN_BITS ? level : NBODY_DOMAIN_BITS));
    int64_t first = (int64_t)key / length * length;
    return (rank == 0 || (double)first >= domain->cuts[rank - 1]) &&
           (rank == domain->ranks - 1 || (double)(first + length) <= domain->cuts[rank]);
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
