/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void box_fill_ones(flow_box *box)
{
    for (int c = 0; c < 5 * box->points; c++)
        box->u[c] = 1;
}

static int box_is_inside(const flow_box *box, int axis, int i)
{
    int g = box->start[axis] + i;
    return g >= 0 && g < box->flow->n;
}

static int box_is_wall(const flow_box *box, int axis, int i)
{
    int g = box->start[axis] + i;
    return g == 0 || g == box->flow->n - 1;
}

/* Where a point is in the cube, from 0 to 1. */
static double box_place(const flow_box *box, int axis, int i)
{
    return (box->start[axis] + i) * box->flow->h;
}

/* The forcing makes the exact solution steady: the negative of its right-hand side. */
static void box_set_forcing(flow_box *box)
{
    for (int k = -FLOW_HALO; k < box->size[2] + FLOW_HALO; k++)
        for (int j = -FLOW_HALO; j < box->size[1] + FLOW_HALO; j++)
            for (int i = -FLOW_HALO; i < box->size[0] + FLOW_HALO; i++)
                if (box_is_inside(box, 0, i) && box_is_inside(box, 1, j) && box_is_inside(box, 2, k))
                    flow_exact(box_place(box, 0, i), box_place(box, 1, j), box_place(box, 2, k),
                               box->u + 5 * flow_box_index(box, i, j, k));
    flow_box_compute_rhs(box, -1);
    memcpy(box->forcing, box->rhs, 5 * (size_t)box->points * sizeof(double));
}

void flow_box_init(flow_box *box, const flow_problem *flow, const int start[3], const int size[3], int matrix_numbers,
                   int has_sound)
{
    const npb_job *job = flow->job;
    memset(box, 0, sizeof *box);
    box->flow = flow;
    memcpy(box->start, start, sizeof box->start);
    memcpy(box->size, size, sizeof box->size);
    box->stride[0] = 1;
    box->stride[1] = size[0] + 2 * FLOW_HALO;
    box->stride[2] = box->stride[1] * (size[1] + 2 * FLOW_HALO);
    box->points = box->stride[2] * (size[2] + 2 * FLOW_HALO);
    size_t points = (size_t)box->points;
    box->u = npb_alloc(job, 5 * points, sizeof(double));
    box->rhs = npb_alloc(job, 5 * points, sizeof(double));
    box->forcing = npb_alloc(job, 5 * points, sizeof(double));
    for (int axis = 0; axis < 3; axis++)
        box->velocity[axis] = npb_alloc(job, points, sizeof(double));
    box->inverse = npb_alloc(job, points, sizeof(double));
    box->square = npb_alloc(job, points, sizeof(double));
    box->kinetic = npb_alloc(job, points, sizeof(double));
    box->sound = has_sound ? npb_alloc(job, points, sizeof(double)) : NULL;
    box->matrix = npb_alloc(job, (size_t)matrix_numbers * points, sizeof(double));
    box_fill_ones(box); /* a halo beyond the cube is multiplied by 0 */
    box_set_forcing(box);
    box_fill_ones(box);
}

void flow_box_fini(flow_box *box)
{
    double *arrays[] = {box->u,       box->rhs,    box->forcing, box->velocity[0], box->velocity[1], box->velocity[2],
                        box->inverse, box->square, box->kinetic, box->sound,       box->matrix};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
}

/* A point off the walls: from those of all six that it sees. */
static void box_interpolate(double x, double y, double z, double *u)
{
    double walls[6][5];
    flow_exact(0, y, z, walls[0]);
    flow_exact(1, y, z, walls[1]);
    flow_exact(x, 0, z, walls[2]);
    flow_exact(x, 1, z, walls[3]);
    flow_exact(x, y, 0, walls[4]);
    flow_exact(x, y, 1, walls[5]);
    for (int m = 0; m < 5; m++) {
        double px = x * walls[1][m] + (1 - x) * walls[0][m];
        double py = y * walls[3][m] + (1 - y) * walls[2][m];
        double pz = z * walls[5][m] + (1 - z) * walls[4][m];
        u[m] = px + py + pz - px * py - py * pz - pz * px + px * py * pz;
    }
}

void flow_box_set_initial(flow_box *box)
{
    for (int k = 0; k < box->size[2]; k++)
        for (int j = 0; j < box->size[1]; j++)
            for (int i = 0; i < box->size[0]; i++) {
                double x = box_place(box, 0, i), y = box_place(box, 1, j), z = box_place(box, 2, k);
                double *u = box->u + 5 * flow_box_index(box, i, j, k);
                if (box_is_wall(box, 0, i) || box_is_wall(box, 1, j) || box_is_wall(box, 2, k))
                    flow_exact(x, y, z, u);
                else
                    box_interpolate(x, y, z, u);
            }
}

