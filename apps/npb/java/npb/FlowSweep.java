// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;
import mpi.Request;

/**
 * Solves systems along all lines of one axis, through the cells of all ranks: elimination from the first cells to the
 * last, then substitution back. What a cell leaves to the next one goes into that one's halo, so that neither step
 * knows where a cell ends. While a rank works on a cell, what it needs for the next one may arrive.
 */
final class FlowSweep {
    private static final int TAG_FORWARD = 30;
    private static final int TAG_BACK = 40;

    /** What is done to one cell. */
    interface Step {
        void run(int axis, FlowBox box);
    }

    private final Job job;
    private final FlowCells cells;
    private final int depth;   // layers that the next cell needs
    private final int numbers; // a point, of the eliminated matrix
    private final double[] out;
    private final double[] in;

    FlowSweep(Job job, FlowCells cells, int depth, int numbers) {
        this.job = job;
        this.cells = cells;
        this.depth = depth;
        this.numbers = numbers;
        int most = 0;
        for (FlowBox box : cells.boxes) {
            for (int axis = 0; axis < 3; axis++) {
                most = Math.max(most, box.layer(axis));
            }
        }
        out = new double[depth * (numbers + 5) * most];
        in = new double[depth * (numbers + 5) * most];
    }

    void run(int axis, Step eliminate, Step substitute) {
        int last = cells.side - 1;
        Request arriving = null;
        Request sent = null;
        for (int stage = 0; stage <= last; stage++) {
            FlowBox box = cells.at(axis, stage);
            if (stage > 0) {
                arriving.Wait();
                int at = box.copy(axis, -depth, depth, box.matrix, numbers, in, 0, false);
                box.copy(axis, -depth, depth, box.rhs, 5, in, at, false);
            }
            if (stage < last) {
                arriving = receive(axis, cells.at(axis, stage + 1), numbers + 5, cells.previous(axis), TAG_FORWARD);
            }
            eliminate.run(axis, box);
            if (stage < last) {
                finish(sent);
                int first = box.size[axis] - depth;
                int at = box.copy(axis, first, depth, box.matrix, numbers, out, 0, true);
                at = box.copy(axis, first, depth, box.rhs, 5, out, at, true);
                sent = job.comm.Isend(out, 0, at, MPI.DOUBLE, cells.next(axis), TAG_FORWARD + axis);
            }
        }
        for (int stage = last; stage >= 0; stage--) {
            FlowBox box = cells.at(axis, stage);
            if (stage < last) {
                arriving.Wait();
                box.copy(axis, box.size[axis], depth, box.rhs, 5, in, 0, false);
            }
            if (stage > 0) {
                arriving = receive(axis, cells.at(axis, stage - 1), 5, cells.next(axis), TAG_BACK);
            }
            substitute.run(axis, box);
            if (stage > 0) {
                finish(sent);
                int at = box.copy(axis, 0, depth, box.rhs, 5, out, 0, true);
                sent = job.comm.Isend(out, 0, at, MPI.DOUBLE, cells.previous(axis), TAG_BACK + axis);
            }
        }
        finish(sent);
    }

    private Request receive(int axis, FlowBox box, int numbersOfPoint, int source, int tag) {
        return job.comm.Irecv(in, 0, depth * numbersOfPoint * box.layer(axis), MPI.DOUBLE, source, tag + axis);
    }

    private static void finish(Request sent) {
        if (sent != null) {
            sent.Wait();
        }
    }
}
