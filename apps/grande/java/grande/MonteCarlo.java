// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.Random;
import mpi.MPI;

/**
 * MonteCarlo: what a share yields. Drift and volatility are estimated from a series of rates, which is made here; paths
 * of 1000 days are then drawn with them, and each yields an estimate of the rate of return. Each rank draws some of the
 * paths; rank 0 gathers their rates and takes the mean.
 */
public final class MonteCarlo {
    private static final int[] PATHS = {2000, 60000};
    private static final int DAYS = 1000;
    private static final double DAY = 1.0 / 365;
    private static final double TRUE_DRIFT = 0.07; // of the series, a year
    private static final double TRUE_VOLATILITY = 0.2;
    private static final long SERIES_SEED = 20030901;
    private static final long PATH_SEED = 11;
    // Values of this program on one rank, since the series is its own; that the mean is near the known one is apart
    // from them.
    private static final double[] RATES = {-4.0798198958112e-02, -3.8805705090202e-02};
    private static final double TOLERANCE = 1e-12;
    private static final double DEVIATIONS = 4; // of the mean, which is known

    private final Job job;
    private double drift;
    private double volatility;

    private MonteCarlo(Job job) {
        this.job = job;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "MonteCarlo", args);
        job.accepts(job.index < PATHS.length, "class is '" + job.letter + "'; its classes are A and B");
        job.run(() -> new MonteCarlo(job).run());
    }

    private void run() {
        int paths = PATHS[job.index];
        int first = paths * job.rank / job.size;
        int[] counts = new int[job.size];
        int[] starts = new int[job.size];
        for (int peer = 0; peer < job.size; peer++) {
            starts[peer] = paths * peer / job.size;
            counts[peer] = paths * (peer + 1) / job.size - starts[peer];
        }
        double[] own = new double[counts[job.rank]];
        double[] all = new double[job.rank == 0 ? paths : 0];
        job.title(Integer.toString(paths), 1);
        estimate(series());

        job.startTimer();
        for (int i = 0; i < own.length; i++) {
            own[i] = rate(first + i);
        }
        job.comm.Gatherv(own, 0, own.length, MPI.DOUBLE, all, 0, counts, starts, MPI.DOUBLE, 0);
        double seconds = job.stopTimer();

        boolean isRight = true;
        if (job.rank == 0) {
            double sum = 0;
            for (double rate : all) {
                sum += rate;
            }
            double mean = sum / paths;
            double deviation = volatility / Math.sqrt(DAYS * DAY * paths);
            job.say(" mean %.4f, of the series %.4f, standard deviation %.4f", mean, drift, deviation);
            isRight = Math.abs(mean - drift) <= DEVIATIONS * deviation;
            isRight &= job.matches("rate", mean, RATES[job.index], TOLERANCE);
        }
        job.report(Integer.toString(paths), 1, seconds, (double) paths * DAYS, "days", isRight);
    }

    /** Prices of a share on so many days: logarithms walk at random. */
    private static double[] series() {
        Random random = new Random(SERIES_SEED);
        double[] prices = new double[DAYS + 1];
        prices[0] = 100;
        for (int day = 1; day <= DAYS; day++) {
            prices[day] = prices[day - 1] * Math.exp((TRUE_DRIFT - 0.5 * TRUE_VOLATILITY * TRUE_VOLATILITY) * DAY
                    + TRUE_VOLATILITY * Math.sqrt(DAY) * random.nextGaussian());
        }
        return prices;
    }

    /** What the series shows: the mean and the variance of its logarithms' steps. */
    private void estimate(double[] prices) {
        double sum = 0;
        double squares = 0;
        for (int day = 1; day <= DAYS; day++) {
            double step = Math.log(prices[day] / prices[day - 1]);
            sum += step;
            squares += step * step;
        }
        double mean = sum / DAYS;
        double variance = (squares / DAYS - mean * mean) / DAY;
        volatility = Math.sqrt(variance);
        drift = mean / DAY + 0.5 * variance;
    }

    /** The rate of return that one path shows. Each path has numbers of its own, so that no rank has others than
     * another would. */
    private double rate(int path) {
        Random random = new Random(PATH_SEED * path);
        double mean = (drift - 0.5 * volatility * volatility) * DAY;
        double spread = volatility * Math.sqrt(DAY);
        double end = 0;
        for (int day = 0; day < DAYS; day++) {
            end += mean + spread * random.nextGaussian();
        }
        return end / (DAYS * DAY) + 0.5 * volatility * volatility;
    }
}
