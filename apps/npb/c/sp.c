/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SP: the flow of flow.h, by time steps that solve along x, then y, then z. A change of variables makes the systems of
 * each line scalar, with five diagonals: one matrix for three unknowns, and one for each of the two others.
 *
 * flow_cells.h tells how the ranks share the cube, flow_sweep.h how they solve along lines.
 */
#include "flow_solver.h"

#include <string.h>

enum { SP_NUMBERS = 6 }; /* a point, of the eliminated matrices */

static const int sp_sizes[] = {12, 36, 64, 102, 162};
static const int sp_steps[] = {100, 400, 400, 400, 400};
static const double sp_dts[] = {0.015, 0.0015, 0.0015, 0.001, 0.00067};
static const double sp_norms[][FLOW_NORMS] = {
    {2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02, 1.5840557224455615e-02,
     3.4849040609362460e-02, 2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
     1.5750704994480102e-05, 3.4177666183390531e-05},
    {0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03, 0.3143611161242e-02,
     0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04, 0.1212845639773e-03},
    {2.4799822399300195, 1.1276337964368832, 1.5028977888770491, 1.4217816211695179, 2.1292113035138280,
     1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05, 4.7671093939528255e-05,
     1.3621613399213001e-04},
    {0.6903293579998e+02, 0.3095134488084e+02, 0.4103336647017e+02, 0.3864769009604e+02, 0.5643482272596e+02,
     0.9810006190188e-02, 0.1022827905670e-02, 0.1720597911692e-02, 0.1694479428231e-02, 0.1847456263981e-01},
    {0.5881691581829e+03, 0.2454417603569e+03, 0.3293829191851e+03, 0.3081924971891e+03, 0.4597223799176e+03,
     0.2598120500183e+00, 0.2590888922315e-01, 0.5132886416320e-01, 0.4806073419454e-01, 0.5483377491301e+00}};
static const double sp_root_half = 0.70710678118654752440;

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/*
 * Eliminates two diagonals below the main one, and divides by it; of each matrix two above it stay, in six numbers a
 * point. A row needs those of the two rows before, which are two points back or in the halo.
 */
static void sp_eliminate_point(const flow_box *box, int axis, int p, int g)
{
    const flow_problem *flow = box->flow;
    const double *restrict w = box->velocity[axis], *restrict sound = box->sound, *restrict inverse = box->inverse;
    const double *fourth = flow->fourth + 5 * g;
    double *m = box->matrix + SP_NUMBERS * p, *r = box->rhs + 5 * p;
    int s = box->stride[axis];
    const double *m1 = m - SP_NUMBERS * s, *m2 = m1 - SP_NUMBERS * s, *r1 = r - 5 * s, *r2 = r1 - 5 * s;
    double dt1 = flow->dt * flow->t1, dt2 = flow->dt * flow->t2, dissipation = flow->dt * FLOW_DISSIPATION;
    double d0 = dt1 * flow_diffusion(axis), d1 = dt1 * FLOW_C1345; /* of the energy: the largest one */
    double first = dissipation * fourth[0];
    double second = dissipation * fourth[1] - dt2 * w[p - s] - d0 - d1 * inverse[p - s];
    double main_one = 1 + dissipation * fourth[2] + 2 * (d0 + d1 * inverse[p]);
    double fourth_one = dissipation * fourth[3] + dt2 * w[p + s] - d0 - d1 * inverse[p + s];
    double fifth = dissipation * fourth[4];
    double behind = dt2 * sound[p - s], ahead = dt2 * sound[p + s];

    double below = second - first * m2[0];
    double factor = 1 / (main_one - first * m2[1] - below * m1[0]);
    m[0] = factor * (fourth_one - below * m1[1]);
    m[1] = factor * fifth;
    r[0] = factor * (r[0] - first * r2[0] - below * r1[0]);
    r[1] = factor * (r[1] - first * r2[1] - below * r1[1]);
    r[2] = factor * (r[2] - first * r2[2] - below * r1[2]);

    below = second - behind - first * m2[2];
    factor = 1 / (main_one - first * m2[3] - below * m1[2]);
    m[2] = factor * (fourth_one + ahead - below * m1[3]);
    m[3] = factor * fifth;
    r[3] = factor * (r[3] - first * r2[3] - below * r1[3]);

    below = second + behind - first * m2[4];
    factor = 1 / (main_one - first * m2[5] - below * m1[4]);
    m[4] = factor * (fourth_one - ahead - below * m1[5]);
    m[5] = factor * fifth;
    r[4] = factor * (r[4] - first * r2[4] - below * r1[4]);
}

static void sp_eliminate(int axis, flow_box *box)
{
    int last = box->flow->n - 1;
    for (int k = flow_box_sweep_low(box, 2, axis); k < flow_box_sweep_high(box, 2, axis); k++)
        for (int j = flow_box_sweep_low(box, 1, axis); j < flow_box_sweep_high(box, 1, axis); j++)
            for (int i = flow_box_sweep_low(box, 0, axis); i < flow_box_sweep_high(box, 0, axis); i++) {
                int p = flow_box_index(box, i, j, k);
                int g = box->start[axis] + (axis == 0 ? i : axis == 1 ? j : k);
                if (g == 0 || g == last)
                    memset(box->matrix + SP_NUMBERS * p, 0, SP_NUMBERS * sizeof(double));
                else
                    sp_eliminate_point(box, axis, p, g);
            }
}

