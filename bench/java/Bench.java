import mpi.MPI;

/**
 * What the Java benchmarks share: warm-up, batches, printing. It does what bench/c/bench.c does, with one addition:
 * the warm-up lasts until the compiler of the virtual machine has surely seen the loop.
 */
final class Bench {
    /** The timed part: so many iterations on this rank; the seconds that rank 0 returns count. */
    interface Batch {
        double run(int iterations);
    }

    private static final int TAG_STEER = 1000;

    private final double budgetSeconds = setting("BENCH_MS", 200) / 1e3;
    private final int batches = (int) setting("BENCH_BATCHES", 20);
    private final int cores = (int) setting("BENCH_CORES", Runtime.getRuntime().availableProcessors());
    private final int[] order = new int[1];
    private final int rank;

    Bench() {
        rank = MPI.COMM_WORLD.Rank();
        if (MPI.COMM_WORLD.Size() < 2) {
            throw new IllegalStateException("the benchmark needs 2 ranks, was started with 1");
        }
    }

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

    private static long setting(String name, long fallback) {
        String text = System.getenv(name);
        return text == null || text.isEmpty() ? fallback : Long.parseLong(text);
    }

    /**
     * Seconds an iteration took in the best batch, on rank 0. The warm-up ends after so many iterations or seconds,
     * whichever comes first.
     */
    double measure(Batch batch, int warmUpIterations, double warmUpSeconds) {
        if (rank != 0) {
            follow(batch);
            return 0;
        }
        double start = now();
        double batchSeconds = budgetSeconds / batches;
        int iterations = 1;
        long done = 0;
        double each;
        for (;;) {
            each = steer(batch, iterations) / iterations;
            done += iterations;
            iterations = (int) Math.max(1, Math.min(iterations * 8.0, Math.ceil(batchSeconds / Math.max(each, 1e-9))));
            double spent = now() - start;
            if (spent > warmUpSeconds || done >= warmUpIterations && spent > 2 * batchSeconds) {
                break;
            }
        }
        double best = Double.MAX_VALUE;
        start = now();
        for (int i = 0; i < batches && (i < 3 || now() - start < 2 * budgetSeconds); i++) {
            best = Math.min(best, steer(batch, iterations) / iterations);
        }
        steer(batch, 0);
        return best;
    }

    private double steer(Batch batch, int iterations) {
        order[0] = iterations;
        for (int peer = 1; peer < MPI.COMM_WORLD.Size(); peer++) {
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

    /** One result: name, size, value and unit with tabs between, on rank 0 only. */
    void print(String name, int size, double value, String unit) {
        if (rank == 0) {
            System.out.println(String.format(java.util.Locale.ROOT, "%s\t%d\t%.4f\t%s", name, size, value, unit));
            System.out.flush();
        }
    }
}
