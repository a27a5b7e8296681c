// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;
import mpi.Request;

/**
 * This rank's box of one of MG's grids: n1 x n2 x n3 cells and a halo of one cell around them, with the first index
 * fastest. The cube is periodic. Ranks stand in a grid p1 x p2 x p3; p3 grows first, since planes of equal third index
 * lie together in memory.
 */
final class MGGrid {
    private static final int TAG_UP = 10;
    private static final int TAG_DOWN = 20;

    final int n1;
    final int n2;
    final int n3;
    final int m1; // with the halo
    final int m2;
    final int plane;
    final int cells; // with the halo
    private final int side; // of the whole grid
    private final Job job;  // null: the whole grid is here
    private final int[] ranks = new int[3];
    private final int[] place = new int[3];
    private final int[] previous = new int[3];
    private final int[] next = new int[3];
    private final double[][] buffers; // to the previous, to the next, from the next, from the previous

    private MGGrid(Job job, int side) {
        this.job = job;
        this.side = side;
        int log = job == null ? 0 : Integer.numberOfTrailingZeros(job.size);
        for (int axis = 0; axis < 3; axis++) {
            ranks[axis] = 1 << (log + axis) / 3;
        }
        int rank = job == null ? 0 : job.rank;
        place[0] = rank % ranks[0];
        place[1] = rank / ranks[0] % ranks[1];
        place[2] = rank / ranks[0] / ranks[1];
        for (int axis = 0; axis < 3; axis++) {
            previous[axis] = neighbour(axis, -1);
            next[axis] = neighbour(axis, 1);
        }
        n1 = side / ranks[0];
        n2 = side / ranks[1];
        n3 = side / ranks[2];
        m1 = n1 + 2;
        m2 = n2 + 2;
        plane = m1 * m2;
        cells = plane * (n3 + 2);
        buffers = new double[4][Math.max(plane, Math.max(m1, m2) * (n3 + 2))];
    }

    /** Null if a rank would have less than two cells in some direction. */
    static MGGrid parted(Job job, int side) {
        int most = 1 << (Integer.numberOfTrailingZeros(job.size) + 2) / 3;
        return side / most >= 2 ? new MGGrid(job, side) : null;
    }

    static MGGrid whole(int side) {
        return new MGGrid(null, side);
    }

    /** The grid with half as many cells a side, on the same ranks. */
    MGGrid coarser() {
        return new MGGrid(job, side / 2);
    }

    private int neighbour(int axis, int step) {
        int[] at = place.clone();
        at[axis] = (at[axis] + step + ranks[axis]) % ranks[axis];
        return at[0] + ranks[0] * (at[1] + ranks[1] * at[2]);
    }

    /** Where a row begins, with its halo. */
    int row(int i2, int i3) {
        return i3 * plane + i2 * m1;
    }

    /** Where this box begins in the whole grid, along an axis. */
    int start(int axis) {
        return place[axis] * (side / ranks[axis]);
    }

    int side() {
        return side;
    }

    // ---- the halo ---------------------------------------------------------------------------------------------------

    /** Fills the halo from the neighbours, one axis after the other, so that edges and corners come along. */
    void fillHalo(double[] u) {
        for (int axis = 0; axis < 3; axis++) {
            int length = axis == 0 ? n1 : axis == 1 ? n2 : n3;
            if (ranks[axis] == 1) {
                copy(axis, u, 1, buffers[0], true);
                copy(axis, u, length + 1, buffers[0], false);
                copy(axis, u, length, buffers[0], true);
                copy(axis, u, 0, buffers[0], false);
            } else {
                exchange(axis, length, u);
            }
        }
    }

    private void exchange(int axis, int length, double[] u) {
        int count = axis == 0 ? m2 * (n3 + 2) : axis == 1 ? m1 * (n3 + 2) : plane;
        Request fromNext = job.comm.Irecv(buffers[2], 0, count, MPI.DOUBLE, next[axis], TAG_DOWN + axis);
        Request fromPrevious = job.comm.Irecv(buffers[3], 0, count, MPI.DOUBLE, previous[axis], TAG_UP + axis);
        copy(axis, u, 1, buffers[0], true);
        Request toPrevious = job.comm.Isend(buffers[0], 0, count, MPI.DOUBLE, previous[axis], TAG_DOWN + axis);
        copy(axis, u, length, buffers[1], true);
        Request toNext = job.comm.Isend(buffers[1], 0, count, MPI.DOUBLE, next[axis], TAG_UP + axis);
        fromNext.Wait();
        copy(axis, u, length + 1, buffers[2], false);
        fromPrevious.Wait();
        copy(axis, u, 0, buffers[3], false);
        toPrevious.Wait();
        toNext.Wait();
    }

    /** Copies the plane at a place of an axis, halo included, to a buffer (out) or from it. */
    private void copy(int axis, double[] u, int at, double[] buffer, boolean out) {
        if (axis == 2) {
            System.arraycopy(out ? u : buffer, out ? at * plane : 0, out ? buffer : u, out ? 0 : at * plane, plane);
            return;
        }
        int to = 0;
        for (int i3 = 0; i3 < n3 + 2; i3++) {
            if (axis == 1) {
                int row = row(at, i3);
                System.arraycopy(out ? u : buffer, out ? row : to, out ? buffer : u, out ? to : row, m1);
                to += m1;
                continue;
            }
            int cell = i3 * plane + at;
            for (int i2 = 0; i2 < m2; i2++, cell += m1) {
                if (out) {
                    buffer[to++] = u[cell];
                } else {
                    u[cell] = buffer[to++];
                }
            }
        }
    }

    // ---- between boxes and the whole grid ---------------------------------------------------------------------------

    /** Brings all ranks' boxes together, into the whole grid on every rank; its halo is left. */
    void gather(double[] own, MGGrid whole, double[] all) {
        int count = n1 * n2 * n3;
        double[] box = new double[count];
        double[] boxes = new double[count * job.size];
        int at = 0;
        for (int i3 = 1; i3 <= n3; i3++) {
            for (int i2 = 1; i2 <= n2; i2++, at += n1) {
                System.arraycopy(own, row(i2, i3) + 1, box, at, n1);
            }
        }
        job.comm.Allgather(box, 0, count, MPI.DOUBLE, boxes, 0, count, MPI.DOUBLE);
        at = 0;
        for (int rank = 0; rank < job.size; rank++) {
            int x = rank % ranks[0] * n1;
            int y = rank / ranks[0] % ranks[1] * n2;
            int z = rank / ranks[0] / ranks[1] * n3;
            for (int i3 = 1; i3 <= n3; i3++) {
                for (int i2 = 1; i2 <= n2; i2++, at += n1) {
                    System.arraycopy(boxes, at, all, whole.row(y + i2, z + i3) + x + 1, n1);
                }
            }
        }
    }

    /** This rank's box, with its halo, of a whole grid that has its own. */
    void cut(MGGrid whole, double[] all, double[] own) {
        for (int i3 = 0; i3 < n3 + 2; i3++) {
            for (int i2 = 0; i2 < m2; i2++) {
                System.arraycopy(all, whole.row(start(1) + i2, start(2) + i3) + start(0), own, row(i2, i3), m1);
            }
        }
    }
}