/* ---- the right-hand side ----------------------------------------------------------------------------------------- */

/* What follows from the unknowns, up to one point into the halo. */
static void box_follow(flow_box *box)
{
    const double *restrict u = box->u;
    double *restrict vx = box->velocity[0], *restrict vy = box->velocity[1], *restrict vz = box->velocity[2];
    double *restrict inverse = box->inverse, *restrict square = box->square, *restrict kinetic = box->kinetic;
    double *restrict sound = box->sound;
    for (int k = -1; k <= box->size[2]; k++)
        for (int j = -1; j <= box->size[1]; j++) {
            int first = flow_box_index(box, -1, j, k), end = flow_box_index(box, box->size[0] + 1, j, k);
            for (int p = first; p < end; p++) {
                const double *at = u + 5 * p;
                double inv = 1 / at[0];
                double half = 0.5 * (at[1] * at[1] + at[2] * at[2] + at[3] * at[3]) * inv;
                inverse[p] = inv;
                vx[p] = at[1] * inv;
                vy[p] = at[2] * inv;
                vz[p] = at[3] * inv;
                square[p] = half;
                kinetic[p] = half * inv;
            }
            for (int p = first; sound && p < end; p++)
                sound[p] = sqrt(FLOW_C1 * FLOW_C2 * inverse[p] * (u[5 * p + 4] - square[p]));
        }
}

static void box_add_fluxes(flow_box *box, int axis)
{
    const double *restrict u = box->u, *restrict w = box->velocity[axis];
    const double *restrict v1 = box->velocity[(axis + 1) % 3], *restrict v2 = box->velocity[(axis + 2) % 3];
    const double *restrict inverse = box->inverse, *restrict square = box->square, *restrict kinetic = box->kinetic;
    double *restrict rhs = box->rhs;
    int m0 = 1 + axis, m1 = 1 + (axis + 1) % 3, m2 = 1 + (axis + 2) % 3; /* m0: the momentum along the axis */
    int s = box->stride[axis], s5 = 5 * s;
    double t2 = box->flow->t2, d = flow_diffusion(axis) * box->flow->t1;
    double con2 = FLOW_C3C4 * box->flow->t1, con1 = con2 * FLOW_CON43, con3 = con2 * (1 - FLOW_C1C5);
    double con4 = con2 / 6, con5 = con2 * FLOW_C1C5;
    for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
        for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++) {
            int end = flow_box_index(box, flow_box_high(box, 0), j, k);
            for (int p = flow_box_index(box, flow_box_low(box, 0), j, k); p < end; p++) {
                int c = 5 * p, a = c - s5, b = c + s5;
                double wm = w[p - s], w0 = w[p], wp = w[p + s];
                double em = u[a + 4], e0 = u[c + 4], ep = u[b + 4];
                double qm = square[p - s], qp = square[p + s];
                rhs[c] += d * (u[b] - 2 * u[c] + u[a]) - t2 * (u[b + m0] - u[a + m0]);
                rhs[c + m0] += d * (u[b + m0] - 2 * u[c + m0] + u[a + m0]) + con1 * (wp - 2 * w0 + wm) -
                               t2 * (u[b + m0] * wp - u[a + m0] * wm + FLOW_C2 * (ep - qp - em + qm));
                rhs[c + m1] += d * (u[b + m1] - 2 * u[c + m1] + u[a + m1]) +
                               con2 * (v1[p + s] - 2 * v1[p] + v1[p - s]) - t2 * (u[b + m1] * wp - u[a + m1] * wm);
                rhs[c + m2] += d * (u[b + m2] - 2 * u[c + m2] + u[a + m2]) +
                               con2 * (v2[p + s] - 2 * v2[p] + v2[p - s]) - t2 * (u[b + m2] * wp - u[a + m2] * wm);
                rhs[c + 4] += d * (ep - 2 * e0 + em) + con3 * (kinetic[p + s] - 2 * kinetic[p] + kinetic[p - s]) +
                              con4 * (wp * wp - 2 * w0 * w0 + wm * wm) +
                              con5 * (ep * inverse[p + s] - 2 * e0 * inverse[p] + em * inverse[p - s]) -
                              t2 * ((FLOW_C1 * ep - FLOW_C2 * qp) * wp - (FLOW_C1 * em - FLOW_C2 * qm) * wm);
            }
        }
}

