// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.Random;
import mpi.MPI;
import mpi.Request;

/**
 * SOR: 100 iterations of successive over-relaxation of a square grid, red points before black ones. Each rank has some
 * of the rows; before each half of an iteration it exchanges its first and last row with the neighbours.
 */
public final class SOR {
    private static final int[] SIZES = {1000, 1500, 2000};
    private static final int ITERATIONS = 100;
    private static final double OMEGA = 1.25;
    private static final long SEED = 10101010;
    private static final double[] TOTALS = {0.498574406322512, 1.1234778980135105, 1.9954895063582696};
    private static final double TOLERANCE = 1e-11;
    private static final int TAG_UP = 1;
    private static final int TAG_DOWN = 2;

    private final Job job;
    private final int n;
    private final int first; // row here
    private final int rows;
    private final double[] grid; // with a row of each neighbour

    private SOR(Job job) {
        this.job = job;
        n = SIZES[job.index];
        first = n * job.rank / job.size;
        rows = n * (job.rank + 1) / job.size - first;
        grid = new double[(rows + 2) * n];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "SOR", args);
        if (job.index >= 0) {
            job.accepts(job.size <= SIZES[job.index], "the number of ranks is " + job.size
                    + "; with class " + job.letter + " it is at most " + SIZES[job.index]);
        }
        job.run(() -> new SOR(job).run());
    }

    private void run() {
        String size = n + "x" + n;
        job.title(size, ITERATIONS);
        Random random = new Random(SEED);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double value = random.nextDouble() * 1e-6;
                if (i >= first && i < first + rows) {
                    grid[(i - first + 1) * n + j] = value;
                }
            }
        }

        job.startTimer();
        for (int half = 0; half < 2 * ITERATIONS; half++) {
            exchange();
            relax(half % 2);
        }
        double seconds = job.stopTimer();

        double[] own = new double[1];
        double[] all = new double[1];
        for (int i = Math.max(1, first); i < Math.min(n - 1, first + rows); i++) {
            for (int j = 1; j < n - 1; j++) {
                own[0] += grid[(i - first + 1) * n + j];
            }
        }
        job.comm.Reduce(own, 0, all, 0, 1, MPI.DOUBLE, MPI.SUM, 0);
        boolean isRight = job.matches("total", all[0], TOTALS[job.index], TOLERANCE);
        job.report(size, ITERATIONS, seconds, 6.0 * ITERATIONS * n * n, "floating point", isRight);
    }

    /** All points of one colour: those whose row and column add up to an even number, or an odd one. */
    private void relax(int colour) {
        double[] grid = this.grid;
        int n = this.n;
        double weight = OMEGA / 4;
        double rest = 1 - OMEGA;
        for (int i = Math.max(1, first); i < Math.min(n - 1, first + rows); i++) {
            int row = (i - first + 1) * n;
            for (int at = row + 1 + (i + 1 + colour) % 2; at < row + n - 1; at += 2) {
                grid[at] = weight * (grid[at - n] + grid[at + n] + grid[at - 1] + grid[at + 1]) + rest * grid[at];
            }
        }
    }

    private void exchange() {
        int before = job.rank - 1;
        int behind = job.rank + 1;
        Request above = null;
        Request below = null;
        if (before >= 0) {
            above = job.comm.Irecv(grid, 0, n, MPI.DOUBLE, before, TAG_DOWN);
        }
        if (behind < job.size) {
            below = job.comm.Irecv(grid, (rows + 1) * n, n, MPI.DOUBLE, behind, TAG_UP);
        }
        if (before >= 0) {
            job.comm.Send(grid, n, n, MPI.DOUBLE, before, TAG_UP);
        }
        if (behind < job.size) {
            job.comm.Send(grid, rows * n, n, MPI.DOUBLE, behind, TAG_DOWN);
        }
        if (above != null) {
            above.Wait();
        }
        if (below != null) {
            below.Wait();
        }
    }
}
