/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points of LU's sweeps, a row at a time. The blocks of the matrix are those of flow_block.h; they are not formed, only
 * multiplied. The block of a point itself has no elements above its diagonal, so that dividing by it is substitution.
 */
#ifndef LU_POINT_H
#define LU_POINT_H

#include "flow_box.h"

typedef struct lu_point {
    const double *u, *inverse, *kinetic;
    double *v; /* what is swept, the right-hand side */
    int stride[3];
    double omega, dt1, dt2, diffusion[3], diagonal;
} lu_point;

/* Of a box that lives longer than this; it owns nothing. */
void lu_point_init(lu_point *point, const flow_box *box, double omega);

/* v = D^-1 (v - omega L v), with the three neighbours behind, from the first point of a row to the last. */
void lu_point_lower(const lu_point *point, int first, int end);
/* v = v - D^-1 omega U v, with the three neighbours ahead, from the last point of a row to the first. */
void lu_point_upper(const lu_point *point, int first, int end);

#endif
