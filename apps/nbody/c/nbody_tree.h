/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of Barnes and Hut: a cube is parted into eight, and each of them again, until each has one body. A cube that
 * looks small enough from a body acts on it as one mass in its centre. A child is a node, a mass of those given (as -2
 * - its number), or -1, none.
 *
 * Cubes are those of the curve (nbody_domain.h), as far as its keys tell them apart; smaller ones are told by places.
 */
#ifndef NBODY_TREE_H
#define NBODY_TREE_H

#include "nbody_domain.h"
#include "nbody_masses.h"

typedef struct nbody_node {
    nbody_mass centre; /* its key is that of something in the node; its level is not used */
    double square;     /* of the cube's side */
    int children[8];
} nbody_node;

typedef struct nbody_tree {
    double opening;   /* the square of size by distance above which a cube is opened */
    double softening; /* its square */
    nbody_node *nodes;
    int count, room;
    const nbody_mass *masses;
} nbody_tree;

void nbody_tree_init(nbody_tree *tree, double theta, double softening);
void nbody_tree_fini(nbody_tree *tree);

/* Of these masses, which have to stay, in a cube with this corner. Two bodies at one place end the job after a
 * sentence. */
void nbody_tree_build(nbody_tree *tree, const nbody_masses *masses, const double corner[3], double size);

/* Adds to a list what bodies in a box need of this rank's tree: cubes that none of them opens, and bodies. */
void nbody_tree_collect(const nbody_tree *tree, const double box[6], const nbody_domain *domain, nbody_masses *out);

/* The acceleration at a place, and the potential in the fourth element; returns how many pairs it took. */
int nbody_tree_act(const nbody_tree *tree, const double place[3], double out[4]);

#endif
