// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;

/**
 * FT: a partial differential equation solved by Fourier transforms in three dimensions: one forward, then for each time
 * step a product with exponentials and one backward.
 *
 * <p>A rank has planes of the box: at first planes of equal z, whose x and y directions it transforms; an all-to-all
 * makes them planes of equal y, whose z direction it transforms. That all-to-all moves the whole box in every step, and
 * is all that is sent but for a sum.
 */
public final class FT {
    private static final int[] NX = {64, 128, 256, 512, 512};
    private static final int[] NY = {64, 128, 256, 256, 512};
    private static final int[] NZ = {64, 32, 128, 256, 512};
    private static final int[] ITERATIONS = {6, 6, 6, 20, 20};
    private static final double ALPHA = 1e-6;
    private static final int BLOCK_ROWS = 16;
    private static final int TILE = 16; // elements of x that are turned at a time
    private static final int STRIP = 4096; // elements that a method takes at a time, see evolve
    private static final int CHECKED = 1024;

    private final Job job;
    private final int nx;
    private final int ny;
    private final int nz;
    private final int ownY; // rows of y here after the all-to-all, and planes of z before
    private final int ownZ;
    private final double[] spectrum; // [ownY][nx][nz]
    private final double[] factors; // of one time step, of the spectrum
    private double[] one;
    private double[] two;
    private FFT alongX;
    private FFT alongY;
    private FFT alongZ;

