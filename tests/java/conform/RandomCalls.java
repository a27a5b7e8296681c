// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Random;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Random collective calls on two communicators, one behind the other with no pause but here and there a rank that comes
 * late: what a call writes must not meet what another one still reads. All ranks draw the same plan from the same seed.
 */
final class RandomCalls {
    private static final int CALLS = Sizes.volume(3000);
    /** Of more than eight ranks, which wait for each other more than they compute. */
    private static final int CALLS_OF_MANY = 1000;
    private static final int MAX_BYTES = 40_000;
    private static final int HURRY_CALLS = 30;
    private static final int HURRY_ELEMENTS = 512;
    private static final Kind[] KINDS = {Kind.BYTE, Kind.CHAR, Kind.SHORT, Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE,
        Kind.BOOLEAN};

    private final Intracomm comm;
    private final Random random;
    private final Random delays;
    private final int rank;
    private final int size;
    private int number;

    private RandomCalls(Intracomm comm, long seed) {
        this.comm = comm;
        random = new Random(seed);
        delays = new Random(seed + comm.Rank());
        rank = comm.Rank();
        size = comm.Size();
    }

    static void run(Intracomm comm) throws InterruptedException {
        long[] seed = {Long.getLong("test.seed", System.nanoTime() & 0xffffff)};
        comm.Bcast(seed, 0, 1, MPI.LONG, 0);
        if (comm.Rank() == 0) {
            System.out.println("  random calls: -Dtest.seed=" + seed[0]);
        }
        Intracomm twin = comm.clone();
        RandomCalls[] both = {new RandomCalls(comm, seed[0]), new RandomCalls(twin, seed[0] + 1)};
        Random which = new Random(seed[0]);
        int total = comm.Size() > 8 ? CALLS_OF_MANY : CALLS;
        for (int i = 0; i < total; i++) {
            RandomCalls calls = both[which.nextInt(8) == 0 ? 1 : 0];
            if (which.nextInt(100) == 0) {
                calls.hurry();
            } else {
                calls.call();
            }
        }
        twin.Free();
    }

    /** One rank sends much more than the others, of which one is late, can keep up with. */
    private void hurry() throws InterruptedException {
        int root = random.nextInt(size);
        int late = random.nextInt(size);
        int each = 1 + random.nextInt(HURRY_ELEMENTS);
        if (rank == late) {
            Thread.sleep(2);
        }
        for (int i = 0; i < HURRY_CALLS; i++) {
            number++;
            bcast(Kind.INT, each, root);
        }
    }

    /** How long the data of all ranks together are: mostly near what is handled in another way. */
    private int bytes() {
        int[] edges = {48, 256, 2048, 4096, 32_768, MAX_BYTES};
        int edge = edges[random.nextInt(edges.length)];
        switch (random.nextInt(3)) {
        case 0:
            return edge;
        case 1:
            return Math.min(MAX_BYTES, edge + random.nextInt(64));
        default:
            return random.nextInt(edge);
        }
    }

    private long seed(int from, int to) {
        return number * 10_007L + from * 101L + to;
    }

    private void call() {
        number++;
        Kind kind = KINDS[random.nextInt(KINDS.length)];
        int bytes = bytes();
        int each = bytes / size / kind.bytes;
        int root = random.nextInt(size);
        if (delays.nextInt(20) == 0) {
            Thread.yield();
        }
        switch (random.nextInt(9)) {
        case 0:
            comm.Barrier();
            break;
        case 1:
            bcast(kind, bytes / kind.bytes, root);
            break;
        case 2:
            gather(kind, each, root);
            break;
        case 3:
            scatter(kind, each, root);
            break;
        case 4:
            allgather(kind, each);
            break;
        case 5:
        case 6:
            alltoall(kind, each);
            break;
        case 7:
            reduce(bytes / Long.BYTES, root);
            break;
        default:
            allreduce(bytes / Long.BYTES);
        }
    }

    private String what(String call, int count) {
        return call + " " + number + " of " + count + " elements";
    }

    /** A block for each rank. */
    private Object blocks(Kind kind, int each) {
        Object buffer = kind.make(1 + each * size);
        for (int to = 0; to < size; to++) {
            kind.fill(buffer, 1 + to * each, each, seed(rank, to));
        }
        return buffer;
    }

    private void bcast(Kind kind, int count, int root) {
        Object buffer = kind.make(count + 1);
        if (rank == root) {
            kind.fill(buffer, 1, count, seed(root, 0));
        }
        comm.Bcast(buffer, 1, count, kind.type, root);
        kind.verify(buffer, 1, count, seed(root, 0), what("Bcast", count));
    }

    private void gather(Kind kind, int each, int root) {
        Object in = kind.make(each * size);
        comm.Gather(kind.filled(each, seed(rank, 0)), 0, each, kind.type, in, 0, each, kind.type, root);
        for (int from = 0; from < size && rank == root; from++) {
            kind.verify(in, from * each, each, seed(from, 0), what("Gather", each));
        }
    }

    private void scatter(Kind kind, int each, int root) {
        Object in = kind.make(each);
        comm.Scatter(rank == root ? blocks(kind, each) : null, 1, each, kind.type, in, 0, each, kind.type, root);
        kind.verify(in, 0, each, seed(root, rank), what("Scatter", each));
    }

    private void allgather(Kind kind, int each) {
        Object in = kind.make(each * size);
        comm.Allgather(kind.filled(each, seed(rank, 0)), 0, each, kind.type, in, 0, each, kind.type);
        for (int from = 0; from < size; from++) {
            kind.verify(in, from * each, each, seed(from, 0), what("Allgather", each));
        }
    }

    private void alltoall(Kind kind, int each) {
        Object in = kind.make(each * size);
        comm.Alltoall(blocks(kind, each), 1, each, kind.type, in, 0, each, kind.type);
        for (int from = 0; from < size; from++) {
            kind.verify(in, from * each, each, seed(from, rank), what("Alltoall", each));
        }
    }

    private long[] values(int count) {
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = number + (long) i * (rank + 1);
        }
        return values;
    }

    private void verifySum(long[] sums, String what) {
        for (int i = 0; i < sums.length; i++) {
            Check.equal((long) number * size + (long) i * size * (size + 1) / 2, sums[i], what);
        }
    }

    private void reduce(int count, int root) {
        long[] in = new long[count];
        comm.Reduce(values(count), 0, in, 0, count, MPI.LONG, MPI.SUM, root);
        if (rank == root) {
            verifySum(in, what("Reduce", count));
        }
    }

    private void allreduce(int count) {
        long[] in = values(count);
        comm.Allreduce(number % 2 == 0 ? in : values(count), 0, in, 0, count, MPI.LONG, MPI.SUM);
        verifySum(in, what("Allreduce", count));
    }
}