static void box_add_dissipation(flow_box *box, int axis)
{
    const double *restrict u = box->u, *restrict fourth = box->flow->fourth;
    double *restrict rhs = box->rhs;
    int s = 5 * box->stride[axis];
    for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
        for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++) {
            int c = 5 * flow_box_index(box, flow_box_low(box, 0), j, k);
            int g = 5 * (box->start[axis] + (axis == 0 ? flow_box_low(box, 0) : axis == 1 ? j : k));
            for (int i = flow_box_low(box, 0); i < flow_box_high(box, 0); i++) {
                double w0 = FLOW_DISSIPATION * fourth[g], w1 = FLOW_DISSIPATION * fourth[g + 1];
                double w2 = FLOW_DISSIPATION * fourth[g + 2], w3 = FLOW_DISSIPATION * fourth[g + 3];
                double w4 = FLOW_DISSIPATION * fourth[g + 4];
                for (int end = c + 5; c < end; c++)
                    rhs[c] -= w0 * u[c - 2 * s] + w1 * u[c - s] + w2 * u[c] + w3 * u[c + s] + w4 * u[c + 2 * s];
                g += axis == 0 ? 5 : 0;
            }
        }
}

void flow_box_compute_rhs(flow_box *box, double factor)
{
    box_follow(box);
    memcpy(box->rhs, box->forcing, 5 * (size_t)box->points * sizeof(double));
    for (int axis = 0; axis < 3; axis++) {
        box_add_fluxes(box, axis);
        box_add_dissipation(box, axis);
    }
    for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
        for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++) {
            int end = 5 * flow_box_index(box, flow_box_high(box, 0), j, k);
            for (int c = 5 * flow_box_index(box, flow_box_low(box, 0), j, k); c < end; c++)
                box->rhs[c] *= factor;
        }
}

void flow_box_add(flow_box *box, double factor)
{
    double *restrict u = box->u;
    const double *restrict rhs = box->rhs;
    for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
        for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++) {
            int end = 5 * flow_box_index(box, flow_box_high(box, 0), j, k);
            for (int c = 5 * flow_box_index(box, flow_box_low(box, 0), j, k); c < end; c++)
                u[c] += factor * rhs[c];
        }
}

void flow_box_add_squares(const flow_box *box, double sums[10])
{
    double exact[5];
    for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
        for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++)
            for (int i = flow_box_low(box, 0); i < flow_box_high(box, 0); i++) {
                int c = 5 * flow_box_index(box, i, j, k);
                flow_exact(box_place(box, 0, i), box_place(box, 1, j), box_place(box, 2, k), exact);
                for (int m = 0; m < 5; m++) {
                    double error = box->u[c + m] - exact[m];
                    sums[m] += error * error;
                    sums[5 + m] += box->rhs[c + m] * box->rhs[c + m];
                }
            }
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

int flow_box_layer(const flow_box *box, int axis)
{
    return box->size[(axis + 1) % 3] * box->size[(axis + 2) % 3];
}

/* The points of some layers: from these indices on, up to those. */
typedef struct box_rows {
    int first[3], end[3];
} box_rows;

static box_rows box_layers(const flow_box *box, int axis, int first, int layers)
{
    box_rows rows = {{0, 0, 0}, {box->size[0], box->size[1], box->size[2]}};
    rows.first[axis] = first;
    rows.end[axis] = first + layers;
    return rows;
}

double *flow_box_pack(const flow_box *box, int axis, int first, int layers, const double *array, int numbers,
                      double *buffer)
{
    box_rows rows = box_layers(box, axis, first, layers);
    size_t length = (size_t)(numbers * (rows.end[0] - rows.first[0]));
    for (int k = rows.first[2]; k < rows.end[2]; k++)
        for (int j = rows.first[1]; j < rows.end[1]; j++, buffer += length)
            memcpy(buffer, array + numbers * flow_box_index(box, rows.first[0], j, k), length * sizeof(double));
    return buffer;
}

const double *flow_box_unpack(const flow_box *box, int axis, int first, int layers, double *array, int numbers,
                              const double *buffer)
{
    box_rows rows = box_layers(box, axis, first, layers);
    size_t length = (size_t)(numbers * (rows.end[0] - rows.first[0]));
    for (int k = rows.first[2]; k < rows.end[2]; k++)
        for (int j = rows.first[1]; j < rows.end[1]; j++, buffer += length)
            memcpy(array + numbers * flow_box_index(box, rows.first[0], j, k), buffer, length * sizeof(double));
    return buffer;
}
