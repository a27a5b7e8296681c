/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of 5 x 5 numbers, by rows, for BT; inline, since a point takes many calls. Unknowns are in the order of the
 * axis: density, the momentum along it, the two others, energy. So zeros of a block are in the same places whatever the
 * axis.
 *
 * Vectors are five elements, a step apart: a column of a block has step 5.
 */
#ifndef FLOW_BLOCK_H
#define FLOW_BLOCK_H

#include "flow_box.h"

enum { FLOW_BLOCK = 25 };

/* A block at a point: f times the derivative of the flux along an axis, n times that of its viscous part, and d on the
 * diagonal. */
static inline void flow_block_jacobian(const flow_box *box, int axis, int p, double f, double n, double d,
                                       double *restrict out)
{
    double ru = box->inverse[p];
    double va = box->velocity[axis][p];
    double vb = box->velocity[(axis + 1) % 3][p];
    double vc = box->velocity[(axis + 2) % 3][p];
    double e = box->u[5 * p + 4] * ru, q = box->kinetic[p];
    double ka = FLOW_C3C4 * FLOW_CON43 * n * ru, kb = FLOW_C3C4 * n * ru, ke = FLOW_C1345 * n * ru;
    out[0] = d;
    out[1] = f;
    out[2] = out[3] = out[4] = 0;

    double *row = out + 5;
    row[0] = f * (FLOW_C2 * q - va * va) - ka * va;
    row[1] = f * (2 - FLOW_C2) * va + ka + d;
    row[2] = -f * FLOW_C2 * vb;
    row[3] = -f * FLOW_C2 * vc;
    row[4] = f * FLOW_C2;

    row = out + 10;
    row[0] = -(f * va + kb) * vb;
    row[1] = f * vb;
    row[2] = f * va + kb + d;
    row[3] = row[4] = 0;

    row = out + 15;
    row[0] = -(f * va + kb) * vc;
    row[1] = f * vc;
    row[2] = row[4] = 0;
    row[3] = f * va + kb + d;

    row = out + 20;
    row[0] =
        f * (2 * FLOW_C2 * q - FLOW_C1 * e) * va - ((ka - ke) * va * va + (kb - ke) * (vb * vb + vc * vc) + ke * e);
    row[1] = f * (FLOW_C1 * e - FLOW_C2 * (va * va + q)) + (ka - ke) * va;
    row[2] = (kb - ke - f * FLOW_C2 * va) * vb;
    row[3] = (kb - ke - f * FLOW_C2 * va) * vc;
    row[4] = f * FLOW_C1 * va + ke + d;
}

/* y = y - a x, where a is a jacobian, whose zeros are left out. */
static inline void flow_block_subtract_jacobian(const double *restrict a, const double *restrict x, double *restrict y,
                                                int step)
{
    double x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step];
    y[0] -= a[0] * x0 + a[1] * x1;
    y[step] -= a[5] * x0 + a[6] * x1 + a[7] * x2 + a[8] * x3 + a[9] * x4;
    y[2 * step] -= a[10] * x0 + a[11] * x1 + a[12] * x2;
    y[3 * step] -= a[15] * x0 + a[16] * x1 + a[18] * x3;
    y[4 * step] -= a[20] * x0 + a[21] * x1 + a[22] * x2 + a[23] * x3 + a[24] * x4;
}

/* y = y - a x, of vectors with step 1. */
static inline void flow_block_subtract_product(const double *restrict a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < 5; i++)
        y[i] -=
            a[5 * i] * x[0] + a[5 * i + 1] * x[1] + a[5 * i + 2] * x[2] + a[5 * i + 3] * x[3] + a[5 * i + 4] * x[4];
}

/* Triangular factors in the block's place, without pivots; the diagonal is inverted. */
static inline void flow_block_factor(double *a)
{
    for (int p = 0; p < 5; p++) {
        a[6 * p] = 1 / a[6 * p];
        for (int row = p + 1; row < 5; row++) {
            double factor = a[5 * row + p] *= a[6 * p];
            for (int j = p + 1; j < 5; j++)
                a[5 * row + j] -= factor * a[5 * p + j];
        }
    }
}

/* x = a^-1 x, where a has been factored. */
static inline void flow_block_solve(const double *restrict a, double *restrict x, int step)
{
    double x0 = x[0];
    double x1 = x[step] - a[5] * x0;
    double x2 = x[2 * step] - a[10] * x0 - a[11] * x1;
    double x3 = x[3 * step] - a[15] * x0 - a[16] * x1 - a[17] * x2;
    double x4 = x[4 * step] - a[20] * x0 - a[21] * x1 - a[22] * x2 - a[23] * x3;
    x4 *= a[24];
    x3 = (x3 - a[19] * x4) * a[18];
    x2 = (x2 - a[14] * x4 - a[13] * x3) * a[12];
    x1 = (x1 - a[9] * x4 - a[8] * x3 - a[7] * x2) * a[6];
    x[0] = (x0 - a[4] * x4 - a[3] * x3 - a[2] * x2 - a[1] * x1) * a[0];
    x[step] = x1;
    x[2 * step] = x2;
    x[3 * step] = x3;
    x[4 * step] = x4;
}

#endif
