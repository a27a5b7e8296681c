/* SPDX-License-Identifier: Apache-2.0 */
/* What SP and BT do alike, from the first values to the report; a solver adds its time step. */
#ifndef FLOW_SOLVER_H
#define FLOW_SOLVER_H

#include "flow_check.h"
#include "flow_sweep.h"

typedef struct flow_solver {
    npb_job *job;
    flow_problem flow;
    flow_cells cells;
    flow_sweep sweep;
} flow_solver;

typedef void (*flow_step_fn)(flow_solver *solver);

/* The matrix has so many numbers a point once it is eliminated, and a row needs those of `depth` rows before it. */
void flow_solver_init(flow_solver *solver, npb_job *job, int n, double dt, int matrix_numbers, int depth,
                      int has_sound);
void flow_solver_fini(flow_solver *solver);
/* Takes so many steps, verifies and reports. */
void flow_solver_run(flow_solver *solver, flow_step_fn step, int steps, const double norms[FLOW_NORMS],
                     double operations_a_step);

#endif
