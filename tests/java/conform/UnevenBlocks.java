// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;

/** Blocks of very different lengths in one call: a long one goes in pieces while the short ones are long through. */
final class UnevenBlocks {
    private static final int SHORT = 10;

    private UnevenBlocks() {
    }

    static void uneven(Intracomm comm) {
        Datatype pair = Datatype.Vector(2, 1, 1, MPI.LONG);
        for (int length : new int[] {600, 5000, comm.Size() > 4 ? 30_000 : 100_000}) {
            for (int from = 0; from < comm.Size(); from += Math.max(1, comm.Size() - 1)) {
                allgather(comm, MPI.LONG, length, from);
                allgather(comm, pair, length / 2, from);
                alltoall(comm, length, from);
            }
        }
    }

    /** Where the blocks begin if they follow each other. */
    private static int[] begins(int[] counts) {
        int[] begins = new int[counts.length];
        for (int i = 1; i < counts.length; i++) {
            begins[i] = begins[i - 1] + counts[i - 1];
        }
        return begins;
    }

    private static int total(int[] counts) {
        return Arrays.stream(counts).sum();
    }

    /** The short blocks end where the array does, so that nothing behind them can be touched. */
    private static void allgather(Intracomm comm, Datatype type, int length, int longRank) {
        int me = comm.Rank();
        int[] counts = new int[comm.Size()];
        Arrays.fill(counts, SHORT);
        counts[longRank] = length;
        int[] begins = begins(counts);
        int each = type.Size();
        long[] mine = new long[counts[me] * each];
        Arrays.fill(mine, me + 1);
        long[] all = new long[total(counts) * each];
        comm.Allgatherv(mine, 0, counts[me], type, all, 0, counts, begins, type);
        String what = "Allgatherv, " + length + " of rank " + longRank;
        for (int i = 0; i < counts.length; i++) {
            for (int k = begins[i] * each; k < (begins[i] + counts[i]) * each; k++) {
                Check.equal(i + 1, all[k], what, k);
            }
        }
    }

    /** One rank sends long blocks, the others short ones. */
    private static void alltoall(Intracomm comm, int length, int longRank) {
        int me = comm.Rank();
        int[] sendCounts = new int[comm.Size()];
        int[] counts = new int[comm.Size()];
        Arrays.fill(sendCounts, me == longRank ? length : SHORT);
        Arrays.fill(counts, SHORT);
        counts[longRank] = length;
        int[] begins = begins(counts);
        int[] mine = new int[total(sendCounts)];
        Arrays.fill(mine, me + 1);
        int[] all = new int[total(counts)];
        comm.Alltoallv(mine, 0, sendCounts, begins(sendCounts), MPI.INT, all, 0, counts, begins, MPI.INT);
        String what = "Alltoallv, " + length + " of rank " + longRank;
        for (int i = 0; i < counts.length; i++) {
            for (int k = begins[i]; k < begins[i] + counts[i]; k++) {
                Check.equal(i + 1, all[k], what, k);
            }
        }
    }
}
