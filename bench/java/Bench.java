// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;
import java.util.Locale;
import mpi.MPI;

/**
 * Warm-up, batches, printing, as in bench/c/bench.c, with one addition: the warm-up lasts until the compiler of the
 * virtual machine has surely seen the loop.
 */
final class Bench {
    /** The timed part: so many iterations on this rank; the seconds that rank 0 returns count. */
    interface Batch {
        double run(int iterations);
    }

    /** Of one iteration, in seconds; valid on rank 0. */
    static final class Time {
        final double minimum;
        final double median;
        final int samples;

        Time(double minimum, double median, int samples) {
            this.minimum = minimum;
            this.median = median;
            this.samples = samples;
        }
    }

    private static final int TAG_STEER = 1000;
    private static final int BATCHES_MIN = 5;
    private static final int WARM_UP_ITERATIONS = 50_000;
    // A library that is slow, or that runs in many processes on few cores, has made too few calls after less.
    private static final double FIRST_WARM_UP_SECONDS = 4;
    // Until what was compiled for the size before, and thrown away, is compiled again: some 7000 calls.
    private static final double WARM_UP_SECONDS = 2;
    // It is warm when so many batches in a row were no faster than the fastest before, but for noise.
    private static final int CALM_BATCHES = 5;
    private static final double CALM = 0.98;

    private final double budgetSeconds = setting("BENCH_MS", 200) / 1e3;
    private final int batches = (int) setting("BENCH_BATCHES", 20);
    private final double agree = setting("BENCH_AGREE", 0) / 100;
    private final int cores = (int) setting("BENCH_CORES", Runtime.getRuntime().availableProcessors());
    private final int[] order = new int[1];
    private final int rank = MPI.COMM_WORLD.Rank();

    int rank() {
        return rank;
    }

    /** So many cores do all ranks share; one of them may be bound to fewer. */
    int cores() {
        return cores;
    }

    static double now() {
        return System.nanoTime() * 1e-9;
    }

    private static double setting(String name, double fallback) {
        String text = System.getenv(name);
        return text == null || text.isEmpty() ? fallback : Double.parseDouble(text);
    }

    /** Measures on all ranks that take part. */
    Time measure(Case one, Batch batch) {
        if (rank != 0) {
            follow(batch);
            return null;
        }
        int iterations = warmUp(one, batch);
        double[] samples = new double[batches];
        int count = 0;
        double start = now();
        while (count < batches && (count < 3 || now() - start < 2 * budgetSeconds)) {
            samples[count++] = steer(one, batch, iterations) / iterations;
            Arrays.sort(samples, 0, count);
            if (count >= BATCHES_MIN && samples[count / 2] <= samples[0] * (1 + agree)) {
                break;
            }
        }
        steer(one, batch, 0);
        return new Time(samples[0], samples[count / 2], count);
    }

    /** How many iterations fill a batch. The warm-up ends after so many iterations, when times do not fall any more, or
     * seconds. */
    private int warmUp(Case one, Batch batch) {
        double start = now();
        double limit = one.isFirst ? FIRST_WARM_UP_SECONDS : WARM_UP_SECONDS;
        double batchSeconds = budgetSeconds / batches;
        double fastest = Double.MAX_VALUE;
        int iterations = 1;
        int calm = 0;
        for (long done = 0;;) {
            double each = steer(one, batch, iterations) / iterations;
            calm = each < fastest * CALM ? 0 : calm + 1;
            fastest = Math.min(fastest, each);
            done += iterations;
            iterations = (int) Math.max(1, Math.min(iterations * 8.0, Math.ceil(batchSeconds / Math.max(each, 1e-9))));
            double spent = now() - start;
            if (spent > limit || done >= WARM_UP_ITERATIONS && calm >= CALM_BATCHES && spent > 2 * batchSeconds) {
                return iterations;
            }
        }
    }

    private double steer(Case one, Batch batch, int iterations) {
        order[0] = iterations;
        for (int peer = 1; peer < one.ranks; peer++) {
            MPI.COMM_WORLD.Send(order, 0, 1, MPI.INT, peer, TAG_STEER);
        }
        return iterations > 0 ? batch.run(iterations) : 0;
    }

    private void follow(Batch batch) {
        for (;;) {
            MPI.COMM_WORLD.Recv(order, 0, 1, MPI.INT, 0, TAG_STEER);
            if (order[0] <= 0) {
                return;
            }
            batch.run(order[0]);
        }
    }

    /** Prints a time; so many messages or calls are in one iteration. On rank 0 only. */
    void print(Case one, Time time, double parts) {
        if (rank == 0) {
            print(one, "us", time.minimum / parts * 1e6, time.median / parts * 1e6, time.samples);
        }
    }

    void print(Case one, String unit, double minimum, double median, int samples) {
        if (rank == 0) {
            System.out.println(String.format(Locale.ROOT, "%s\t%s\t%s\t%d\t%s\t%.6g\t%.6g\t%d",
                    one.test, one.type, one.mode, one.size, unit, minimum, median, samples));
            System.out.flush();
        }
    }
}
