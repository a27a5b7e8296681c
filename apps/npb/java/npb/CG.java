// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;
import mpi.Request;

/**
 * CG: the smallest eigenvalue of a large sparse matrix by inverse iteration; each linear system is solved, roughly, by
 * 25 steps of the conjugate gradient method.
 *
 * <p>The ranks form a grid with as many columns as rows, or twice as many. A rank has one block of the matrix, and of
 * each vector the part that belongs to its columns. A product leaves partial sums, which the ranks of a grid row add up
 * by exchanging with partners at distances 1, 2, 4, ...; the sum belongs to the block's rows, and an exchange with the
 * transposed place of the grid makes it belong to the columns again. These vectors are nearly all that is sent.
 */
public final class CG {
    private static final int[] SIZES = {1400, 7000, 14000, 75000, 150000};
    private static final int[] NONZEROS = {7, 8, 11, 13, 15};
    private static final int[] ITERATIONS = {15, 15, 15, 75, 75};
    private static final double[] SHIFTS = {10, 12, 20, 60, 110};
    private static final double[] ZETAS = {8.5971775078648, 10.362595087124, 17.130235054029, 22.712745482631,
        28.973605592845};
    private static final double TOLERANCE = 1e-10;
    private static final int STEPS = 25;
    private static final int MOST_RANKS = 1024;

    private static final int TAG_SUM = 1;
    private static final int TAG_TRANSPOSE = 2;
    private static final int TAG_DOT = 3;

    private final Job job;
    private final int n;
    private final int gridRows;
    private final int gridColumns;
    private final int gridRow;
    private final int gridColumn;

    private CGMatrix matrix;
    private int rows;    // of this rank's block
    private int columns; // of this rank's block, and elements of each vector here
    private double[] x;
    private double[] z;
    private double[] p;
    private double[] q;
    private double[] r;
    private double[] sum;     // of the rows, partial at first
    private double[] arrived; // partial sums of another rank
    private final double[] own = new double[2];
    private final double[] other = new double[2];

