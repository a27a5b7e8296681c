// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import java.util.Arrays;
import mpi.MPI;

/**
 * MG: V-cycles of a multigrid method for Poisson's equation on a periodic cube, with 27-point stencils.
 *
 * <p>Each rank has a box of the cube, with a halo one cell wide that is exchanged with six neighbours after every
 * stencil, on every grid from the finest down: large messages, then ever smaller ones (MGGrid). The coarsest grids, on
 * which a rank would have a single cell in some direction, are gathered, and every rank computes all of them.
 */
public final class MG {
    private static final int[] LOG_SIDES = {5, 7, 8, 8, 9};
    private static final int[] ITERATIONS = {4, 4, 4, 20, 20};
    private static final double[] NORMS = {0.5307707005734e-04, 0.6467329375339e-05, 0.2433365309069e-05,
        0.1800564401355e-05, 0.5706732285740e-06};
    private static final double TOLERANCE = 1e-8;

    // Weights of a cell itself, of those that share a face (0 in the first), an edge, and a corner with it (0 in the
    // second).
    private static final double[] OPERATOR = {-8.0 / 3, 1.0 / 6, 1.0 / 12};
    private static final double[] SMOOTHER = {-3.0 / 8, 1.0 / 32, -1.0 / 64};
    private static final double[] SMOOTHER_LARGE = {-3.0 / 17, 1.0 / 33, -1.0 / 61};

    private final Job job;
    private final int top;    // the finest grid has 2^top cells a side
    private final int shared; // grids up to this one are whole on every rank
    private final MGGrid[] grids;
    private final double[][] u;
    private final double[][] r;
    private final double[] v;
    private final MGGrid part; // this rank's box of the finest grid that is whole everywhere
    private final double[] partCells;
    private final MGStencil stencil;

    private MG(Job job) {
        this.job = job;
        top = LOG_SIDES[job.index];
        grids = new MGGrid[top + 1];
        u = new double[top + 1][];
        r = new double[top + 1][];
        int whole = 1;
        for (int level = top; level >= 1; level--) {
            grids[level] = MGGrid.parted(job, 1 << level);
            if (grids[level] == null) {
                whole = Math.max(whole, level);
                grids[level] = MGGrid.whole(1 << level);
            }
            u[level] = new double[grids[level].cells];
            r[level] = new double[grids[level].cells];
        }
        shared = job.size == 1 ? 0 : whole;
        part = shared > 0 ? grids[shared + 1].coarser() : null;
        partCells = shared > 0 ? new double[part.cells] : null;
        v = new double[grids[top].cells];
        stencil = new MGStencil(grids[top].m1, OPERATOR, job.index < 3 ? SMOOTHER : SMOOTHER_LARGE);
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "MG", args);
        if (job.index >= 0) {
            job.acceptsPowerOfTwo(mostRanks(job.index));
        }
        job.run(() -> new MG(job).run());
    }

    /** The finest grid has two cells a rank in every direction, at least. */
    private static int mostRanks(int index) {
        return 1 << Math.min(3 * (LOG_SIDES[index] - 1), 15);
    }

    private void run() {
        int side = 1 << top;
        int iterations = ITERATIONS[job.index];
        String size = String.format("%dx%dx%d", side, side, side);
        job.title(size, iterations);

        MGCharges charges = new MGCharges(job, grids[top]);
        charges.put(v);
        stencil.residual(grids[top], u[top], v, r[top]);
        cycle(); // touches all memory and warms up; not timed
        Arrays.fill(u[top], 0);
        charges.put(v);

        job.startTimer();
        stencil.residual(grids[top], u[top], v, r[top]);
        norm();
        for (int i = 0; i < iterations; i++) {
            cycle();
            stencil.residual(grids[top], u[top], v, r[top]);
        }
        double norm = norm();
        double seconds = job.stopTimer();

        boolean isRight = job.matches("L2 norm", norm, NORMS[job.index], TOLERANCE);
        job.report(size, iterations, seconds, 58.0 * iterations * side * side * side, "floating point", isRight);
    }

    /** One V-cycle: residuals down to the coarsest grid, corrections up. */
    private void cycle() {
        for (int level = top; level > 1; level--) {
            restrict(level);
        }
        Arrays.fill(u[1], 0);
        stencil.smooth(grids[1], r[1], u[1]);
        for (int level = 2; level < top; level++) {
            Arrays.fill(u[level], 0);
            interpolate(level);
            stencil.residual(grids[level], u[level], r[level], r[level]);
            stencil.smooth(grids[level], r[level], u[level]);
        }
        interpolate(top);
        stencil.residual(grids[top], u[top], v, r[top]);
        stencil.smooth(grids[top], r[top], u[top]);
    }

    private void restrict(int level) {
        if (level == shared + 1 && shared > 0) {
            stencil.restrict(grids[level], r[level], part, partCells);
            part.gather(partCells, grids[shared], r[shared]);
            grids[shared].fillHalo(r[shared]);
        } else {
            stencil.restrict(grids[level], r[level], grids[level - 1], r[level - 1]);
            grids[level - 1].fillHalo(r[level - 1]);
        }
    }

    private void interpolate(int level) {
        if (level == shared + 1 && shared > 0) {
            part.cut(grids[shared], u[shared], partCells);
            stencil.interpolate(part, partCells, grids[level], u[level]);
        } else {
            stencil.interpolate(grids[level - 1], u[level - 1], grids[level], u[level]);
        }
    }

    /** The L2 norm of the finest residual. */
    private double norm() {
        MGGrid grid = grids[top];
        double[] r = this.r[top];
        double[] own = new double[1];
        double[] all = new double[1];
        for (int i3 = 1; i3 <= grid.n3; i3++) {
            for (int i2 = 1; i2 <= grid.n2; i2++) {
                int row = grid.row(i2, i3);
                for (int at = row + 1; at <= row + grid.n1; at++) {
                    own[0] += r[at] * r[at];
                }
            }
        }
        job.comm.Allreduce(own, 0, all, 0, 1, MPI.DOUBLE, MPI.SUM);
        return Math.sqrt(all[0] / Math.pow(1 << top, 3));
    }
}
