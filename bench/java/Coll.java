import mpi.MPI;

/**
 * The time of one collective between Java arrays, as in bench/c/coll.c: before each call every rank writes new numbers
 * into all that it is going to send, and the ranks meet in barriers, where they share cores after it too; none of it is
 * timed. How one figure is made of the times of all ranks is told there as well. Results are compared as there.
 * Arguments: the primitive, then sizes in bytes, multiples of 8. All numbers are double, reductions sum them.
 */
public final class Coll {
    private static final int TAG_TIME = 7;
    private static final int ROOT = 0;
    private static final int PERIOD = 64;
    private static final int TURNS = 1024;
    private static final int WARM_UP_CALLS = 20_000;
    // The first size waits for the compiler, too: a library that is slow, or that runs in many processes on few cores,
    // has made too few calls after less.
    private static final double FIRST_WARM_UP_SECONDS = 4;
    // The others until what was compiled for the size before, and thrown away, is compiled again: some 7000 calls.
    private static final double WARM_UP_SECONDS = 2;

    private final Bench bench;
    private final String primitive;
    private final int ranks = MPI.COMM_WORLD.Size();
    private final int count;
    private final boolean sendsToAll;
    private final boolean receivesFromAll;
    private final boolean isSum;
    private final double[] outgoing;
    private final double[] incoming;
    private final Runnable call;
    private int turn;

    private Coll(Bench bench, String primitive, int count) {
        this.bench = bench;
        this.primitive = primitive;
        this.count = count;
        sendsToAll = primitive.equals("alltoall");
        receivesFromAll = sendsToAll || primitive.equals("allgather");
        isSum = primitive.endsWith("reduce");
        outgoing = new double[count * (sendsToAll ? ranks : 1)];
        incoming = new double[count * (receivesFromAll ? ranks : 1)];
        call = chosen();
    }

    /** The call that is measured, chosen once: comparing names would be part of the figure. */
    private Runnable chosen() {
        int size = count;
        double[] own = primitive.equals("bcast") && bench.rank() != ROOT ? incoming : outgoing;
        switch (primitive) {
        case "barrier":
            return () -> MPI.COMM_WORLD.Barrier();
        case "bcast":
            return () -> MPI.COMM_WORLD.Bcast(own, 0, size, MPI.DOUBLE, ROOT);
        case "reduce":
            return () -> MPI.COMM_WORLD.Reduce(own, 0, incoming, 0, size, MPI.DOUBLE, MPI.SUM, ROOT);
        case "allreduce":
            return () -> MPI.COMM_WORLD.Allreduce(own, 0, incoming, 0, size, MPI.DOUBLE, MPI.SUM);
        case "allgather":
            return () -> MPI.COMM_WORLD.Allgather(own, 0, size, MPI.DOUBLE, incoming, 0, size, MPI.DOUBLE);
        case "alltoall":
            return () -> MPI.COMM_WORLD.Alltoall(own, 0, size, MPI.DOUBLE, incoming, 0, size, MPI.DOUBLE);
        default:
            throw new IllegalArgumentException("'" + primitive + "' is not a collective that is measured");
        }
    }

    /** Number i of a block is this plus i % PERIOD: different for every rank, block and turn, and exact in sums. */
    private double base(int from, int to) {
        return (double) (((long) (turn % TURNS * ranks + to) * ranks + from) * PERIOD);
    }

    private void fill() {
        if (primitive.equals("bcast") && bench.rank() != ROOT) {
            return;
        }
        for (int to = 0; to < (sendsToAll ? ranks : 1); to++) {
            double base = base(bench.rank(), to);
            for (int i = 0; i < count; i++) {
                outgoing[to * count + i] = base + i % PERIOD;
            }
        }
    }

    /** Compares the numbers from first to before end of every block of the result. */
    private void check(int first, int end) {
        boolean isRoot = bench.rank() == ROOT;
        if (primitive.equals("reduce") && !isRoot || primitive.equals("bcast") && isRoot) {
            return;
        }
        if (isSum) {
            double sum = 0;
            for (int from = 0; from < ranks; from++) {
                sum += base(from, 0);
            }
            checkBlock(0, sum, ranks, first, end);
            return;
        }
        for (int from = 0; from < (receivesFromAll ? ranks : 1); from++) {
            checkBlock(from, base(from, sendsToAll ? bench.rank() : 0), 1, first, end);
        }
    }

    private void checkBlock(int from, double base, int factor, int first, int end) {
        for (int i = first; i < end; i++) {
            double wanted = base + factor * (i % PERIOD);
            double got = incoming[from * count + i];
            if (got != wanted) {
                throw new IllegalStateException(primitive + " of " + count * Double.BYTES + " bytes, call " + turn
                        + ": rank " + bench.rank() + " has " + got + " instead of " + wanted + " as number " + i
                        + " from " + from);
            }
        }
    }

    private double batch(int calls) {
        long[] times = new long[2 * calls];
        for (int i = 0; i < calls; i++) {
            turn(times, 2 * i);
        }
        check(0, count);
        return total(times) * 1e-9;
    }

    /** One call. A method of its own: the compiler takes those sooner than it replaces a loop that is under way. */
    private void turn(long[] times, int at) {
        turn++;
        fill();
        meet();
        times[at] = System.nanoTime();
        call.run();
        times[at + 1] = System.nanoTime();
        if (ranks > bench.cores()) {
            MPI.COMM_WORLD.Barrier();
        }
        if (count > 0) {
            check(turn % count, turn % count + 1);
        }
    }

    /** As often as in bench/c/coll.c, for the reason told there. */
    private void meet() {
        MPI.COMM_WORLD.Barrier();
        if (ranks <= bench.cores()) {
            MPI.COMM_WORLD.Barrier();
        }
    }

    /**
     * Nanoseconds of all calls, on rank 0: the mean over the ranks where each has a core of its own, else from the first
     * rank's start to the last rank's end. All ranks are on one machine and read one clock.
     */
    private double total(long[] times) {
        if (bench.rank() != 0) {
            MPI.COMM_WORLD.Send(times, 0, times.length, MPI.LONG, 0, TAG_TIME);
            return 0;
        }
        long[] span = times.clone();
        long[] others = new long[times.length];
        long sum = spent(times);
        for (int peer = 1; peer < ranks; peer++) {
            MPI.COMM_WORLD.Recv(others, 0, others.length, MPI.LONG, peer, TAG_TIME);
            sum += spent(others);
            for (int i = 0; i < span.length; i += 2) {
                span[i] = Math.min(span[i], others[i]);
                span[i + 1] = Math.max(span[i + 1], others[i + 1]);
            }
        }
        return ranks > bench.cores() ? spent(span) : (double) sum / ranks;
    }

    private static long spent(long[] times) {
        long sum = 0;
        for (int i = 0; i < times.length; i += 2) {
            sum += times[i + 1] - times[i];
        }
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        String[] words = MPI.Init(arguments);
        Bench bench = new Bench();
        for (int i = 1; i < words.length; i++) {
            int size = Integer.parseInt(words[i]);
            Coll row = new Coll(bench, words[0], size / Double.BYTES);
            double warmUp = i == 1 ? FIRST_WARM_UP_SECONDS : WARM_UP_SECONDS;
            double call = bench.measure(row::batch, WARM_UP_CALLS, warmUp);
            bench.print("java-coll" + row.ranks + "-" + words[0], size, call * 1e6, "us");
        }
        MPI.Finalize();
    }
}