    private CG(Job job) {
        int log = Integer.numberOfTrailingZeros(job.size);
        this.job = job;
        n = SIZES[job.index];
        gridColumns = 1 << (log + 1) / 2;
        gridRows = 1 << log / 2;
        gridRow = job.rank / gridColumns;
        gridColumn = job.rank % gridColumns;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "CG", args);
        job.acceptsPowerOfTwo(MOST_RANKS);
        job.run(() -> new CG(job).run());
    }

    private void run() {
        int iterations = ITERATIONS[job.index];
        int nonzeros = NONZEROS[job.index];
        double shift = SHIFTS[job.index];
        job.title(Integer.toString(n), iterations);
        setUp(nonzeros, shift);

        iterate(shift); // touches all memory and warms up; not timed
        java.util.Arrays.fill(x, 1);
        double zeta = 0;
        job.startTimer();
        for (int i = 1; i <= iterations; i++) {
            double residual = solve();
            zeta = normalize(shift);
            job.say(" %5d       %20.14e %20.13f", i, residual, zeta);
        }
        double seconds = job.stopTimer();

        boolean isRight = job.matches("zeta", zeta, ZETAS[job.index], TOLERANCE);
        double perRow = nonzeros * (nonzeros + 1.0);
        double operations = 2.0 * iterations * n * (3 + perRow + STEPS * (5 + perRow) + 3);
        job.report(Integer.toString(n), iterations, seconds, operations, "floating point", isRight);
    }

    // ---- the grid of ranks ------------------------------------------------------------------------------------------

    /** The first matrix column of a grid column. */
    private int columnStart(int column) {
        return (int) ((long) n * column / gridColumns);
    }

    /** Blocks have the rows of one or two grid columns, so that a part of a sum is a part of a vector. */
    private int rowStart(int row) {
        return columnStart(row * (gridColumns / gridRows));
    }

    private void setUp(int nonzeros, double shift) {
        int firstRow = rowStart(gridRow);
        int firstColumn = columnStart(gridColumn);
        rows = rowStart(gridRow + 1) - firstRow;
        columns = columnStart(gridColumn + 1) - firstColumn;
        matrix = new CGMatrix(n, nonzeros, shift, firstRow, rows, firstColumn, columns);
        x = new double[columns];
        z = new double[columns];
        p = new double[columns];
        q = new double[columns];
        r = new double[columns];
        sum = new double[rows];
        arrived = new double[rows];
        java.util.Arrays.fill(x, 1);
    }

    // ---- the method -------------------------------------------------------------------------------------------------

    private void iterate(double shift) {
        solve();
        normalize(shift);
    }

    /** Solves A z = x, roughly; returns the norm of the residual. */
    private double solve() {
        double[] x = this.x;
        double[] z = this.z;
        double[] p = this.p;
        double[] q = this.q;
        double[] r = this.r;
        int length = columns;
        double rho = 0;
        for (int j = 0; j < length; j++) {
            double value = x[j];
            z[j] = 0;
            r[j] = value;
            p[j] = value;
            rho += value * value;
        }
        rho = addUp(rho);
        for (int step = 0; step < STEPS; step++) {
            multiply(p, q);
            double alpha = rho / addUp(dot(p, q, length));
            double next = 0;
            for (int j = 0; j < length; j++) {
                double value = r[j] - alpha * q[j];
                z[j] += alpha * p[j];
                r[j] = value;
                next += value * value;
            }
            next = addUp(next);
            double beta = next / rho;
            rho = next;
            for (int j = 0; j < length; j++) {
                p[j] = r[j] + beta * p[j];
            }
        }
        multiply(z, r);
        double squares = 0;
        for (int j = 0; j < length; j++) {
            double difference = x[j] - r[j];
            squares += difference * difference;
        }
        return Math.sqrt(addUp(squares));
    }

    /** x = z / |z|; returns the estimate of the eigenvalue. */
    private double normalize(double shift) {
        own[0] = dot(x, z, columns);
        own[1] = dot(z, z, columns);
        addUpOwn(2);
        double zeta = shift + 1 / own[0];
        double factor = 1 / Math.sqrt(own[1]);
        for (int j = 0; j < columns; j++) {
            x[j] = factor * z[j];
        }
        return zeta;
    }

    private static double dot(double[] a, double[] b, int length) {
        double sum = 0;
        for (int j = 0; j < length; j++) {
            sum += a[j] * b[j];
        }
        return sum;
    }

    // ---- communication ----------------------------------------------------------------------------------------------

    private int partner(int distance) {
        return gridRow * gridColumns + (gridColumn ^ distance);
    }

    /** The sum over the ranks of this grid row, which have all parts of a vector. */
    private double addUp(double value) {
        own[0] = value;
        addUpOwn(1);
        return own[0];
    }

    private void addUpOwn(int count) {
        for (int distance = 1; distance < gridColumns; distance *= 2) {
            Request request = job.comm.Irecv(other, 0, count, MPI.DOUBLE, partner(distance), TAG_DOT);
            job.comm.Send(own, 0, count, MPI.DOUBLE, partner(distance), TAG_DOT);
            request.Wait();
            for (int i = 0; i < count; i++) {
                own[i] += other[i];
            }
        }
    }

    /** to = A from. */
    private void multiply(double[] from, double[] to) {
        double[] sum = this.sum;
        double[] arrived = this.arrived;
        matrix.multiply(from, sum);
        for (int distance = 1; distance < gridColumns; distance *= 2) {
            Request request = job.comm.Irecv(arrived, 0, rows, MPI.DOUBLE, partner(distance), TAG_SUM);
            job.comm.Send(sum, 0, rows, MPI.DOUBLE, partner(distance), TAG_SUM);
            request.Wait();
            for (int j = 0; j < rows; j++) {
                sum[j] += arrived[j];
            }
        }
        transpose(to);
    }

    /** Brings the part of a sum that belongs to each rank's columns there. */
    private void transpose(double[] to) {
        int ratio = gridColumns / gridRows;
        int part = gridColumn % ratio;
        int sentColumn = gridRow * ratio + part;
        int offset = columnStart(sentColumn) - rowStart(gridRow);
        int count = columnStart(sentColumn + 1) - columnStart(sentColumn);
        int peer = gridColumn / ratio * gridColumns + sentColumn;
        if (peer == job.rank) {
            System.arraycopy(sum, offset, to, 0, columns);
            return;
        }
        Request request = job.comm.Irecv(to, 0, columns, MPI.DOUBLE, peer, TAG_TRANSPOSE);
        job.comm.Send(sum, offset, count, MPI.DOUBLE, peer, TAG_TRANSPOSE);
        request.Wait();
    }
}
