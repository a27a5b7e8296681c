/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_bodies.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bodies_compare(const void *a, const void *b)
{
    const nbody_body *one = a, *two = b;
    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return one->name < two->name ? -1 : one->name > two->name;
}

void nbody_bodies_sort(nbody_bodies *bodies)
{
    qsort(bodies->all, (size_t)bodies->count, sizeof *bodies->all, bodies_compare);
}

void *nbody_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory)
        return memory;
    fprintf(stderr, "nbody NBody: no memory for %zu MB; fewer bodies need less\n", count * size >> 20);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void *nbody_grow(void *list, size_t count, size_t room, size_t size)
{
    void *larger = nbody_alloc(room, size);
    if (count > 0)
        memcpy(larger, list, count * size);
    free(list);
    return larger;
}
