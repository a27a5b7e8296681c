/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box of the cube, with a halo of two points: the unknowns, what follows from them at each point, and the right-hand
 * side of a time step. The first index is fastest; the five unknowns of a point lie together. Indices of a box are its
 * own, and negative in the halo.
 *
 * All that differs between the three axes is a stride and which momentum is the one along the axis.
 */
#ifndef FLOW_BOX_H
#define FLOW_BOX_H

#include "flow.h"

enum { FLOW_HALO = 2 };

typedef struct flow_box {
    const flow_problem *flow;
    int size[3];
    int start[3]; /* in the cube */
    int stride[3];
    int points; /* with the halo */
    double *u, *rhs, *forcing;
    double *velocity[3];
    double *inverse; /* of the density */
    double *square;  /* half the square of the momentum, by density */
    double *kinetic; /* that by density again */
    double *sound;   /* its speed; NULL where it is not wanted */
    double *matrix;  /* of a solver, so many numbers a point */
} flow_box;

void flow_box_init(flow_box *box, const flow_problem *flow, const int start[3], const int size[3], int matrix_numbers,
                   int has_sound);
void flow_box_fini(flow_box *box);

static inline int flow_box_index(const flow_box *box, int i, int j, int k)
{
    return i + FLOW_HALO + (j + FLOW_HALO) * box->stride[1] + (k + FLOW_HALO) * box->stride[2];
}

/* The first point along an axis that is not on the cube's wall, and the first one behind the last of them. */
static inline int flow_box_low(const flow_box *box, int axis)
{
    return box->start[axis] == 0 ? 1 : 0;
}

static inline int flow_box_high(const flow_box *box, int axis)
{
    return box->start[axis] + box->size[axis] == box->flow->n ? box->size[axis] - 1 : box->size[axis];
}

/* The same of a sweep: along its own axis it takes in the walls. */
static inline int flow_box_sweep_low(const flow_box *box, int axis, int sweep)
{
    return axis == sweep ? 0 : flow_box_low(box, axis);
}

static inline int flow_box_sweep_high(const flow_box *box, int axis, int sweep)
{
    return axis == sweep ? box->size[axis] : flow_box_high(box, axis);
}

/* Interpolates between the walls, where the solution is given. */
void flow_box_set_initial(flow_box *box);
/* From the unknowns, whose halo is filled; times a factor. Points on walls get the forcing, which is 0 there. */
void flow_box_compute_rhs(flow_box *box, double factor);
/* u = u + factor rhs, off the walls. */
void flow_box_add(flow_box *box, double factor);
/* Adds the squares of the unknowns' errors to elements 0 to 4, and those of the right-hand side to 5 to 9. */
void flow_box_add_squares(const flow_box *box, double sums[10]);

/* ---- layers, to send and to receive
 * --------------------------------------------------------------------------------- */

/* How many points a layer across an axis has. */
int flow_box_layer(const flow_box *box, int axis);
/* Copies so many layers across an axis, from this one on, to a buffer or from it; an array has so many numbers a point.
 * Returns where the buffer goes on. */
double *flow_box_pack(const flow_box *box, int axis, int first, int layers, const double *array, int numbers,
                      double *buffer);
const double *flow_box_unpack(const flow_box *box, int axis, int first, int layers, double *array, int numbers,
                              const double *buffer);

#endif
