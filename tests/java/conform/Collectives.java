// SPDX-License-Identifier: Apache-2.0
package conform;

import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;

/** The collectives that move data, on every kind of buffer under several datatypes. */
final class Collectives {
    private static final int OFFSET = 2;

    private Collectives() {
    }

    /** The seed of what a rank sends to another. */
    private static long seed(int from, int to) {
        return 1000L + from * 100L + to;
    }

    /** Every kind and form, few elements. What is sent as one form is received as the other. */
    static void shapes(Intracomm comm) {
        shapes(Calls.mpiJava(comm));
    }

    /** The same by the calls of the Open MPI dialect, those that wait and those that do not. */
    static void openShapes(Intracomm comm) {
        shapes(new OpenCalls(comm, false));
        shapes(new OpenCalls(comm, true));
    }

    private static void shapes(Calls comm) {
        for (Kind kind : Kind.values()) {
            for (Form form : Form.all(kind)) {
                for (int count : new int[] {0, 1, 5}) {
                    everything(comm, form, Form.plain(kind), count);
                    everything(comm, Form.plain(kind), form, count);
                }
            }
        }
    }

    /** The sizes at which ways change. */
    static void amounts(Intracomm comm) {
        int largest = comm.Size() > 4 ? 3000 : 20_000;
        for (Kind kind : new Kind[] {Kind.BYTE, Kind.DOUBLE, Kind.DIRECT_DOUBLE}) {
            for (int count : new int[] {16, 200, 3000, 20_000}) {
                if (count <= largest) {
                    amount(Calls.mpiJava(comm), kind, count);
                }
            }
        }
    }

    /** Some of them by the calls of the Open MPI dialect, those that wait and those that do not. */
    static void openAmounts(Intracomm comm) {
        for (Kind kind : new Kind[] {Kind.DOUBLE, Kind.DIRECT_DOUBLE}) {
            for (int count : new int[] {200, 2000}) {
                amount(new OpenCalls(comm, false), kind, count);
                amount(new OpenCalls(comm, true), kind, count);
            }
        }
    }

    private static void amount(Calls comm, Kind kind, int count) {
        everything(comm, Form.plain(kind), Form.plain(kind), count);
        everything(comm, Form.vector(kind), Form.plain(kind), count / 4);
    }

    /** {@code count} elements of the form with more basic elements, on both sides. */
    private static void everything(Calls comm, Form out, Form in, int count) {
        int sendCount = count * in.size();
        int recvCount = count * out.size();
        int last = comm.Size() - 1;
        bcast(comm, out, in, sendCount, recvCount, last / 2);
        for (int root : last == 0 ? new int[] {0} : new int[] {0, last}) {
            gather(comm, out, in, sendCount, recvCount, root, false);
            scatter(comm, out, in, sendCount, recvCount, root, false);
            gather(comm, out, in, sendCount, recvCount, root, true);
            scatter(comm, out, in, sendCount, recvCount, root, true);
        }
        allgather(comm, out, in, sendCount, recvCount, false);
        allgather(comm, out, in, sendCount, recvCount, true);
        alltoall(comm, out, in, sendCount, recvCount);
        alltoallv(comm, out, in, count);
    }

    static void bcast(Calls comm, Form out, Form in, int sendCount, int recvCount, int root) {
        boolean isRoot = comm.Rank() == root;
        Form form = isRoot ? out : in;
        int count = isRoot ? sendCount : recvCount;
        Object buffer = form.empty(OFFSET + form.length(count) + 1);
        if (isRoot) {
            form.fill(buffer, OFFSET, count, seed(root, 0), 0);
        }
        comm.Bcast(buffer, OFFSET, count, form.type, root);
        boolean[] isHit = new boolean[OFFSET + form.length(count) + 1];
        form.verify(buffer, OFFSET, count, seed(root, 0), 0, isHit, "Bcast");
        form.verifyRest(buffer, isHit, "Bcast");
    }

    // ---- blocks of a buffer: with counts and displacements they stand backwards with a gap between ----

    private static int[] counts(int size, int count) {
        int[] counts = new int[size];
        java.util.Arrays.fill(counts, count);
        return counts;
    }

    private static int[] displs(int size, int count) {
        int[] displs = new int[size];
        for (int i = 0; i < size; i++) {
            displs[i] = (size - 1 - i) * (count + 1);
        }
        return displs;
    }

    private static int begin(Form form, int size, int count, int block, boolean isBackwards) {
        return OFFSET + form.extent() * (isBackwards ? displs(size, count)[block] : block * count);
    }

    private static int length(Form form, int size, int count) {
        return OFFSET + form.length(size * (count + 1)) + 1;
    }

