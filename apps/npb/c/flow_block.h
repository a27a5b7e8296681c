/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 5 x 5 numbers, by rows, for BT; inline, since a point takes six calls. */
#ifndef FLOW_BLOCK_H
#define FLOW_BLOCK_H

#include "flow_box.h"

enum { FLOW_BLOCK = 25 };

/* A block at a point: f times the derivative of the flux along an axis, n times that of its viscous part, and d on the
 * diagonal. */
static inline void flow_block_jacobian(const flow_box *box, int axis, int p, double f, double n, double d,
                                       double *restrict out)
{
    int a = 1 + axis, b = 1 + (axis + 1) % 3, c = 1 + (axis + 2) % 3;
    double ru = box->inverse[p];
    double va = box->velocity[axis][p];
    double vb = box->velocity[(axis + 1) % 3][p];
    double vc = box->velocity[(axis + 2) % 3][p];
    double e = box->u[5 * p + 4] * ru, q = box->kinetic[p];
    double ka = FLOW_C3C4 * FLOW_CON43 * n, kb = FLOW_C3C4 * n, ke = FLOW_C1345 * n;
    for (int i = 0; i < FLOW_BLOCK; i++)
        out[i] = 0;
    out[0] = d;
    out[a] = f;

    double *row = out + 5 * a;
    row[0] = f * (FLOW_C2 * q - va * va) - ka * ru * va;
    row[a] = f * (2 - FLOW_C2) * va + ka * ru + d;
    row[b] = -f * FLOW_C2 * vb;
    row[c] = -f * FLOW_C2 * vc;
    row[4] = f * FLOW_C2;

    row = out + 5 * b;
    row[0] = -f * va * vb - kb * ru * vb;
    row[a] = f * vb;
    row[b] = f * va + kb * ru + d;

    row = out + 5 * c;
    row[0] = -f * va * vc - kb * ru * vc;
    row[a] = f * vc;
    row[c] = f * va + kb * ru + d;

    row = out + 20;
    row[0] = f * (2 * FLOW_C2 * q - FLOW_C1 * e) * va -
             ru * ((ka - ke) * va * va + (kb - ke) * (vb * vb + vc * vc) + ke * e);
    row[a] = f * (FLOW_C1 * e - FLOW_C2 * (va * va + q)) + (ka - ke) * ru * va;
    row[b] = -f * FLOW_C2 * va * vb + (kb - ke) * ru * vb;
    row[c] = -f * FLOW_C2 * va * vc + (kb - ke) * ru * vc;
    row[4] = f * FLOW_C1 * va + ke * ru + d;
}

/* c = c - a b. */
static inline void flow_block_subtract(const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < FLOW_BLOCK; i += 5)
        for (int j = 0; j < 5; j++)
            c[i + j] -=
                a[i] * b[j] + a[i + 1] * b[j + 5] + a[i + 2] * b[j + 10] + a[i + 3] * b[j + 15] + a[i + 4] * b[j + 20];
}

/* y = y - a x, of five elements each. */
static inline void flow_block_subtract_vector(const double *restrict a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < 5; i++)
        y[i] -=
            a[5 * i] * x[0] + a[5 * i + 1] * x[1] + a[5 * i + 2] * x[2] + a[5 * i + 3] * x[3] + a[5 * i + 4] * x[4];
}

/* b = a^-1 b and y = a^-1 y, by elimination without pivots; a is lost. */
static inline void flow_block_divide(double *restrict a, double *restrict b, double *restrict y)
{
    for (int p = 0; p < 5; p++) {
        double pivot = 1 / a[5 * p + p];
        for (int j = p + 1; j < 5; j++)
            a[5 * p + j] *= pivot;
        for (int j = 0; j < 5; j++)
            b[5 * p + j] *= pivot;
        y[p] *= pivot;
        for (int q = 0; q < 5; q++) {
            if (q == p)
                continue;
            double factor = a[5 * q + p];
            for (int j = p + 1; j < 5; j++)
                a[5 * q + j] -= factor * a[5 * p + j];
            for (int j = 0; j < 5; j++)
                b[5 * q + j] -= factor * b[5 * p + j];
            y[q] -= factor * y[p];
        }
    }
}

#endif
