// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import java.util.function.IntPredicate;
import mpi.Comm;
import mpi.Datatype;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.User_function;

/**
 * An operator of the program's own that throws: where it did, its exception comes out of the call; all the others are
 * told so, and the communicator can be used as before.
 */
final class OperatorFailures {
    private static final int OTHER = 16;
    private static final int[] COUNTS = {1, 3, 700, 60000};

    private OperatorFailures() {
    }

    /** Adds, unless it has been told to throw. */
    private static final class Sum extends User_function {
        private final boolean isFailing;
        private boolean hasThrown;

        Sum(boolean isFailing) {
            this.isFailing = isFailing;
        }

        @Override
        public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
            if (isFailing) {
                hasThrown = true;
                throw new ArithmeticException("no sum today");
            }
            int[] from = (int[]) in;
            int[] to = (int[]) inout;
            int width = type.Extent();
            for (int i = 0; i < count; i++) {
                to[at + i * width] += from[inAt + i * width];
            }
        }
    }

    /** A reduction of as many elements of a type into an array. */
    private interface Call {
        void run(int[] send, int[] result, int count, Datatype type, Op op);
    }

    static void operatorFailures(Intracomm comm) {
        int size = comm.Size();
        IntPredicate[] culprits = {rank -> true, rank -> rank % 2 == 1, rank -> rank == size - 1, rank -> rank == 0};
        Datatype gaps = Datatype.Vector(2, 1, 2, MPI.INT);
        gaps.Commit();
        for (IntPredicate culprit : culprits) {
            for (int count : COUNTS) {
                for (boolean isCommutative : new boolean[] {true, false}) {
                    within(comm, culprit, count, MPI.INT, isCommutative);
                }
            }
            within(comm, culprit, 50, gaps, true);
        }
        oneRank(comm);
    }

    private static void within(Intracomm comm, IntPredicate culprit, int count, Datatype type,
            boolean isCommutative) {
        int size = comm.Size();
        int me = comm.Rank();
        int sum = size * (size + 1) / 2;
        attempt(comm, "Allreduce", culprit, count, type, isCommutative, sum, (send, result, n, of, op) -> comm
                .Allreduce(send, 0, result, 0, n, of, op));
        attempt(comm, "Scan", culprit, count, type, isCommutative, (me + 1) * (me + 2) / 2,
                (send, result, n, of, op) -> comm.Scan(send, 0, result, 0, n, of, op));
        for (int root : new int[] {0, size - 1}) {
            attempt(comm, "Reduce", culprit, count, type, isCommutative, me == root ? sum : 0,
                    (send, result, n, of, op) -> comm.Reduce(send, 0, result, 0, n, of, op, root));
        }
        int[] counts = new int[size];
        Arrays.fill(counts, count / size);
        counts[size - 1] += count % size;
        attempt(comm, "Reduce_scatter", culprit, count, type, isCommutative, sum, (send, result, n, of, op) -> {
            comm.Reduce_scatter(send, 0, result, 0, counts, of, op);
            Arrays.fill(result, counts[me] * of.Extent(), result.length, sum); // other ranks have the rest
        });
    }

    /** Without others nothing is combined. */
    private static void oneRank(Intracomm comm) {
        int[] result = {0};
        Op failing = new Op(new Sum(true), true);
        MPI.COMM_SELF.Allreduce(new int[] {7}, 0, result, 0, 1, MPI.INT, failing);
        Check.equal(7, result[0], "Allreduce of one rank");
        int[] nothing = {};
        comm.Allreduce(nothing, 0, nothing, 0, 0, MPI.INT, failing);
    }

    private static int[] values(int count, Datatype type, int value) {
        int[] values = new int[count * type.Extent()];
        Arrays.fill(values, value);
        return values;
    }

    private static void attempt(Intracomm comm, String name, IntPredicate culprit, int count, Datatype type,
            boolean isCommutative, int wanted, Call call) {
        int me = comm.Rank();
        Sum sum = new Sum(culprit.test(me));
        int[] result = new int[count * type.Extent()];
        Throwable thrown = caught(() -> call.run(values(count, type, me + 1), result, count, type,
                new Op(sum, isCommutative)));
        boolean[] throwers = new boolean[comm.Size()];
        comm.Allgather(new boolean[] {sum.hasThrown}, 0, 1, MPI.BOOLEAN, throwers, 0, 1, MPI.BOOLEAN);
        int first = first(throwers);
        boolean isEverybody = culprit.test(0) && culprit.test(comm.Size() - 1) && comm.Size() > 1;
        Check.that(first >= 0 || !isEverybody, name + ": nobody combined anything");
        verify(thrown, sum.hasThrown, first < 0 ? null
                : name + ": the operator failed on rank " + first + ": java.lang.ArithmeticException: no sum today");
        if (first < 0) {
            verifySum(result, count, type, wanted, name);
        }
        int[] after = new int[count * type.Extent()];
        call.run(values(count, type, me + 1), after, count, type, new Op(new Sum(false), isCommutative));
        verifySum(after, count, type, wanted, name + " after one that failed");
    }

    private static Throwable caught(Runnable call) {
        try {
            call.run();
            return null;
        } catch (ArithmeticException | MPIException e) {
            return e;
        }
    }

    private static int first(boolean[] throwers) {
        for (int i = 0; i < throwers.length; i++) {
            if (throwers[i]) {
                return i;
            }
        }
        return -1;
    }

    /** What came out of a call: the operator's own exception, the sentence about another rank's, or nothing. */
    private static void verify(Throwable thrown, boolean isMine, String sentence) {
        if (isMine) {
            Check.that(thrown instanceof ArithmeticException && thrown.getMessage().equals("no sum today"),
                    "the operator's own exception is " + thrown);
        } else if (sentence == null) {
            Check.that(thrown == null, "nothing failed, but the call threw " + thrown);
        } else {
            Check.that(thrown instanceof MPIException && sentence.equals(thrown.getMessage()),
                    "it should say \"" + sentence + "\", but it is " + thrown);
            Check.equal(OTHER, ((MPIException) thrown).getErrorClass(), "error class of an operator that failed");
        }
    }

    private static void verifySum(int[] result, int count, Datatype type, int wanted, String name) {
        String what = name + " of " + count + " of " + type;
        int extent = type.Extent();
        for (int i = 0; i < count; i++) {
            Check.equal(wanted, result[i * extent], what, i);
        }
    }

    // ---- two groups ----

    /** Both groups hear of it; of a Reduce those who have values, and the root. */
    static void operatorFailuresBetween(Intracomm comm) {
        int size = comm.Size();
        if (size < 2) {
            return;
        }
        int me = comm.Rank();
        int side = me % 2;
        Intracomm mine = comm.Split(side, me);
        Intercomm inter = comm.Create_intercomm(mine, 0, 1 - side, 5);
        int root = side == 1 ? 0 : inter.Rank() == 0 ? MPI.ROOT : MPI.PROC_NULL;
        boolean isLax = System.getenv("CORUNNA_CHECK") == null;
        IntPredicate[] culprits = {rank -> true, rank -> rank % 2 == 1, rank -> rank % 2 == 0, rank -> false};
        for (IntPredicate culprit : culprits) {
            for (int count : COUNTS) {
                between(comm, inter, "Allreduce", culprit, true, (send, result, n, of, op) -> inter
                        .Allreduce(send, 0, result, 0, count, of, op));
                // What those beside the root pass does not count, though it is compared if that is asked for.
                between(comm, inter, "Reduce", culprit, root != MPI.PROC_NULL, (send, result, n, of, op) -> inter
                        .Reduce(send, 0, result, 0, root == MPI.PROC_NULL ? 1 : count, of,
                                root == MPI.PROC_NULL && isLax ? MPI.SUM : op, root));
            }
        }
        inter.Free();
        mine.Free();
    }

    private static void between(Intracomm comm, Comm inter, String name, IntPredicate culprit, boolean isConcerned,
            Call call) {
        int me = comm.Rank();
        int side = me % 2;
        Sum sum = new Sum(culprit.test(me));
        int room = COUNTS[COUNTS.length - 1];
        Throwable thrown = caught(() -> call.run(new int[room], new int[room], room, MPI.INT, new Op(sum, false)));
        boolean[] throwers = new boolean[comm.Size()];
        comm.Allgather(new boolean[] {sum.hasThrown}, 0, 1, MPI.BOOLEAN, throwers, 0, 1, MPI.BOOLEAN);
        boolean[][] sides = {new boolean[(comm.Size() + 1) / 2], new boolean[comm.Size() / 2]};
        for (int i = 0; i < comm.Size(); i++) {
            sides[i % 2][i / 2] = throwers[i];
        }
        int ours = first(sides[side]);
        int theirs = first(sides[1 - side]);
        String sentence = ours < 0 && theirs < 0 || !isConcerned ? null
                : name + ": " + (ours < 0 ? "on the other side " : "") + "the operator failed on rank "
                + (ours < 0 ? theirs : ours) + ": java.lang.ArithmeticException: no sum today";
        verify(thrown, sum.hasThrown, sentence);
        int[] result = new int[room];
        inter.Allreduce(values(room, MPI.INT, 1), 0, result, 0, room, MPI.INT, new Op(new Sum(false), true));
        verifySum(result, room, MPI.INT, sides[1 - side].length, "Allreduce between groups");
    }
}
