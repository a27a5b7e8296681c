/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of Barnes and Hut: a cube is parted into eight, and each of them again, until each has one body. A cube that looks small
 * enough from a body acts on it as one mass in its centre. A child is a node, a body (as -2 - its number), or -1, none.
 */
#ifndef NBODY_TREE_H
#define NBODY_TREE_H

/* A mass and where it is: what acts. */
typedef struct nbody_mass {
    double place[3], mass;
} nbody_mass;

typedef struct nbody_node {
    nbody_mass centre;
    double square; /* of the cube's side */
    int children[8];
} nbody_node;

typedef struct nbody_tree {
    double opening;   /* the square of size by distance above which a cube is opened */
    double softening; /* its square */
    nbody_node *nodes;
    int count, room;
    const nbody_mass *bodies;
} nbody_tree;

void nbody_tree_init(nbody_tree *tree, double theta, double softening);
void nbody_tree_fini(nbody_tree *tree);

/* Of these bodies, which have to stay, in a cube with this corner. Two of them at one place end the job after a sentence. */
void nbody_tree_build(nbody_tree *tree, const nbody_mass *bodies, int count, const double corner[3], double size);

/* The acceleration at a place, and the potential in the fourth element; returns how many pairs it took. */
int nbody_tree_act(const nbody_tree *tree, const double place[3], double out[4]);

#endif
