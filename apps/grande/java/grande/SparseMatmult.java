// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.Random;
import mpi.MPI;

/**
 * SparseMatmult: 200 products of a sparse random matrix and a vector, added up. The matrix is a list of elements, of
 * which each rank has a part; the sums of all ranks are added at the end of each product.
 */
public final class SparseMatmult {
    private static final int[] SIZES = {50000, 100000, 500000};
    private static final int[] ELEMENTS = {250000, 500000, 2500000};
    private static final int ITERATIONS = 200;
    private static final long SEED = 10101010;
    private static final double[] TOTALS = {75.02484945753453, 150.0130719633895, 749.5245870753752};
    private static final double TOLERANCE = 1e-11;

    private final Job job;

    private SparseMatmult(Job job) {
        this.job = job;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "SparseMatmult", args);
        job.run(() -> new SparseMatmult(job).run());
    }

    private void run() {
        int n = SIZES[job.index];
        int elements = ELEMENTS[job.index];
        int first = (int) ((long) elements * job.rank / job.size);
        int count = (int) ((long) elements * (job.rank + 1) / job.size) - first;
        int[] allRows = new int[elements];
        int[] rows = new int[count];
        int[] columns = new int[count];
        double[] values = new double[count];
        double[] x = new double[n];
        double[] own = new double[n];
        double[] y = new double[n];
        job.title(Integer.toString(n), ITERATIONS);
        Random random = new Random(SEED);
        for (int i = 0; i < n; i++) {
            x[i] = random.nextDouble() * 1e-6;
        }
        for (int i = 0; i < elements; i++) {
            int row = Math.abs(random.nextInt()) % n;
            int column = Math.abs(random.nextInt()) % n;
            double value = random.nextDouble();
            allRows[i] = row;
            if (i >= first && i < first + count) {
                rows[i - first] = row;
                columns[i - first] = column;
                values[i - first] = value;
            }
        }

        job.startTimer();
        for (int iteration = 0; iteration < ITERATIONS; iteration++) {
            for (int i = 0; i < count; i++) {
                own[rows[i]] += x[columns[i]] * values[i];
            }
            job.comm.Allreduce(own, 0, y, 0, n, MPI.DOUBLE, MPI.SUM);
        }
        double seconds = job.stopTimer();

        double total = 0;
        for (int i = 0; i < elements; i++) {
            total += y[allRows[i]];
        }
        boolean isRight = job.matches("total", total, TOTALS[job.index], TOLERANCE);
        job.report(Integer.toString(n), ITERATIONS, seconds, 2.0 * ITERATIONS * elements, "floating point", isRight);
    }
}
