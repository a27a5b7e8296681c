// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;

/**
 * EP, embarrassingly parallel: pairs of normal deviates by the polar method of Marsaglia, counted by the square ring
 * they fall into. The ranks meet once, in the sums at the end.
 */
public final class EP {
    private static final int[] LOG_PAIRS = {24, 25, 28, 30, 32};
    private static final int LOG_BATCH = 16;
    private static final int RINGS = 10;
    private static final long EP_SEED = 271828183L;
    private static final double[] SUM_X = {-3.247834652034740e+3, -2.863319731645753e+3, -4.295875165629892e+3,
        4.033815542441498e+4, 4.764367927995374e+4};
    private static final double[] SUM_Y = {-6.958407078382297e+3, -6.320053679109499e+3, -1.580732573678431e+4,
        -2.660669192809235e+4, -8.084072988043731e+4};
    private static final double TOLERANCE = 1e-8;

    private final Job job;
    private final double[] counts = new double[RINGS];
    private double sumX;
    private double sumY;

    private EP(Job job) {
        this.job = job;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "EP", args);
        job.run(() -> new EP(job).run());
    }

    private void run() {
        int log = LOG_PAIRS[job.index];
        String size = String.format("%.0f", Math.pow(2, log + 1));
        long batches = 1L << (log - LOG_BATCH);
        job.title(size, 0);

        job.startTimer();
        long last = batches * (job.rank + 1) / job.size;
        for (long batch = batches * job.rank / job.size; batch < last; batch++) {
            pairs(Lcg.times(EP_SEED, Lcg.power(Lcg.A, batch << (LOG_BATCH + 1))), 1 << LOG_BATCH);
        }
        double[] own = new double[RINGS + 2];
        double[] all = new double[RINGS + 2];
        System.arraycopy(counts, 0, own, 0, RINGS);
        own[RINGS] = sumX;
        own[RINGS + 1] = sumY;
        job.comm.Allreduce(own, 0, all, 0, own.length, MPI.DOUBLE, MPI.SUM);
        double seconds = job.stopTimer();

        double pairs = 0;
        for (int ring = 0; ring < RINGS; ring++) {
            pairs += all[ring];
        }
        job.say(" No. Gaussian pairs = %.0f", pairs);
        for (int ring = 0; ring < RINGS; ring++) {
            job.say(" %2d %15.0f", ring, all[ring]);
        }
        boolean isRight = job.matches("sum of x", all[RINGS], SUM_X[job.index], TOLERANCE);
        isRight &= job.matches("sum of y", all[RINGS + 1], SUM_Y[job.index], TOLERANCE);
        job.report(size, 0, seconds, Math.pow(2, log + 1), "Random numbers generated", isRight);
    }

    /** So many pairs of the random sequence after x. */
    private void pairs(long x, int count) {
        double x0 = 0;
        double y0 = 0;
        for (int i = 0; i < count; i++) {
            x = Lcg.next(x);
            double x1 = 2 * Lcg.SCALE * x - 1;
            x = Lcg.next(x);
            double x2 = 2 * Lcg.SCALE * x - 1;
            double t = x1 * x1 + x2 * x2;
            if (t <= 1) {
                double factor = Math.sqrt(-2 * Log.log(t) / t);
                double gaussX = x1 * factor;
                double gaussY = x2 * factor;
                counts[(int) Math.max(Math.abs(gaussX), Math.abs(gaussY))]++;
                x0 += gaussX;
                y0 += gaussY;
            }
        }
        sumX += x0;
        sumY += y0;
    }
}
