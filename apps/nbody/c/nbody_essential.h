/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings to every rank what its bodies need of the others': the tree that is locally essential. Each rank builds the
 * tree of its own bodies, and sends to each other one the cubes that none of that one's bodies opens, and the bodies
 * where all cubes are opened. A cube in which several ranks have bodies is not sent; the receiver adds it up from its
 * parts. So the tree that a rank builds from all this is that of all bodies, but for branches that it does not enter:
 * forces have the same bits.
 */
#ifndef NBODY_ESSENTIAL_H
#define NBODY_ESSENTIAL_H

#include "nbody_domain.h"
#include "nbody_tree.h"

/* Adds to this rank's bodies what acts on them from other ranks; the tree is another one afterwards. All ranks call
 * it. */
void nbody_essential_gather(const nbody_domain *domain, nbody_tree *tree, nbody_masses *masses);

#endif
