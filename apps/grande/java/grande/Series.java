// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import mpi.MPI;

/**
 * Series: the first n pairs of Fourier coefficients of (x + 1)^x on the interval from 0 to 2, each by the trapezoidal
 * rule with 1000 steps. Each rank computes some of them; rank 0 gathers all.
 */
public final class Series {
    private static final int[] SIZES = {10000, 100000, 1000000};
    private static final int STEPS = 1000;
    private static final double END = 2;
    private static final double[] FIRST = {2.8729524964837996, 0, 1.1161046676147888, -1.8819691893398025,
        0.34429060398168704, -1.1645642623320958, 0.15238898702519288, -0.8143461113044298};
    private static final double TOLERANCE = 1e-12;

    private final Job job;

    private Series(Job job) {
        this.job = job;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "Series", args);
        job.run(() -> new Series(job).run());
    }

    private void run() {
        int n = SIZES[job.index];
        int first = (int) ((long) n * job.rank / job.size);
        int count = (int) ((long) n * (job.rank + 1) / job.size) - first;
        double[] own = new double[2 * count];
        double[] all = new double[job.rank == 0 ? 2 * n : 0];
        int[] counts = new int[job.size];
        int[] starts = new int[job.size];
        for (int peer = 0; peer < job.size; peer++) {
            starts[peer] = 2 * (int) ((long) n * peer / job.size);
            counts[peer] = 2 * (int) ((long) n * (peer + 1) / job.size) - starts[peer];
        }
        job.title(Integer.toString(n), 1);

        job.startTimer();
        for (int i = 0; i < count; i++) {
            coefficients(first + i, own, 2 * i);
        }
        job.comm.Gatherv(own, 0, own.length, MPI.DOUBLE, all, 0, counts, starts, MPI.DOUBLE, 0);
        double seconds = job.stopTimer();

        boolean isRight = true;
        for (int i = 0; job.rank == 0 && i < FIRST.length; i++) {
            double error = Math.abs(all[i] - FIRST[i]);
            isRight &= error <= TOLERANCE;
            job.say(" %s coefficient %d: %.15f, error %.2e", i % 2 == 0 ? "cosine" : "sine", i / 2, all[i], error);
        }
        for (int i = 0; job.rank == 0 && i < all.length; i += 2) {
            isRight &= i == 0 || all[i + 1] != 0; // all have come
        }
        job.report(Integer.toString(n), 1, seconds, 2.0 * n, "coefficients", isRight);
    }

    /** The cosine and the sine coefficient of a frequency; powers dominate, and are computed for both at once. */
    private static void coefficients(int n, double[] out, int at) {
        double step = END / STEPS;
        double omega = Math.PI * n;
        double cosines = 0;
        double sines = 0;
        for (int i = 0; i <= STEPS; i++) {
            double x = i * step;
            double value = Math.pow(x + 1, x) * weight(i);
            cosines += value * Math.cos(omega * x);
            sines += value * Math.sin(omega * x);
        }
        out[at] = cosines * step / (n == 0 ? 2 : 1);
        out[at + 1] = sines * step;
    }

    /** The suite's rule leaves out the last point but one, and its values are what is compared with. */
    private static double weight(int i) {
        return i == 0 || i == STEPS ? 0.5 : i == STEPS - 1 ? 0 : 1;
    }
}
