// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;
import mpi.MPI;

/**
 * The time of one collective call between Java arrays, apart and in a row, as in bench/c/coll.c, which tells what is
 * timed, how one time is made of the times of all ranks, and how results are compared.
 */
final class Collective {
    static final String[] NAMES = {"barrier", "bcast", "gather", "gatherv", "scatter", "scatterv",
        "allgather", "allgatherv", "alltoall", "alltoallv", "reduce", "allreduce", "reduce_scatter", "scan"};

    private static final int TAG_TIME = 7;
    private static final int ROOT = 0;
    private static final int PERIOD = 64;
    private static final int TURNS = 16;

    private final Case one;
    private final int rank;
    private final int ranks;
    private final int count;
    private final boolean sendsToAll;
    private final boolean receivesFromAll;
    private final boolean isSum;
    private final boolean isScan;
    private final boolean rootSends;
    private final boolean rootGets;
    private final Message outgoing;
    private final Message incoming;
    private final int[] counts;
    private final int[] starts;
    private final Runnable call;
    private int turn;

    private Collective(Case one) {
        String name = one.test;
        this.one = one;
        rank = one.rank();
        ranks = one.ranks;
        sendsToAll = name.startsWith("alltoall") || name.startsWith("scatter") || name.equals("reduce_scatter");
        receivesFromAll = name.startsWith("alltoall") || name.contains("gather");
        isScan = name.equals("scan");
        isSum = isScan || name.contains("reduce");
        rootSends = name.equals("bcast") || name.startsWith("scatter");
        rootGets = name.equals("reduce") || name.startsWith("gather");
        outgoing = new Message(one, sendsToAll ? ranks : 1);
        incoming = new Message(one, receivesFromAll ? ranks : 1);
        count = outgoing.count;
        counts = new int[ranks];
        starts = new int[ranks];
        Arrays.fill(counts, count);
        Arrays.setAll(starts, i -> i * count);
        call = chosen();
    }

    /** The call that is measured, chosen once: comparing names would be part of the time. */
    private Runnable chosen() {
        Object out = one.test.equals("bcast") && rank != ROOT ? incoming.buffer : outgoing.buffer;
        Object in = incoming.buffer;
        mpi.Datatype type = outgoing.datatype;
        switch (one.test) {
        case "barrier":
            return () -> MPI.COMM_WORLD.Barrier();
        case "bcast":
            return () -> MPI.COMM_WORLD.Bcast(out, 0, count, type, ROOT);
        case "gather":
            return () -> MPI.COMM_WORLD.Gather(out, 0, count, type, in, 0, count, type, ROOT);
        case "gatherv":
            return () -> MPI.COMM_WORLD.Gatherv(out, 0, count, type, in, 0, counts, starts, type, ROOT);
        case "scatter":
            return () -> MPI.COMM_WORLD.Scatter(out, 0, count, type, in, 0, count, type, ROOT);
        case "scatterv":
            return () -> MPI.COMM_WORLD.Scatterv(out, 0, counts, starts, type, in, 0, count, type, ROOT);
        case "allgather":
            return () -> MPI.COMM_WORLD.Allgather(out, 0, count, type, in, 0, count, type);
        case "allgatherv":
            return () -> MPI.COMM_WORLD.Allgatherv(out, 0, count, type, in, 0, counts, starts, type);
        case "alltoall":
            return () -> MPI.COMM_WORLD.Alltoall(out, 0, count, type, in, 0, count, type);
        case "alltoallv":
            return () -> MPI.COMM_WORLD.Alltoallv(out, 0, counts, starts, type, in, 0, counts, starts, type);
        case "reduce":
            return () -> MPI.COMM_WORLD.Reduce(out, 0, in, 0, count, type, MPI.SUM, ROOT);
        case "allreduce":
            return () -> MPI.COMM_WORLD.Allreduce(out, 0, in, 0, count, type, MPI.SUM);
        case "reduce_scatter":
            return () -> MPI.COMM_WORLD.Reduce_scatter(out, 0, in, 0, counts, type, MPI.SUM);
        case "scan":
            return () -> MPI.COMM_WORLD.Scan(out, 0, in, 0, count, type, MPI.SUM);
        default:
            throw new IllegalArgumentException("'" + one.test + "' is not a collective that is measured");
        }
    }

