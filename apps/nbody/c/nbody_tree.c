/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_tree.h"
#include "nbody_bodies.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TREE_DEPTH_MAX = 60, TREE_NONE = -1 };

void nbody_tree_init(nbody_tree *tree, double theta, double softening)
{
    *tree = (nbody_tree){.opening = theta * theta, .softening = softening * softening};
}

void nbody_tree_fini(nbody_tree *tree)
{
    free(tree->nodes);
}

/* A body as a child, and back. */
static int tree_of_body(int body)
{
    return -2 - body;
}

static int tree_node(nbody_tree *tree, double size)
{
    if (tree->count == tree->room) {
        int room = tree->room ? 2 * tree->room : 1024;
        nbody_node *nodes = nbody_alloc((size_t)room, sizeof *nodes);
        if (tree->count > 0)
            memcpy(nodes, tree->nodes, (size_t)tree->count * sizeof *nodes);
        free(tree->nodes);
        tree->nodes = nodes;
        tree->room = room;
    }
    nbody_node *node = &tree->nodes[tree->count];
    *node = (nbody_node){.square = size * size};
    for (int i = 0; i < 8; i++)
        node->children[i] = TREE_NONE;
    return tree->count++;
}

static int tree_octant(const nbody_tree *tree, int body, const double middle[3])
{
    const double *place = tree->bodies[body].place;
    return (place[0] >= middle[0]) + 2 * (place[1] >= middle[1]) + 4 * (place[2] >= middle[2]);
}

static void tree_insert(nbody_tree *tree, int body, const double corner[3], double size)
{
    double low[3] = {corner[0], corner[1], corner[2]};
    int node = 0;
    for (int depth = 0; depth <= TREE_DEPTH_MAX; depth++) {
        size /= 2;
        int octant = tree_octant(tree, body, (double[]){low[0] + size, low[1] + size, low[2] + size});
        for (int axis = 0; axis < 3; axis++)
            low[axis] += octant >> axis & 1 ? size : 0;
        int child = tree->nodes[node].children[octant];
        if (child == TREE_NONE) {
            tree->nodes[node].children[octant] = tree_of_body(body);
            return;
        }
        if (child < TREE_NONE) { /* another body is there: part this cube for both */
            double half = size / 2;
            int parted = tree_node(tree, size);
            int other =
                tree_octant(tree, tree_of_body(child), (double[]){low[0] + half, low[1] + half, low[2] + half});
            tree->nodes[node].children[octant] = parted;
            tree->nodes[parted].children[other] = child;
            child = parted;
        }
        node = child;
    }
    fputs("nbody NBody: two bodies are at one place\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static const nbody_mass *tree_mass(const nbody_tree *tree, int child)
{
    return child >= 0 ? &tree->nodes[child].centre : &tree->bodies[tree_of_body(child)];
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

void nbody_tree_build(nbody_tree *tree, const nbody_mass *bodies, int count, const double corner[3], double size)
{
    tree->bodies = bodies;
    tree->count = 0;
    tree_node(tree, size);
    for (int i = 0; i < count; i++)
        tree_insert(tree, i, corner, size);
    tree_add_up(tree);
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
        double distance = dx * dx + dy * dy + dz * dz;
        if (child >= 0 && tree->nodes[child].square > tree->opening * distance) {
            for (int k = 0; k < 8; k++)
                if (tree->nodes[child].children[k] != TREE_NONE)
                    stack[top++] = tree->nodes[child].children[k];
            continue;
        }
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
