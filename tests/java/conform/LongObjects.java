// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;
import mpi.User_function;

/**
 * Serialised objects that outgrow the memory they are received into, also where no rank looks at them, and what comes
 * after them in the same memory.
 */
final class LongObjects {
    /** More stores than a rank keeps. */
    private static final int CALLS = 12;

    private LongObjects() {
    }

    private static String text(int length, int rank) {
        char[] letters = new char[length];
        Arrays.fill(letters, (char) ('a' + rank));
        return new String(letters);
    }

    /** The result is what the lowest rank has. */
    private static final class First extends User_function {
        @Override
        public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
            System.arraycopy(in, inAt, inout, at, count);
        }
    }

    private static void scan(Intracomm comm, int length, Op first) {
        Object[] result = {null};
        comm.Scan(new Object[] {text(length, comm.Rank())}, 0, result, 0, 1, MPI.OBJECT, first);
        Check.that(text(length, 0).equals(result[0]), "Scan of objects of " + length + " bytes");
    }

    private static void allgather(Intracomm comm, int length) {
        Object[] all = new Object[comm.Size()];
        comm.Allgather(new Object[] {text(length, comm.Rank())}, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
        for (int i = 0; i < all.length; i++) {
            Check.that(text(length, i).equals(all[i]), "Allgather of objects of " + length + " bytes: rank " + i);
        }
    }

    private static void alltoall(Intracomm comm, int length) {
        Object[] all = new Object[comm.Size()];
        Arrays.fill(all, text(length, comm.Rank()));
        comm.Alltoall(all, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
        for (int i = 0; i < all.length; i++) {
            Check.that(text(length, i).equals(all[i]), "Alltoall of objects of " + length + " bytes: rank " + i);
        }
    }

    /** In a Scan no rank looks at what the higher ranks sent. */
    static void scanned(Intracomm comm) {
        Op first = new Op(new First(), false);
        for (int round = 0; round < 3; round++) {
            scan(comm, 20_000 * (round + 1), first);
            for (int i = 0; i < CALLS; i++) {
                allgather(comm, 10 + i);
            }
        }
        int length = comm.Size() > 4 || Sizes.IS_SLOW ? 25_000 : 250_000;
        for (int times = 10; times <= 40; times *= 2) {
            for (int i = 0; i < CALLS; i++) {
                alltoall(comm, length - i);
            }
            scan(comm, length * times, first);
            length -= length / 10;
        }
        for (int i = 0; i < CALLS; i++) {
            alltoall(comm, length);
        }
    }
}