    // ---- numbers

    /** Number i of a block is this plus i % PERIOD: different for every rank, block and turn, and exact in sums. */
    private long base(int from, int to) {
        return ((long) (turn % TURNS * ranks + to) * ranks + from) * PERIOD;
    }

    private void fill() {
        if (rootSends && rank != ROOT) {
            return;
        }
        for (int to = 0; to < (sendsToAll ? ranks : 1); to++) {
            long base = base(rank, to);
            int start = to * count;
            if (outgoing.buffer instanceof double[]) {
                double[] numbers = (double[]) outgoing.buffer;
                for (int i = 0; i < count; i++) {
                    numbers[start + i] = base + i % PERIOD;
                }
            } else if (outgoing.buffer instanceof int[]) {
                int[] numbers = (int[]) outgoing.buffer;
                for (int i = 0; i < count; i++) {
                    numbers[start + i] = (int) (base + i % PERIOD);
                }
            } else if (outgoing.buffer instanceof byte[]) {
                byte[] numbers = (byte[]) outgoing.buffer;
                for (int i = 0; i < count; i++) {
                    numbers[start + i] = (byte) (base + i % PERIOD);
                }
            } else {
                one.fail("measures collectives of byte, int and double");
            }
        }
    }

    private boolean isAt(int index, long wanted) {
        if (incoming.buffer instanceof double[]) {
            return ((double[]) incoming.buffer)[index] == wanted;
        }
        return incoming.buffer instanceof int[] ? ((int[]) incoming.buffer)[index] == (int) wanted
                : ((byte[]) incoming.buffer)[index] == (byte) wanted;
    }

    private void checkBlock(int from, long base, int factor, int first, int end) {
        for (int i = first; i < end; i++) {
            if (!isAt(from * count + i, base + (long) factor * (i % PERIOD))) {
                one.fail("has a wrong number " + i + " from " + from + " after call " + turn);
            }
        }
    }

    /** Compares the numbers from first to before end of every block of the result. */
    private void check(int first, int end) {
        if (rootGets && rank != ROOT || one.test.equals("bcast") && rank == ROOT) {
            return;
        }
        if (isSum) {
            int summed = isScan ? rank + 1 : ranks;
            long sum = 0;
            for (int from = 0; from < summed; from++) {
                sum += base(from, sendsToAll ? rank : 0);
            }
            checkBlock(0, sum, summed, first, end);
            return;
        }
        for (int from = 0; from < (receivesFromAll ? ranks : 1); from++) {
            checkBlock(from, base(from, sendsToAll ? rank : 0), 1, first, end);
        }
    }

    // ---- measuring

    private void meet() {
        MPI.COMM_WORLD.Barrier();
        if (ranks <= one.bench.cores()) {
            MPI.COMM_WORLD.Barrier();
        }
    }

    private double apartBatch(int calls) {
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
        if (ranks > one.bench.cores()) {
            MPI.COMM_WORLD.Barrier();
        }
        if (count > 0) {
            check(turn % count, turn % count + 1);
        }
    }

    private double rowBatch(int calls) {
        turn++;
        fill();
        meet();
        double start = Bench.now();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        MPI.COMM_WORLD.Barrier();
        double took = Bench.now() - start;
        check(0, count);
        return took;
    }

    /**
     * Nanoseconds of all calls, on rank 0: the mean over the ranks where each has a core of its own, else from the
     * first rank's start to the last rank's end. All ranks are on one machine and read one clock.
     */
    private double total(long[] times) {
        if (rank != 0) {
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
        return ranks > one.bench.cores() ? spent(span) : (double) sum / ranks;
    }

    private static long spent(long[] times) {
        long sum = 0;
        for (int i = 0; i < times.length; i += 2) {
            sum += times[i + 1] - times[i];
        }
        return sum;
    }

    static void run(Case one) {
        Collective collective = new Collective(one);
        Bench.Batch batch = one.mode.equals("row") ? collective::rowBatch : collective::apartBatch;
        one.bench.print(one, one.bench.measure(one, batch), 1);
    }
}
