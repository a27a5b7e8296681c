// SPDX-License-Identifier: Apache-2.0
package conform;

import java.io.File;
import java.io.IOException;
import java.util.Random;
import mpi.Intracomm;
import mpi.MPI;

/** Calls in which some ranks only write, and need not wait for others. */
final class OneWay {
    private static final int ROUNDS = Sizes.volume(3000);
    /** Doubles: around what a cache line, and what a rank's memory for short data, hold. */
    private static final int[] COUNTS = {1, 2, 5, 6, 7, 33, 128, 255, 256, 257, 300};

    private static final int LATE_MS = 20;
    /** For what would never happen; a busy machine is slow. */
    private static final long PATIENCE_MS = 600_000;

    private OneWay() {
    }

    private static double value(int rank, int round, int i) {
        return rank * 1e6 + round * 10 + i;
    }

    private static double[] values(int rank, int round, int count) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = value(rank, round, i);
        }
        return values;
    }

    /** The writers run ahead as far as they can, and calls of all sorts come in between. */
    static void ahead(Intracomm comm) {
        Random random = new Random(7);
        for (int round = 0; round < ROUNDS; round++) {
            int count = COUNTS[random.nextInt(COUNTS.length)];
            int root = random.nextInt(comm.Size());
            switch (random.nextInt(8)) {
            case 0:
                allgather(comm, round, count);
                break;
            case 1:
                alltoall(comm, round, count);
                break;
            case 2:
                comm.Barrier();
                break;
            case 3:
            case 4:
                bcast(comm, round, count, root);
                break;
            default:
                reduce(comm, round, count, root);
            }
        }
    }

    private static void bcast(Intracomm comm, int round, int count, int root) {
        double[] data = comm.Rank() == root ? values(root, round, count) : new double[count];
        comm.Bcast(data, 0, count, MPI.DOUBLE, root);
        for (int i = 0; i < count; i++) {
            if (data[i] != value(root, round, i)) {
                throw new AssertionError("Bcast " + round + " of " + count + ": number " + i + " is " + data[i]);
            }
        }
    }

    private static void reduce(Intracomm comm, int round, int count, int root) {
        double[] sums = comm.Rank() == root ? new double[count] : null;
        comm.Reduce(values(comm.Rank(), round, count), 0, sums, 0, count, MPI.DOUBLE, MPI.SUM, root);
        for (int i = 0; sums != null && i < count; i++) {
            double wanted = 0;
            for (int rank = 0; rank < comm.Size(); rank++) {
                wanted += value(rank, round, i);
            }
            if (sums[i] != wanted) {
                throw new AssertionError("Reduce " + round + " of " + count + ": number " + i + " is " + sums[i]
                        + " instead of " + wanted);
            }
        }
    }

    private static void allgather(Intracomm comm, int round, int count) {
        double[] all = new double[comm.Size() * count];
        comm.Allgather(values(comm.Rank(), round, count), 0, count, MPI.DOUBLE, all, 0, count, MPI.DOUBLE);
        for (int i = 0; i < all.length; i++) {
            if (all[i] != value(i / count, round, i % count)) {
                throw new AssertionError("Allgather " + round + ": number " + i);
            }
        }
    }

    private static void alltoall(Intracomm comm, int round, int count) {
        double[] all = new double[comm.Size() * count];
        int own = comm.Rank() * count;
        comm.Alltoall(values(comm.Rank(), round, all.length), 0, count, MPI.DOUBLE, all, 0, count, MPI.DOUBLE);
        for (int i = 0; i < all.length; i++) {
            if (all[i] != value(i / count, round, own + i % count)) {
                throw new AssertionError("Alltoall " + round + ": number " + i);
            }
        }
    }

    /**
     * A rank that waits sleeps when the others write, and is woken then, not by their next call: there is none before
     * it has gone on, which they see in a file. On a busy machine it may not sleep yet when they write, which is well,
     * too.
     */
    static void late(Intracomm comm) throws IOException, InterruptedException {
        if (comm.Size() == 1) {
            return;
        }
        Object[] file = {comm.Rank() == 0 ? File.createTempFile("late", null) : null};
        comm.Bcast(file, 0, 1, MPI.OBJECT, 0);
        for (int i = 0; i < 4; i++) {
            comm.Allreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, MPI.SUM);
        }
        int[] sum = new int[1];
        if (comm.Rank() != 0) {
            Thread.sleep(LATE_MS);
        }
        comm.Reduce(new int[] {comm.Rank()}, 0, sum, 0, 1, MPI.INT, MPI.SUM, 0);
        if (comm.Rank() == 0) {
            Check.equal(comm.Size() * (comm.Size() - 1) / 2, sum[0], "a late Reduce");
            Check.that(((File) file[0]).delete(), "the file is not there any more");
        }
        for (long begin = System.nanoTime(); ((File) file[0]).exists(); Thread.sleep(1)) {
            Check.that((System.nanoTime() - begin) / 1_000_000 < PATIENCE_MS,
                    "Reduce does not end before the next call");
        }
    }
}
