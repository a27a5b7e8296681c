/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BT: the flow of flow.h, by time steps that solve along x, then y, then z. The systems of each line have three
 * diagonals of blocks, 5 x 5 each.
 *
 * flow_cells.h tells how the ranks share the cube, flow_sweep.h how they solve along lines.
 */
#include "flow_block.h"
#include "flow_solver.h"

#include <string.h>

static const int bt_sizes[] = {12, 24, 64, 102, 162};
static const int bt_steps[] = {60, 200, 200, 200, 200};
static const double bt_dts[] = {0.01, 0.0008, 0.0008, 0.0003, 0.0001};
static const double bt_norms[][FLOW_NORMS] = {
    {1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02, 2.6436421275166801e-02,
     1.9211784131744430e-01, 4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
     7.3821238632439731e-05, 8.9269630987491446e-04},
    {0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02, 0.2469174937669e+02, 0.2638427874317e+03,
     0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01, 0.9235878729944e+00, 0.1018045837718e+02},
    {1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01, 2.3665622544678910e+01,
     2.5278963211748344e+02, 4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01,
     8.8302063039765474e-01, 9.7379901770829278e+00},
    {1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02, 3.2485447959084092e+02,
     3.2707541254659363e+03, 5.2969847140936856e+01, 4.4632896115670668e+00, 1.3122573342210174e+01,
     1.2006925323559144e+01, 1.2459576151035986e+02},
    {0.62398116551764615e+04, 0.50793239190423964e+03, 0.15423530093013596e+04, 0.13302387929291190e+04,
     0.11604087428436455e+05, 0.16462008369091265e+03, 0.11497107903824313e+02, 0.41207446207461508e+02,
     0.37087651059694167e+02, 0.36211053051841265e+03}};

/* Eliminates the block below the main one and divides by that; the one above stays, 25 numbers a point. */
static void bt_eliminate(int axis, flow_box *box)
{
    const flow_problem *flow = box->flow;
    double *m = box->matrix, *r = box->rhs, below[FLOW_BLOCK], main_block[FLOW_BLOCK];
    int s = box->stride[axis], last = flow->n - 1;
    double dt1 = flow->dt * flow->t1, dt2 = flow->dt * flow->t2, d = dt1 * flow_diffusion(axis);
    for (int k = flow_box_sweep_low(box, 2, axis); k < flow_box_sweep_high(box, 2, axis); k++)
        for (int j = flow_box_sweep_low(box, 1, axis); j < flow_box_sweep_high(box, 1, axis); j++)
            for (int i = flow_box_sweep_low(box, 0, axis); i < flow_box_sweep_high(box, 0, axis); i++) {
                int p = flow_box_index(box, i, j, k);
                int g = box->start[axis] + (axis == 0 ? i : axis == 1 ? j : k);
                double *above = m + FLOW_BLOCK * p;
                if (g == 0 || g == last) {
                    memset(above, 0, FLOW_BLOCK * sizeof(double));
                    continue;
                }
                flow_block_jacobian(box, axis, p - s, -dt2, -dt1, -d, below);
                flow_block_jacobian(box, axis, p, 0, 2 * dt1, 1 + 2 * d, main_block);
                flow_block_jacobian(box, axis, p + s, dt2, -dt1, -d, above);
                for (int column = 0; column < 5; column++)
                    flow_block_subtract_jacobian(below, above - FLOW_BLOCK * s + column, main_block + column, 5);
                flow_block_subtract_jacobian(below, r + 5 * (p - s), r + 5 * p, 1);
                flow_block_factor(main_block);
                for (int column = 0; column < 5; column++)
                    flow_block_solve(main_block, above + column, 5);
                flow_block_solve(main_block, r + 5 * p, 1);
            }
}

static void bt_substitute(int axis, flow_box *box)
{
    double *r = box->rhs;
    int s = box->stride[axis];
    for (int k = flow_box_sweep_high(box, 2, axis) - 1; k >= flow_box_sweep_low(box, 2, axis); k--)
        for (int j = flow_box_sweep_high(box, 1, axis) - 1; j >= flow_box_sweep_low(box, 1, axis); j--)
            for (int i = flow_box_sweep_high(box, 0, axis) - 1; i >= flow_box_sweep_low(box, 0, axis); i--) {
                int p = flow_box_index(box, i, j, k);
                flow_block_subtract_product(box->matrix + FLOW_BLOCK * p, r + 5 * (p + s), r + 5 * p);
            }
}

/* Unknowns are in the order of the axis (flow_block.h): from that of one axis to that of the next. */
static void bt_turn(flow_box *box)
{
    for (int k = flow_box_low(box, 2); k < flow_box_high(box, 2); k++)
        for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++) {
            double *end = box->rhs + 5 * flow_box_index(box, flow_box_high(box, 0), j, k);
            for (double *r = box->rhs + 5 * flow_box_index(box, flow_box_low(box, 0), j, k); r < end; r += 5) {
                double along = r[1];
                r[1] = r[2];
                r[2] = r[3];
                r[3] = along;
            }
        }
}

static void bt_step(flow_solver *solver)
{
    flow_cells_compute_rhs(&solver->cells);
    for (int axis = 0; axis < 3; axis++) {
        flow_sweep_run(&solver->sweep, axis, bt_eliminate, bt_substitute);
        for (int number = 0; number < solver->cells.side; number++)
            bt_turn(&solver->cells.boxes[number]);
    }
    for (int number = 0; number < solver->cells.side; number++)
        flow_box_add(&solver->cells.boxes[number], 1);
}

static void bt_run(npb_job *job)
{
    double n = bt_sizes[job->index];
    flow_solver solver;
    flow_solver_init(&solver, job, bt_sizes[job->index], bt_dts[job->index], FLOW_BLOCK, 1, 0);
    flow_solver_run(&solver, bt_step, bt_steps[job->index], bt_norms[job->index],
                    3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n);
    flow_solver_fini(&solver);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "BT", &argc, &argv);
    if (job.is_fine)
        npb_accepts_square(&job, bt_sizes[job.index] / 3);
    if (job.is_fine)
        bt_run(&job);
    return npb_end(&job);
}
