// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.Arrays;
import mpi.MPI;

/**
 * LUFact: solves a dense linear system, as Linpack does: LU factors with partial pivoting, then substitution. Ranks
 * have columns in turn. In each step the owner of the next column finds the pivot and broadcasts column and pivot; all
 * update their columns.
 */
public final class LUFact {
    private static final int[] SIZES = {500, 1000, 2000};
    private static final double[] RESIDUALS = {6, 12, 20}; // at most
    private static final double EPSILON = Math.ulp(1.0);

    private final Job job;
    private final int n;
    private final int own;          // how many columns are here
    private final double[] columns; // one after the other
    private final int[] pivots;

    private LUFact(Job job) {
        this.job = job;
        n = SIZES[job.index];
        own = (n - job.rank + job.size - 1) / job.size;
        columns = new double[own * n];
        pivots = new int[n];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "LUFact", args);
        if (job.index >= 0) {
            job.accepts(job.size <= SIZES[job.index], "the number of ranks is " + job.size
                    + "; with class " + job.letter + " it is at most " + SIZES[job.index]);
        }
        job.run(() -> new LUFact(job).run());
    }

    private void run() {
        String size = n + "x" + n;
        double[] matrix = matrix(n);
        double[] right = new double[n];
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                right[i] += matrix[j * n + i];
            }
            if (j % job.size == job.rank) {
                System.arraycopy(matrix, j * n, columns, j / job.size * n, n);
            }
        }
        double[] x = right.clone();
        job.title(size, 1);

        job.startTimer();
        factor();
        double[] all = gather();
        if (job.rank == 0) {
            solve(all, x);
        }
        double seconds = job.stopTimer();

        double residual = job.rank == 0 ? residual(matrix, x, right) : 0;
        boolean isRight = residual <= RESIDUALS[job.index];
        job.say(" normalized residual %.3f, at most %.0f", residual, RESIDUALS[job.index]);
        double operations = 2.0 * n * n * n / 3 + 2.0 * n * n;
        job.report(size, 1, seconds, operations, "floating point", isRight);
    }

    /** The elements of Linpack's matrix, by columns: small pseudo-random numbers. */
    private static double[] matrix(int n) {
        double[] matrix = new double[n * n];
        int seed = 1325;
        for (int i = 0; i < matrix.length; i++) {
            seed = 3125 * seed % 65536;
            matrix[i] = (seed - 32768.0) / 16384;
        }
        return matrix;
    }

    // ---- factors ----------------------------------------------------------------------------------------------------

    private void factor() {
        double[] column = new double[n + 1]; // below the diagonal, and where the pivot was
        for (int k = 0; k < n; k++) {
            int owner = k % job.size;
            if (owner == job.rank) {
                eliminate(k, column);
            }
            job.comm.Bcast(column, k, n + 1 - k, MPI.DOUBLE, owner);
            pivots[k] = (int) column[n];
            int firstOwn = (k - job.rank + job.size) / job.size;
            for (int c = firstOwn; c < own; c++) {
                if (c * job.size + job.rank > k) {
                    update(c * n, k, column);
                }
            }
        }
    }

    /** Finds the pivot of this rank's column k, and divides by it what is below the diagonal. */
    private void eliminate(int k, double[] column) {
        int start = k / job.size * n;
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            if (Math.abs(columns[start + i]) > Math.abs(columns[start + pivot])) {
                pivot = i;
            }
        }
        double value = columns[start + pivot];
        columns[start + pivot] = columns[start + k];
        columns[start + k] = value;
        for (int i = k + 1; i < n; i++) {
            columns[start + i] /= -value;
        }
        System.arraycopy(columns, start + k, column, k, n - k);
        column[n] = pivot;
    }

    private void update(int start, int k, double[] column) {
        double[] columns = this.columns;
        double factor = columns[start + pivots[k]];
        columns[start + pivots[k]] = columns[start + k];
        columns[start + k] = factor;
        for (int i = k + 1; i < n; i++) {
            columns[start + i] += factor * column[i];
        }
    }

    /** All columns on rank 0. */
    private double[] gather() {
        int[] counts = new int[job.size];
        int[] starts = new int[job.size];
        for (int peer = 0; peer < job.size; peer++) {
            counts[peer] = (n - peer + job.size - 1) / job.size * n;
            starts[peer] = peer == 0 ? 0 : starts[peer - 1] + counts[peer - 1];
        }
        double[] received = new double[job.rank == 0 ? n * n : 0];
        job.comm.Gatherv(columns, 0, columns.length, MPI.DOUBLE, received, 0, counts, starts, MPI.DOUBLE, 0);
        if (job.rank != 0) {
            return received;
        }
        double[] all = new double[n * n];
        for (int j = 0; j < n; j++) {
            System.arraycopy(received, starts[j % job.size] + j / job.size * n, all, j * n, n);
        }
        return all;
    }

    // ---- substitution, and what is left -----------------------------------------------------------------------------

    private void solve(double[] factors, double[] x) {
        for (int k = 0; k < n; k++) {
            double value = x[pivots[k]];
            x[pivots[k]] = x[k];
            x[k] = value;
            for (int i = k + 1; i < n; i++) {
                x[i] += value * factors[k * n + i];
            }
        }
        for (int k = n - 1; k >= 0; k--) {
            x[k] /= factors[k * n + k];
            for (int i = 0; i < k; i++) {
                x[i] -= x[k] * factors[k * n + i];
            }
        }
    }

    /** The largest element of A x - b, by that of A, that of x, n, and the precision of numbers. */
    private double residual(double[] matrix, double[] x, double[] right) {
        double[] rest = right.clone();
        double most = 0;
        double mostX = 0;
        double largest = 0;
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                rest[i] -= matrix[j * n + i] * x[j];
                largest = Math.max(largest, Math.abs(matrix[j * n + i]));
            }
        }
        for (int i = 0; i < n; i++) {
            most = Math.max(most, Math.abs(rest[i]));
            mostX = Math.max(mostX, Math.abs(x[i]));
        }
        boolean isSolved = Arrays.stream(x).allMatch(Double::isFinite);
        return isSolved ? most / (n * largest * mostX * EPSILON) : Double.POSITIVE_INFINITY;
    }
}