    private FT(Job job) {
        this.job = job;
        nx = NX[job.index];
        ny = NY[job.index];
        nz = NZ[job.index];
        ownY = ny / job.size;
        ownZ = nz / job.size;
        int elements = nx * ny * ownZ;
        spectrum = new double[2 * elements];
        one = new double[2 * elements];
        two = new double[2 * elements];
        factors = new double[elements];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "FT", args);
        if (job.index >= 0) {
            job.acceptsPowerOfTwo(Math.min(NY[job.index], NZ[job.index]));
        }
        job.run(() -> new FT(job).run());
    }

    private void run() {
        String size = String.format("%dx%dx%d", nx, ny, nz);
        int iterations = ITERATIONS[job.index];
        job.title(size, iterations);
        setUp(); // touches all memory and warms up; not timed
        forward();

        double[] sums = new double[2 * iterations];
        job.startTimer();
        setUp();
        forward();
        for (int step = 0; step < iterations; step++) {
            evolve();
            backward();
            checksum(sums, step);
            job.say(" T = %4d     Checksum = %22.12e %22.12e", step + 1, sums[2 * step], sums[2 * step + 1]);
        }
        double seconds = job.stopTimer();

        double total = (double) nx * ny * nz;
        double operations = total
                * (14.8157 + 7.19641 * Math.log(total) + (5.23518 + 7.21113 * Math.log(total)) * iterations);
        boolean isRight = FTChecksums.match(job.index, sums);
        job.report(size, iterations, seconds, operations, "floating point", isRight);
    }

    // ---- set-up -----------------------------------------------------------------------------------------------------

    private void setUp() {
        alongX = new FFT(nx, BLOCK_ROWS);
        alongY = new FFT(ny, BLOCK_ROWS);
        alongZ = new FFT(nz, BLOCK_ROWS);
        long plane = 2L * nx * ny;
        long x = Lcg.times(Lcg.SEED, Lcg.power(Lcg.A, plane * ownZ * job.rank));
        for (int i = 0; i < one.length; i += STRIP) {
            x = draw(one, i, Math.min(i + STRIP, one.length), x);
        }
        double[] ofX = decay(nx);
        double[] ofY = decay(ny);
        double[] ofZ = decay(nz);
        int at = 0;
        for (int j = 0; j < ownY; j++) {
            double y = ofY[job.rank * ownY + j];
            for (int i = 0; i < nx; i++) {
                double xy = y * ofX[i];
                for (int k = 0; k < nz; k++) {
                    factors[at++] = xy * ofZ[k];
                }
            }
        }
    }

    /** Fills a strip with the numbers after x; returns the last. */
    private static long draw(double[] array, int from, int to, long x) {
        for (int i = from; i < to; i++) {
            x = Lcg.next(x);
            array[i] = x * Lcg.SCALE;
        }
        return x;
    }

    /** exp(-4 alpha pi^2 k^2) of the wave numbers k of one direction, -n/2 to n/2. */
    private static double[] decay(int n) {
        double[] factors = new double[n];
        for (int i = 0; i < n; i++) {
            double k = (i + n / 2) % n - n / 2;
            factors[i] = Math.exp(-4 * ALPHA * Math.PI * Math.PI * k * k);
        }
        return factors;
    }

    // ---- the steps --------------------------------------------------------------------------------------------------

    /**
     * One time step more: the spectrum, and a copy of it to transform. Loops are in methods that are called often,
     * which are compiled whole; a compiler enters a long loop in its midst, and optimizes it less.
     */
    private void evolve() {
        for (int i = 0; i < factors.length; i += STRIP) {
            evolve(spectrum, factors, one, i, Math.min(i + STRIP, factors.length));
        }
    }

    private static void evolve(double[] spectrum, double[] factors, double[] copy, int from, int to) {
        for (int i = from; i < to; i++) {
            double factor = factors[i];
            double re = spectrum[2 * i] * factor;
            double im = spectrum[2 * i + 1] * factor;
            spectrum[2 * i] = re;
            spectrum[2 * i + 1] = im;
            copy[2 * i] = re;
            copy[2 * i + 1] = im;
        }
    }

    /** From `one`, planes of z, to the spectrum, planes of y. */
    private void forward() {
        for (int k = 0; k < ownZ; k++) {
            alongX.transform(one, k * nx * ny, ny, nx, 1, 1);
            alongY.transform(one, k * nx * ny, nx, 1, nx, 1);
        }
        toPlanesOfY();
        alongZ.transform(spectrum, 0, ownY * nx, nz, 1, 1);
    }

    /** From `one`, planes of y, to `one`, planes of z. */
    private void backward() {
        alongZ.transform(one, 0, ownY * nx, nz, 1, -1);
        toPlanesOfZ();
        for (int k = 0; k < ownZ; k++) {
            alongY.transform(one, k * nx * ny, nx, 1, nx, -1);
            alongX.transform(one, k * nx * ny, ny, nx, 1, -1);
        }
    }

    /** The sum of 1024 elements of `one`, scattered over the box. */
    private void checksum(double[] sums, int step) {
        double[] own = new double[2];
        double[] all = new double[2]; // MPJ Express adds up wrongly where a result does not begin at 0
        for (int j = 1; j <= CHECKED; j++) {
            int plane = 5 * j % nz - job.rank * ownZ;
            if (plane >= 0 && plane < ownZ) {
                int at = 2 * ((plane * ny + 3 * j % ny) * nx + j % nx);
                own[0] += one[at];
                own[1] += one[at + 1];
            }
        }
        double total = (double) nx * ny * nz;
        own[0] /= total;
        own[1] /= total;
        job.comm.Allreduce(own, 0, all, 0, 2, MPI.DOUBLE, MPI.SUM);
        System.arraycopy(all, 0, sums, 2 * step, 2);
    }

    // ---- the all-to-all ---------------------------------------------------------------------------------------------
    // What one rank sends to another is [ownY of the planes' rank][nx][ownZ of the other's].

    private void toPlanesOfY() {
        toRows(one, job.size > 1 ? two : spectrum);
        if (job.size == 1) {
            return;
        }
        int count = 2 * ownY * nx * ownZ;
        job.comm.Alltoall(two, 0, count, MPI.DOUBLE, one, 0, count, MPI.DOUBLE);
        int at = 0;
        for (int peer = 0; peer < job.size; peer++) {
            for (int row = 0; row < ownY * nx; row++) {
                System.arraycopy(one, at, spectrum, 2 * (row * nz + peer * ownZ), 2 * ownZ);
                at += 2 * ownZ;
            }
        }
    }

    private void toPlanesOfZ() {
        if (job.size > 1) {
            int at = 0;
            for (int peer = 0; peer < job.size; peer++) {
                for (int row = 0; row < ownY * nx; row++) {
                    System.arraycopy(one, 2 * (row * nz + peer * ownZ), two, at, 2 * ownZ);
                    at += 2 * ownZ;
                }
            }
            int count = 2 * ownY * nx * ownZ;
            job.comm.Alltoall(two, 0, count, MPI.DOUBLE, one, 0, count, MPI.DOUBLE);
        }
        fromRows(one, two);
        double[] swap = one;
        one = two;
        two = swap;
    }

    /** From planes of z to rows along z; a tile of x at a time, so that whole lines of the cache are read and
     * written. */
    private void toRows(double[] planes, double[] rows) {
        int plane = 2 * nx * ny;
        for (int first = 0; first < plane; first += 2 * TILE) {
            tileToRows(planes, first, plane, rows, ownZ);
        }
    }

    private static void tileToRows(double[] planes, int first, int plane, double[] rows, int ownZ) {
        for (int z = 0; z < ownZ; z++) {
            int at = z * plane + first;
            int row = first * ownZ + 2 * z;
            for (int x = 0; x < TILE; x++, at += 2, row += 2 * ownZ) {
                rows[row] = planes[at];
                rows[row + 1] = planes[at + 1];
            }
        }
    }

    private void fromRows(double[] rows, double[] planes) {
        int plane = 2 * nx * ny;
        for (int first = 0; first < plane; first += 2 * TILE) {
            tileFromRows(rows, planes, first, plane, ownZ);
        }
    }

    private static void tileFromRows(double[] rows, double[] planes, int first, int plane, int ownZ) {
        for (int z = 0; z < ownZ; z++) {
            int at = z * plane + first;
            int row = first * ownZ + 2 * z;
            for (int x = 0; x < TILE; x++, at += 2, row += 2 * ownZ) {
                planes[at] = rows[row];
                planes[at + 1] = rows[row + 1];
            }
        }
    }
}
