/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_essential.h"

#include <stdlib.h>

static int essential_is_empty(const double box[6])
{
    return box[0] > box[3];
}

void nbody_essential_gather(const nbody_domain *domain, nbody_tree *tree, nbody_masses *masses)
{
    if (domain->ranks == 1)
        return;
    double box[6], *boxes = nbody_alloc(6 * (size_t)domain->ranks, sizeof *boxes);
    int *counts = nbody_alloc((size_t)domain->ranks, sizeof *counts), total;
    nbody_masses out = {0};
    nbody_masses_box(masses, box);
    MPI_Allgather(box, 6, MPI_DOUBLE, boxes, 6, MPI_DOUBLE, MPI_COMM_WORLD);
    nbody_tree_build(tree, masses, domain->corner, domain->size);
    for (int peer = 0; peer < domain->ranks; peer++) {
        const double *other = boxes + (size_t)peer * 6;
        int before = out.count;
        if (peer != domain->rank && !essential_is_empty(other) && !essential_is_empty(box))
            nbody_tree_collect(tree, other, domain, &out);
        counts[peer] = NBODY_MASS_NUMBERS * (out.count - before);
    }
    nbody_mass *received = nbody_domain_exchange(domain, out.all, counts, &total);
    nbody_masses_add(masses, received, total / NBODY_MASS_NUMBERS);
    nbody_masses_fini(&out);
    free(received);
    free(counts);
    free(boxes);
}