static void sp_substitute(int axis, flow_box *box)
{
    int s = 5 * box->stride[axis];
    for (int k = flow_box_sweep_high(box, 2, axis) - 1; k >= flow_box_sweep_low(box, 2, axis); k--)
        for (int j = flow_box_sweep_high(box, 1, axis) - 1; j >= flow_box_sweep_low(box, 1, axis); j--)
            for (int i = flow_box_sweep_high(box, 0, axis) - 1; i >= flow_box_sweep_low(box, 0, axis); i--) {
                int p = flow_box_index(box, i, j, k);
                const double *m = box->matrix + SP_NUMBERS * p;
                double *r = box->rhs + 5 * p;
                const double *r1 = r + s, *r2 = r1 + s;
                r[0] -= m[0] * r1[0] + m[1] * r2[0];
                r[1] -= m[0] * r1[1] + m[1] * r2[1];
                r[2] -= m[0] * r1[2] + m[1] * r2[2];
                r[3] -= m[2] * r1[3] + m[3] * r2[3];
                r[4] -= m[4] * r1[4] + m[5] * r2[4];
            }
}

/* ---- changes of variables ---------------------------------------------------------------------------------------- */

/* To those of x. */
static void sp_change(const flow_box *box, int p)
{
    double *r = box->rhs + 5 * p;
    double ru = box->inverse[p], x = box->velocity[0][p], y = box->velocity[1][p], z = box->velocity[2][p];
    double a = box->sound[p], r1 = r[0], r2 = r[1], r3 = r[2], r4 = r[3];
    double t1 = FLOW_C2 / (a * a) * (box->kinetic[p] * r1 - x * r2 - y * r3 - z * r4 + r[4]);
    double t2 = sp_root_half * ru * (x * r1 - r2);
    double t3 = sp_root_half * ru * a * t1;
    r[0] = r1 - t1;
    r[1] = -ru * (z * r1 - r4);
    r[2] = ru * (y * r1 - r3);
    r[3] = t3 - t2;
    r[4] = t3 + t2;
}

static void sp_from_x_to_y(const flow_box *box, int p)
{
    double *r = box->rhs + 5 * p;
    double r1 = r[0], t1 = sp_root_half * r[2], t2 = 0.5 * (r[3] + r[4]);
    r[0] = -r[1];
    r[1] = r1;
    r[2] = sp_root_half * (r[3] - r[4]);
    r[3] = t2 - t1;
    r[4] = t2 + t1;
}

static void sp_from_y_to_z(const flow_box *box, int p)
{
    double *r = box->rhs + 5 * p;
    double r2 = r[1], t1 = sp_root_half * r[0], t2 = 0.5 * (r[3] + r[4]);
    r[0] = sp_root_half * (r[3] - r[4]);
    r[1] = -r[2];
    r[2] = r2;
    r[3] = t2 - t1;
    r[4] = t2 + t1;
}

/* From those of z. */
static void sp_change_back(const flow_box *box, int p)
{
    double *r = box->rhs + 5 * p;
    double density = box->u[5 * p], x = box->velocity[0][p], y = box->velocity[1][p], z = box->velocity[2][p];
    double a = box->sound[p], r1 = r[0], r2 = r[1];
    double t1 = sp_root_half * density / a * (r[3] + r[4]);
    double t2 = r[2] + t1;
    double t3 = sp_root_half * density * (r[3] - r[4]);
    r[0] = t2;
    r[1] = x * t2 - density * r2;
    r[2] = y * t2 + density * r1;
    r[3] = z * t2 + t3;
    r[4] = density * (y * r1 - x * r2) + box->kinetic[p] * t2 + a * a / FLOW_C2 * t1 + z * t3;
}

/* Does something to all points off the walls. */
static inline __attribute__((always_inline)) void sp_for_all(const flow_cells *cells,
                                                             void (*change)(const flow_box *box, int p))
{
    for (int number = 0; number < cells->side; number++) {
        const flow_box *box = &cells->boxes[number];
        for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
            for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++) {
                int end = flow_box_index(box, flow_box_high(box, 0), j, k);
                for (int p = flow_box_index(box, flow_box_low(box, 0), j, k); p < end; p++)
                    change(box, p);
            }
    }
}

/* ---- the benchmark ----------------------------------------------------------------------------------------------- */

static void sp_step(flow_solver *solver)
{
    flow_cells *cells = &solver->cells;
    flow_cells_compute_rhs(cells);
    sp_for_all(cells, sp_change);
    flow_sweep_run(&solver->sweep, 0, sp_eliminate, sp_substitute);
    sp_for_all(cells, sp_from_x_to_y);
    flow_sweep_run(&solver->sweep, 1, sp_eliminate, sp_substitute);
    sp_for_all(cells, sp_from_y_to_z);
    flow_sweep_run(&solver->sweep, 2, sp_eliminate, sp_substitute);
    sp_for_all(cells, sp_change_back);
    for (int number = 0; number < cells->side; number++)
        flow_box_add(&cells->boxes[number], 1);
}

static void sp_run(npb_job *job)
{
    double n = sp_sizes[job->index];
    flow_solver solver;
    flow_solver_init(&solver, job, sp_sizes[job->index], sp_dts[job->index], SP_NUMBERS, 2, 1);
    flow_solver_run(&solver, sp_step, sp_steps[job->index], sp_norms[job->index],
                    881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4);
    flow_solver_fini(&solver);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "SP", &argc, &argv);
    if (job.is_fine)
        npb_accepts_square(&job, sp_sizes[job.index] / 3);
    if (job.is_fine)
        sp_run(&job);
    return npb_end(&job);
}
