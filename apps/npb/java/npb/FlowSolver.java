// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;

/** What SP and BT do alike, from the first values to the report; a solver adds its time step. */
abstract class FlowSolver {
    final Flow flow;
    final FlowCells cells;
    final FlowSweep sweep;
    private final Job job;

    /** The matrix has so many numbers a point once it is eliminated, and a row needs those of {@code depth} rows before
     * it. */
    FlowSolver(Job job, int n, double dt, int matrixNumbers, int depth, boolean withSound) {
        this.job = job;
        flow = new Flow(n, dt);
        cells = new FlowCells(job, flow, matrixNumbers, withSound);
        sweep = new FlowSweep(job, cells, depth, matrixNumbers);
    }

    abstract void step();

    /** Takes so many steps, verifies and reports. */
    final void run(int steps, double[] norms, double operationsAStep) {
        String size = String.format("%dx%dx%d", flow.n, flow.n, flow.n);
        job.title(size, steps);
        cells.setInitial();
        step(); // touches all memory and warms up; not timed
        cells.setInitial();

        job.startTimer();
        for (int i = 1; i <= steps; i++) {
            if (i == 1 || i % 20 == 0) {
                job.say(" Time step %4d", i);
            }
            step();
        }
        double seconds = job.stopTimer();

        cells.computeRhs();
        boolean isRight = FlowCheck.matches(job, FlowCheck.norms(job, flow, cells.boxes), norms);
        job.report(size, steps, seconds, steps * operationsAStep, "floating point", isRight);
    }
}
