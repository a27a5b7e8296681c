/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_solver.h"

#include <stdio.h>

void flow_solver_init(flow_solver *solver, npb_job *job, int n, double dt, int matrix_numbers, int depth,
                      int has_sound)
{
    solver->job = job;
    flow_init(&solver->flow, job, n, dt);
    flow_cells_init(&solver->cells, &solver->flow, matrix_numbers, has_sound);
    flow_sweep_init(&solver->sweep, &solver->cells, depth, matrix_numbers);
}

void flow_solver_fini(flow_solver *solver)
{
    flow_sweep_fini(&solver->sweep);
    flow_cells_fini(&solver->cells);
    flow_fini(&solver->flow);
}

void flow_solver_run(flow_solver *solver, flow_step_fn step, int steps, const double norms[FLOW_NORMS],
                     double operations_a_step)
{
    npb_job *job = solver->job;
    int n = solver->flow.n;
    double reached[FLOW_NORMS];
    char size[48];
    snprintf(size, sizeof size, "%dx%dx%d", n, n, n);
    npb_title(job, size, steps);
    flow_cells_set_initial(&solver->cells);
    step(solver); /* touches all memory and warms up; not timed */
    flow_cells_set_initial(&solver->cells);

    npb_timer_start(job);
    for (int i = 1; i <= steps; i++) {
        if (i == 1 || i % 20 == 0)
            npb_say(job, " Time step %4d", i);
        step(solver);
    }
    double seconds = npb_timer_stop(job);

    flow_cells_compute_rhs(&solver->cells);
    flow_check_norms(solver->cells.boxes, solver->cells.side, reached);
    int is_right = flow_check_matches(job, reached, norms);
    npb_report(job, size, steps, seconds, steps * operations_a_step, "floating point", is_right);
}