    private static Object blocks(Form form, int size, int count, int from, boolean isBackwards) {
        Object buffer = form.empty(length(form, size, count));
        for (int i = 0; i < size; i++) {
            form.fill(buffer, begin(form, size, count, i, isBackwards), count, seed(from, i), 0);
        }
        return buffer;
    }

    private static void verifyBlocks(Object buffer, Form form, int size, int count, int to, boolean isBackwards,
            String what) {
        boolean[] isHit = new boolean[length(form, size, count)];
        for (int i = 0; i < size; i++) {
            form.verify(buffer, begin(form, size, count, i, isBackwards), count, seed(i, to), 0, isHit, what);
        }
        form.verifyRest(buffer, isHit, what);
    }

    private static void verifyBlock(Object buffer, Form form, int length, int count, long seed, String what) {
        boolean[] isHit = new boolean[length];
        form.verify(buffer, OFFSET, count, seed, 0, isHit, what);
        form.verifyRest(buffer, isHit, what);
    }

    private static Object block(Form form, int count, long seed) {
        Object buffer = form.empty(OFFSET + form.length(count));
        form.fill(buffer, OFFSET, count, seed, 0);
        return buffer;
    }

    static void gather(Calls comm, Form out, Form in, int sendCount, int recvCount, int root,
            boolean isBackwards) {
        int size = comm.Size();
        boolean isRoot = comm.Rank() == root;
        Object send = block(out, sendCount, seed(comm.Rank(), root));
        Object all = isRoot ? in.empty(length(in, size, recvCount)) : null;
        if (isBackwards) {
            comm.Gatherv(send, OFFSET, sendCount, out.type, all, OFFSET, isRoot ? counts(size, recvCount) : null,
                    isRoot ? displs(size, recvCount) : null, isRoot ? in.type : null, root);
        } else {
            comm.Gather(send, OFFSET, sendCount, out.type, all, OFFSET, recvCount, in.type, root);
        }
        if (isRoot) {
            verifyBlocks(all, in, size, recvCount, root, isBackwards, isBackwards ? "Gatherv" : "Gather");
        }
    }

    static void scatter(Calls comm, Form out, Form in, int sendCount, int recvCount, int root,
            boolean isBackwards) {
        int size = comm.Size();
        boolean isRoot = comm.Rank() == root;
        Object all = isRoot ? blocks(out, size, sendCount, root, isBackwards) : null;
        Object receive = in.empty(OFFSET + in.length(recvCount) + 1);
        if (isBackwards) {
            comm.Scatterv(all, OFFSET, isRoot ? counts(size, sendCount) : null,
                    isRoot ? displs(size, sendCount) : null, isRoot ? out.type : null, receive, OFFSET, recvCount,
                    in.type, root);
        } else {
            comm.Scatter(all, OFFSET, sendCount, out.type, receive, OFFSET, recvCount, in.type, root);
        }
        verifyBlock(receive, in, OFFSET + in.length(recvCount) + 1, recvCount, seed(root, comm.Rank()),
                isBackwards ? "Scatterv" : "Scatter");
    }

    static void allgather(Calls comm, Form out, Form in, int sendCount, int recvCount,
            boolean isBackwards) {
        int size = comm.Size();
        Object send = block(out, sendCount, seed(comm.Rank(), 0));
        Object all = in.empty(length(in, size, recvCount));
        if (isBackwards) {
            comm.Allgatherv(send, OFFSET, sendCount, out.type, all, OFFSET, counts(size, recvCount),
                    displs(size, recvCount), in.type);
        } else {
            comm.Allgather(send, OFFSET, sendCount, out.type, all, OFFSET, recvCount, in.type);
        }
        verifyBlocks(all, in, size, recvCount, 0, isBackwards, isBackwards ? "Allgatherv" : "Allgather");
    }

    static void alltoall(Calls comm, Form out, Form in, int sendCount, int recvCount) {
        int size = comm.Size();
        Object send = blocks(out, size, sendCount, comm.Rank(), false);
        Object all = in.empty(length(in, size, recvCount));
        comm.Alltoall(send, OFFSET, sendCount, out.type, all, OFFSET, recvCount, in.type);
        verifyBlocks(all, in, size, recvCount, comm.Rank(), false, "Alltoall");
    }

