/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TREE_DEPTH_MAX = 60, TREE_NONE = -1 };

void nbody_tree_init(nbody_tree *tree, double theta, double softening)
{
    *tree = (nbody_tree){.opening = theta * theta, .softening = softening * softening};
}

void nbody_tree_fini(nbody_tree *tree)
{
    free(tree->nodes);
}

/* A mass as a child, and back. */
static int tree_of_mass(int item)
{
    return -2 - item;
}

static int tree_node(nbody_tree *tree, double size, double key)
{
    if (tree->count == tree->room) {
        tree->room = tree->room ? 2 * tree->room : 1024;
        tree->nodes = nbody_grow(tree->nodes, (size_t)tree->count, (size_t)tree->room, sizeof *tree->nodes);
    }
    nbody_node *node = &tree->nodes[tree->count];
    *node = (nbody_node){.centre.key = key, .square = size * size};
    for (int i = 0; i < 8; i++)
        node->children[i] = TREE_NONE;
    return tree->count++;
}

/* The part of a cube at this depth, with this middle, that a mass is in. */
static int tree_octant(const nbody_mass *mass, int depth, const double middle[3])
{
    const double *place = mass->place;
    if (depth < NBODY_DOMAIN_BITS)
        return (int)((int64_t)mass->key >> 3 * (NBODY_DOMAIN_BITS - 1 - depth)) & 7;
    return (place[0] >= middle[0]) + 2 * (place[1] >= middle[1]) + 4 * (place[2] >= middle[2]);
}

/* A body goes where no other mass is, another rank's cube to its level. */
static void tree_insert(nbody_tree *tree, int item, const double corner[3], double size)
{
    const nbody_mass *mass = &tree->masses[item];
    double low[3] = {corner[0], corner[1], corner[2]};
    int node = 0;
    for (int depth = 0; depth <= TREE_DEPTH_MAX; depth++) {
        size /= 2;
        int octant = tree_octant(mass, depth, (double[]){low[0] + size, low[1] + size, low[2] + size});
        for (int axis = 0; axis < 3; axis++)
            low[axis] += octant >> axis & 1 ? size : 0;
        int child = tree->nodes[node].children[octant];
        if (child == TREE_NONE && depth + 1 >= mass->level) {
            tree->nodes[node].children[octant] = tree_of_mass(item);
            return;
        }
        if (child < 0) { /* another body is there, or a cube within is to come: part this cube */
            double middle[3] = {low[0] + size / 2, low[1] + size / 2, low[2] + size / 2};
            int parted = tree_node(tree, size, mass->key);
            tree->nodes[node].children[octant] = parted;
            if (child != TREE_NONE)
                tree->nodes[parted].children[tree_octant(&tree->masses[tree_of_mass(child)], depth + 1, middle)] =
                    child;
            child = parted;
        }
        node = child;
    }
    fputs("nbody NBody: two bodies are at one place\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static const nbody_mass *tree_mass(const nbody_tree *tree, int child)
{
    return child >= 0 ? &tree->nodes[child].centre : &tree->masses[tree_of_mass(child)];
}

/* Masses and their centres; nodes are numbered so that children come after their parents. */
static void tree_add_up(nbody_tree *tree)
{
    for (int i = tree->count - 1; i >= 0; i--) {
        nbody_node *node = &tree->nodes[i];
        double sum = 0, moments[3] = {0};
        for (int k = 0; k < 8; k++) {
            if (node->children[k] == TREE_NONE)
                continue;
            const nbody_mass *part = tree_mass(tree, node->children[k]);
            sum += part->mass;
            for (int axis = 0; axis < 3; axis++)
                moments[axis] += part->mass * part->place[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            node->centre.place[axis] = moments[axis] / sum;
        node->centre.mass = sum;
    }
}

void nbody_tree_build(nbody_tree *tree, const nbody_masses *masses, const double corner[3], double size)
{
    tree->masses = masses->all;
    tree->count = 0;
    tree_node(tree, size, 0);
    for (int i = 0; i < masses->count; i++)
        tree_insert(tree, i, corner, size);
    tree_add_up(tree);
}

/* Whether a node is too large for what is so far from its centre. */
static int tree_opens(const nbody_tree *tree, const nbody_node *node, double dx, double dy, double dz)
{
    return node->square > tree->opening * (dx * dx + dy * dy + dz * dz);
}

static double tree_apart(double low, double x, double high)
{
    return fmax(0, fmax(low - x, x - high));
}

static void tree_collect(const nbody_tree *tree, int child, int level, const double box[6], const nbody_domain *domain,
                         nbody_masses *out)
{
    if (child < 0) {
        nbody_masses_add(out, &tree->masses[tree_of_mass(child)], 1);
        return;
    }
    const nbody_node *node = &tree->nodes[child];
    const double *place = node->centre.place;
    int is_opened = tree_opens(tree, node, tree_apart(box[0], place[0], box[3]), tree_apart(box[1], place[1], box[4]),
                               tree_apart(box[2], place[2], box[5]));
    if (!is_opened && level <= NBODY_DOMAIN_BITS && nbody_domain_owns(domain, node->centre.key, level)) {
        nbody_mass cube = node->centre;
        cube.level = level;
        nbody_masses_add(out, &cube, 1);
        return;
    }
    for (int k = 0; k < 8; k++)
        if (node->children[k] != TREE_NONE)
            tree_collect(tree, node->children[k], level + 1, box, domain, out);
}

void nbody_tree_collect(const nbody_tree *tree, const double box[6], const nbody_domain *domain, nbody_masses *out)
{
    tree_collect(tree, 0, 0, box, domain, out);
}

int nbody_tree_act(const nbody_tree *tree, const double place[3], double out[4])
{
    int stack[8 * TREE_DEPTH_MAX + 8], top = 0, pairs = 0;
    double ax = 0, ay = 0, az = 0, potential = 0;
    stack[top++] = 0;
    while (top > 0) {
        int child = stack[--top];
        const nbody_mass *from = tree_mass(tree, child);
        double dx = from->place[0] - place[0], dy = from->place[1] - place[1], dz = from->place[2] - place[2];
        if (child >= 0 && tree_opens(tree, &tree->nodes[child], dx, dy, dz)) {
            for (int k = 0; k < 8; k++)
                if (tree->nodes[child].children[k] != TREE_NONE)
                    stack[top++] = tree->nodes[child].children[k];
            continue;
        }
        double distance = dx * dx + dy * dy + dz * dz;
        pairs++;
        if (distance == 0)
            continue; /* the body itself */
        double inverse = 1 / sqrt(distance + tree->softening), strength = from->mass * inverse;
        potential -= strength;
        strength *= inverse * inverse;
        ax += strength * dx;
        ay += strength * dy;
        az += strength * dz;
    }
    out[0] = ax;
    out[1] = ay;
    out[2] = az;
    out[3] = potential;
    return pairs;
}
