/* SPDX-License-Identifier: Apache-2.0 */
#include "lu_point.h"

#include <string.h>

void lu_point_init(lu_point *point, const flow_box *box, double omega)
{
    const flow_problem *flow = box->flow;
    double all = 0;
    point->omega = omega;
    point->u = box->u;
    point->v = box->rhs;
    point->inverse = box->inverse;
    point->kinetic = box->kinetic;
    memcpy(point->stride, box->stride, sizeof point->stride);
    point->dt1 = flow->dt * flow->t1;
    point->dt2 = flow->dt * flow->t2;
    for (int axis = 0; axis < 3; axis++) {
        point->diffusion[axis] = point->dt1 * flow_diffusion(axis);
        all += point->diffusion[axis];
    }
    point->diagonal = 1 + 2 * all;
}

/* sum += (f F - dt1 N - d) v at a point; F and N are the derivatives of flow_block.h. Inline: the axis is known. */
static inline __attribute__((always_inline)) void point_add_product(const lu_point *point, int axis, int p, double f,
                                                                    double sum[5])
{
    int a = 1 + axis, b = 1 + (axis + 1) % 3, e = 1 + (axis + 2) % 3;
    const double *u = point->u + 5 * p, *v = point->v + 5 * p;
    double ru = point->inverse[p], va = u[a] * ru, vb = u[b] * ru, ve = u[e] * ru;
    double energy = u[4] * ru, q = point->kinetic[p];
    double x0 = v[0], xa = v[a], xb = v[b], xe = v[e], x4 = v[4];
    double d = point->diffusion[axis], n = -point->dt1 * ru, k = n * FLOW_C3C4;
    /* Changes of the velocities, times the density; and of the pressure, but for the energy's. */
    double ya = xa - va * x0, yb = xb - vb * x0, ye = xe - ve * x0;
    double pressure = FLOW_C2 * (q * x0 - va * xa - vb * xb - ve * xe), across = vb * yb + ve * ye;
    sum[0] += f * xa - d * x0;
    sum[a] += f * ((xa + ya) * va + pressure + FLOW_C2 * x4) + k * FLOW_CON43 * ya - d * xa;
    sum[b] += f * (vb * ya + va * xb) + k * yb - d * xb;
    sum[e] += f * (ve * ya + va * xe) + k * ye - d * xe;
    sum[4] += f * ((FLOW_C1 * energy - FLOW_C2 * q) * ya + va * (pressure + FLOW_C1 * x4)) +
              k * (FLOW_CON43 * va * ya + across) + n * FLOW_C1345 * (x4 - energy * x0 - va * ya - across) - d * x4;
}

/* sum = D^-1 sum. */
static void point_divide(const lu_point *point, int p, double sum[5])
{
    const double *u = point->u + 5 * p;
    double ru = point->inverse[p], weight = 2 * point->dt1 * ru;
    double k = weight * FLOW_C3C4 * (FLOW_CON43 + 2), ke = weight * 3 * FLOW_C1345;
    double v1 = u[1] * ru, v2 = u[2] * ru, v3 = u[3] * ru, energy = u[4] * ru;
    double factor = 1 / (point->diagonal + k);
    double x0 = sum[0] / point->diagonal;
    double x1 = (sum[1] + k * v1 * x0) * factor;
    double x2 = (sum[2] + k * v2 * x0) * factor;
    double x3 = (sum[3] + k * v3 * x0) * factor;
    double rest = (k - ke) * (v1 * (x1 - v1 * x0) + v2 * (x2 - v2 * x0) + v3 * (x3 - v3 * x0)) - ke * energy * x0;
    sum[0] = x0;
    sum[1] = x1;
    sum[2] = x2;
    sum[3] = x3;
    sum[4] = (sum[4] - rest) / (point->diagonal + ke);
}

void lu_point_lower(const lu_point *point, int first, int end)
{
    for (int p = first; p < end; p++) {
        double sum[5] = {0}, *v = point->v + 5 * p;
        point_add_product(point, 2, p - point->stride[2], -point->dt2, sum);
        point_add_product(point, 1, p - point->stride[1], -point->dt2, sum);
        point_add_product(point, 0, p - point->stride[0], -point->dt2, sum);
        for (int m = 0; m < 5; m++)
            sum[m] = v[m] - point->omega * sum[m];
        point_divide(point, p, sum);
        memcpy(v, sum, sizeof sum);
    }
}

void lu_point_upper(const lu_point *point, int first, int end)
{
    for (int p = end - 1; p >= first; p--) {
        double sum[5] = {0}, *v = point->v + 5 * p;
        point_add_product(point, 2, p + point->stride[2], point->dt2, sum);
        point_add_product(point, 1, p + point->stride[1], point->dt2, sum);
        point_add_product(point, 0, p + point->stride[0], point->dt2, sum);
        for (int m = 0; m < 5; m++)
            sum[m] *= point->omega;
        point_divide(point, p, sum);
        for (int m = 0; m < 5; m++)
            v[m] -= sum[m];
    }
}