    /** Each pair of ranks has a length of its own, sometimes nothing. */
    static void alltoallv(Calls comm, Form out, Form in, int count) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] sendCounts = new int[size];
        int[] recvCounts = new int[size];
        for (int i = 0; i < size; i++) {
            sendCounts[i] = (me + 2 * i) % 3 == 0 ? 0 : count * in.size();
            recvCounts[i] = (i + 2 * me) % 3 == 0 ? 0 : count * out.size();
        }
        Object send = blocks(out, size, count * in.size(), me, true);
        Object all = in.empty(length(in, size, count * out.size()));
        comm.Alltoallv(send, OFFSET, sendCounts, displs(size, count * in.size()), out.type, all, OFFSET, recvCounts,
                displs(size, count * out.size()), in.type);
        boolean[] isHit = new boolean[length(in, size, count * out.size())];
        for (int i = 0; i < size; i++) {
            in.verify(all, begin(in, size, count * out.size(), i, true), recvCounts[i], seed(i, me), 0, isHit,
                    "Alltoallv");
        }
        in.verifyRest(all, isHit, "Alltoallv");
    }

    // ---- one array for both sides ----

    /** Programs pass one array to send and receive, sometimes at the very place, sometimes beside or across. */
    static void sameArray(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        for (int count : new int[] {1, 50, 5000}) {
            for (int shift : new int[] {0, 1, count}) {
                int[] numbers = numbers(size * count + shift, me);
                comm.Allgather(numbers, me * count, count, MPI.INT, numbers, shift, count, MPI.INT);
                for (int i = 0; i < size * count; i++) {
                    Check.equal(i / count * 1_000_000 + i, numbers[shift + i], "Allgather", i);
                }
                numbers = numbers(size * count + shift, me);
                comm.Gather(numbers, me * count, count, MPI.INT, numbers, shift, count, MPI.INT, size - 1);
                for (int i = 0; me == size - 1 && i < size * count; i++) {
                    Check.equal(i / count * 1_000_000 + i, numbers[shift + i], "Gather", i);
                }
                numbers = numbers(size * count + shift, me);
                comm.Scatter(numbers, 0, count, MPI.INT, numbers, shift + me * count, count, MPI.INT, 0);
                for (int i = 0; i < count; i++) {
                    Check.equal(me * count + i, numbers[shift + me * count + i], "Scatter", i);
                }
                numbers = numbers(size * count + shift, me);
                comm.Alltoall(numbers, 0, count, MPI.INT, numbers, shift, count, MPI.INT);
                for (int i = 0; i < size * count; i++) {
                    Check.equal(i / count * 1_000_000 + me * count + i % count, numbers[shift + i], "Alltoall", i);
                }
            }
            int[] numbers = numbers(size * count, me);
            int[] counts = counts(size, count);
            int[] displs = new int[size];
            for (int i = 0; i < size; i++) {
                displs[i] = i * count;
            }
            comm.Alltoallv(numbers, 0, counts, displs, MPI.INT, numbers, 0, counts, displs, MPI.INT);
            for (int i = 0; i < size * count; i++) {
                Check.equal(i / count * 1_000_000 + me * count + i % count, numbers[i], "Alltoallv", i);
            }
        }
    }

    private static int[] numbers(int length, int rank) {
        int[] numbers = new int[length];
        for (int i = 0; i < length; i++) {
            numbers[i] = rank * 1_000_000 + i;
        }
        return numbers;
    }

    /** What a program sends itself does not come between, whatever its tag, and threads do not disturb each other. */
    static void apart(Intracomm comm) throws InterruptedException {
        int me = comm.Rank();
        comm.Send(new int[] {4}, 0, 1, MPI.INT, me, 0);
        int[] one = {me == 0 ? 5 : 0};
        comm.Bcast(one, 0, 1, MPI.INT, 0);
        Check.equal(5, one[0], "the broadcast");
        comm.Recv(one, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal(4, one[0], "the message");

        Intracomm[] comms = {comm.clone(), comm.clone(), comm.clone()};
        Throwable[] failures = new Throwable[comms.length];
        Thread[] threads = new Thread[comms.length];
        for (int i = 0; i < threads.length; i++) {
            int index = i;
            threads[i] = new Thread(() -> several(comms[index], 100 * index));
            threads[i].setUncaughtExceptionHandler((thread, e) -> failures[index] = e);
            threads[i].start();
        }
        for (int i = 0; i < threads.length; i++) {
            threads[i].join();
            if (failures[i] != null) {
                throw new AssertionError("thread " + i, failures[i]);
            }
            comms[i].Free();
        }
    }

    private static void several(Intracomm comm, int number) {
        int size = comm.Size();
        Datatype column = Datatype.Vector(40, 1, 2, MPI.DOUBLE);
        for (int round = 0; round < 20; round++) {
            int[] sum = new int[1];
            comm.Allreduce(new int[] {number + round}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            Check.equal((number + round) * size, sum[0], "a sum among threads");
            double[] out = new double[80];
            out[78] = number + comm.Rank();
            double[] in = new double[40 * size];
            comm.Allgather(out, 0, 1, column, in, 0, 40, MPI.DOUBLE);
            for (int i = 0; i < size; i++) {
                Check.that(in[40 * i + 39] == number + i, "a column among threads");
            }
            comm.Barrier();
        }
    }
}
