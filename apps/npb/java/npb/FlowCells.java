// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;
import mpi.Request;

/**
 * The cube among q^2 ranks, for solvers that sweep along lines in all three directions: it is cut into q^3 cells, of
 * which each rank has q, so placed that each layer of cells across any axis has one of every rank. Whatever the axis,
 * all ranks then work at every stage of a sweep. All cells of a rank have their next neighbours along an axis on one
 * other rank.
 */
final class FlowCells {
    private static final int TAG_UP = 10;
    private static final int TAG_DOWN = 20;

    final int side;
    final FlowBox[] boxes;
    private final Job job;
    private final Flow flow;
    private final int[] next = new int[3];
    private final int[] previous = new int[3];
    private final FlowBox[][] at; // by axis and place on it
    private final double[][] out = new double[6][];
    private final double[][] in = new double[6][];
    private final Request[] requests = new Request[12];

    FlowCells(Job job, Flow flow, int matrixNumbers, boolean withSound) {
        this.job = job;
        this.flow = flow;
        side = (int) Math.round(Math.sqrt(job.size));
        boxes = new FlowBox[side];
        at = new FlowBox[3][side];
        int a = job.rank % side;
        int b = job.rank / side;
        for (int c = 0; c < side; c++) {
            int[] place = {(a + c) % side, (b - c + side) % side, c};
            int[] start = new int[3];
            int[] size = new int[3];
            for (int axis = 0; axis < 3; axis++) {
                start[axis] = flow.n * place[axis] / side;
                size[axis] = flow.n * (place[axis] + 1) / side - start[axis];
            }
            boxes[c] = new FlowBox(flow, start, size, matrixNumbers, withSound);
            for (int axis = 0; axis < 3; axis++) {
                at[axis][place[axis]] = boxes[c];
            }
        }
        next[0] = (a + 1) % side + side * b;
        previous[0] = (a - 1 + side) % side + side * b;
        next[1] = a + side * ((b + 1) % side);
        previous[1] = a + side * ((b - 1 + side) % side);
        next[2] = (a - 1 + side) % side + side * ((b + 1) % side);
        previous[2] = (a + 1) % side + side * ((b - 1 + side) % side);
        for (int way = 0; way < 6; way++) {
            out[way] = new double[haloCount(way)];
            in[way] = new double[haloCount(way)];
        }
    }

    /** This rank's cell at a place of an axis. */
    FlowBox at(int axis, int place) {
        return at[axis][place];
    }

    int next(int axis) {
        return next[axis];
    }

    int previous(int axis) {
        return previous[axis];
    }

    /** The cells that send up their axis are all but the last; down, all but the first. */
    private int haloCount(int way) {
        int axis = way / 2;
        int count = 0;
        for (int place = way % 2; place < side - 1 + way % 2; place++) {
            count += 5 * FlowBox.HALO * at[axis][place].layer(axis);
        }
        return count;
    }

    void setInitial() {
        for (FlowBox box : boxes) {
            box.setInitial();
        }
    }

    /** Fills the halos of the unknowns, and computes the right-hand side. */
    void computeRhs() {
        exchange();
        for (FlowBox box : boxes) {
            box.computeRhs(flow.dt);
        }
    }

    /** One message to each of the six neighbours, with the layers of all cells. */
    private void exchange() {
        if (side == 1) {
            return;
        }
        for (int axis = 0; axis < 3; axis++) {
            requests[2 * axis] = job.comm.Irecv(in[2 * axis], 0, in[2 * axis].length, MPI.DOUBLE, next[axis],
                    TAG_DOWN + axis);
            requests[2 * axis + 1] = job.comm.Irecv(in[2 * axis + 1], 0, in[2 * axis + 1].length, MPI.DOUBLE,
                    previous[axis], TAG_UP + axis);
        }
        for (int axis = 0; axis < 3; axis++) {
            int up = 0;
            int down = 0;
            for (int place = 0; place < side; place++) {
                FlowBox box = at[axis][place];
                if (place < side - 1) {
                    up = box.copy(axis, box.size[axis] - FlowBox.HALO, FlowBox.HALO, box.u, 5, out[2 * axis], up, true);
                }
                if (place > 0) {
                    down = box.copy(axis, 0, FlowBox.HALO, box.u, 5, out[2 * axis + 1], down, true);
                }
            }
            requests[6 + 2 * axis] = job.comm.Isend(out[2 * axis], 0, up, MPI.DOUBLE, next[axis], TAG_UP + axis);
            requests[7 + 2 * axis] = job.comm.Isend(out[2 * axis + 1], 0, down, MPI.DOUBLE, previous[axis],
                    TAG_DOWN + axis);
        }
        Request.Waitall(requests);
        for (int axis = 0; axis < 3; axis++) {
            int fromNext = 0;
            int fromPrevious = 0;
            for (int place = 0; place < side; place++) {
                FlowBox box = at[axis][place];
                if (place < side - 1) {
                    fromNext = box.copy(axis, box.size[axis], FlowBox.HALO, box.u, 5, in[2 * axis], fromNext, false);
                }
                if (place > 0) {
                    fromPrevious = box.copy(axis, -FlowBox.HALO, FlowBox.HALO, box.u, 5, in[2 * axis + 1], fromPrevious,
                            false);
                }
            }
        }
    }
}
