// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Maxloc;
import mpi.Op;
import mpi.User_function;

/** Wrong arguments of collectives, and collectives over two groups. */
final class CollectiveArguments {
    private static final int BUFFER = 1;
    private static final int COUNT = 2;
    private static final int TYPE = 3;
    private static final int COMM = 5;
    private static final int ROOT = 8;
    private static final int OP = 10;
    private static final int ARG = 13;

    private CollectiveArguments() {
    }

    /** Every one is found before anything is sent. */
    static void wrong(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] ints = new int[4];
        int[] ones = new int[size];
        String ranks = size + (size == 1 ? " rank" : " ranks");
        Check.fails(ROOT, "Bcast: root is " + size + ", but the communicator has " + ranks,
                () -> comm.Bcast(ints, 0, 1, MPI.INT, size));
        Check.fails(ROOT, "Gather: root is -1, ", () -> comm.Gather(ints, 0, 1, MPI.INT, null, 0, 1, MPI.INT, -1));
        Check.fails(ROOT, "Scatterv: root is -4, ",
                () -> comm.Scatterv(ints, 0, ones, ones, MPI.INT, ints, 0, 1, MPI.INT, MPI.ROOT));
        Check.fails(ROOT, "Reduce: root is -3, ", () -> comm.Reduce(ints, 0, ints, 0, 1, MPI.INT, MPI.SUM,
                MPI.PROC_NULL));
        Check.fails(BUFFER, "Bcast: the buffer is null, but count is 2", () -> comm.Bcast(null, 0, 2, MPI.INT, 0));
        Check.fails(BUFFER, "Bcast: offset 3 and count 2 of MPI.INT reach to element 5, but the buffer has 4",
                () -> comm.Bcast(ints, 3, 2, MPI.INT, 0));
        Check.fails(COUNT, "Bcast: count is -1; it cannot be negative", () -> comm.Bcast(ints, 0, -1, MPI.INT, 0));
        Check.fails(ARG, "Bcast: offset is -1; it cannot be negative", () -> comm.Bcast(ints, -1, 1, MPI.INT, 0));
        Check.fails(TYPE, "Bcast: the datatype is null", () -> comm.Bcast(ints, 0, 1, null, 0));
        Check.fails(TYPE, "Bcast: the buffer is an int\\[\\], but the datatype MPI.DOUBLE needs a double\\[\\] or a ",
                () -> comm.Bcast(ints, 0, 1, MPI.DOUBLE, 0));
        Check.fails(BUFFER, "Allgather: offset 0 and count " + 4 * size + " of MPI.INT reach to element " + 4 * size,
                () -> comm.Allgather(ints, 0, 4, MPI.INT, new int[4 * size - 1], 0, 4, MPI.INT));
        Check.fails(COUNT, "Alltoall: count is -2; ",
                () -> comm.Alltoall(ints, 0, -2, MPI.INT, ints, 0, -2, MPI.INT));
        if (size > 1) {
            Check.fails(COUNT, "Alltoall: 2000000000 elements for each of " + size + " ranks are too many",
                    () -> comm.Alltoall(ints, 0, 2_000_000_000, MPI.INT, ints, 0, 1, MPI.INT));
        }
        Check.fails(TYPE, "Allgather: the datatype sent is MPI.INT, but the one received is MPI.OBJECT; ",
                () -> comm.Allgather(ints, 0, 1, MPI.INT, new Object[size], 0, 1, MPI.OBJECT));
        wrongParts(comm, ints, ones);
        Check.fails(OP, "Reduce: the operation is null", () -> comm.Reduce(ints, 0, ints, 0, 1, MPI.INT, null, 0));
        Check.fails(OP, "Allreduce: MPI.BXOR cannot combine elements of MPI.DOUBLE",
                () -> comm.Allreduce(new double[1], 0, new double[1], 0, 1, MPI.DOUBLE, MPI.BXOR));
        Check.fails(OP, "Scan: MPI.MAXLOC combines pairs, which MPI.INT is not",
                () -> comm.Scan(ints, 0, ints, 0, 1, MPI.INT, MPI.MAXLOC));
        Check.fails(TYPE, "Allreduce: the datatype is null", () -> comm.Allreduce(ints, 0, ints, 0, 1, null, MPI.SUM));
        Check.fails(BUFFER, "Allreduce: the buffer is null, but count is 1",
                () -> comm.Allreduce(ints, 0, null, 0, 1, MPI.INT, MPI.SUM));
        Check.fails(ARG, "Reduce_scatter: counts need a number for each of the " + size + " ranks, but there are none",
                () -> comm.Reduce_scatter(ints, 0, ints, 0, null, MPI.INT, MPI.SUM));
        Datatype twice = Datatype.Indexed(new int[] {2, 2}, new int[] {0, 1}, MPI.INT);
        Check.fails(TYPE, "Allgather: " + size + " elements of the datatype Indexed\\(MPI.INT\\) overlap; ",
                () -> comm.Allgather(ints, 0, 4, MPI.INT, new int[4 * size], 0, 1, twice));
        // What is not looked at on a rank may be anything.
        if (me != 0) {
            comm.Gather(ints, 0, 1, MPI.INT, "nonsense", -5, -7, null, 0);
            comm.Scatter(3, -1, -1, null, ints, 0, 1, MPI.INT, 0);
            comm.Reduce(ints, 0, null, -1, 1, MPI.INT, MPI.SUM, 0);
        } else {
            comm.Gather(ints, 0, 1, MPI.INT, ones, 0, 1, MPI.INT, 0);
            comm.Scatter(ones, 0, 1, MPI.INT, ints, 0, 1, MPI.INT, 0);
            comm.Reduce(ints, 0, ones, 0, 1, MPI.INT, MPI.SUM, 0);
        }
        Intracomm freed = comm.clone();
        freed.Free();
        Check.fails(COMM, "Barrier: the communicator " + comm.Get_name() + " clone has been freed", freed::Barrier);
        Check.fails(COMM, "Allreduce: the communicator .* has been freed",
                () -> freed.Allreduce(ints, 0, ints, 0, 1, MPI.INT, MPI.SUM));
    }

    private static void wrongParts(Intracomm comm, int[] ints, int[] ones) {
        int size = comm.Size();
        Check.fails(ARG, "Allgatherv: counts need a number for each of the " + size + " ranks, but there are 0",
                () -> comm.Allgatherv(ints, 0, 1, MPI.INT, ints, 0, new int[0], ones, MPI.INT));
        Check.fails(ARG, "Alltoallv: displacements need a number for each of the " + size + " ranks, but there are n",
                () -> comm.Alltoallv(ints, 0, ones, null, MPI.INT, ints, 0, ones, ones, MPI.INT));
        int[] negative = new int[size];
        negative[size - 1] = -3;
        Check.fails(COUNT, "Alltoallv: the count for rank " + (size - 1) + " is -3; it cannot be negative",
                () -> comm.Alltoallv(ints, 0, negative, ones, MPI.INT, ints, 0, ones, ones, MPI.INT));
        int[] counts = new int[size];
        int[] displs = new int[size];
        counts[0] = 2;
        displs[0] = 3;
        Check.fails(BUFFER, "Allgatherv: displacement 3 for rank 0 and count 2 of MPI.INT reach to element 5, but the "
                + "buffer has 4", () -> comm.Allgatherv(ints, 0, 1, MPI.INT, ints, 0, counts, displs, MPI.INT));
        Object[] objects = new Object[4];
        Check.fails(BUFFER, "Alltoallv: offset 1, displacement 3 for rank 0 and count 2 of MPI.OBJECT reach to elem",
                () -> comm.Alltoallv(objects, 1, counts, displs, MPI.OBJECT, objects, 0, ones, ones, MPI.OBJECT));
        displs[0] = -1;
        Check.fails(BUFFER, "Allgatherv: displacement -1 for rank 0 and count 2 of MPI.INT reach to element -1, "
                + "before the", () -> comm.Allgatherv(ints, 0, 1, MPI.INT, ints, 0, counts, displs, MPI.INT));
        int[] all = new int[size];
        Arrays.fill(all, 2);
        Check.fails(BUFFER, "Reduce_scatter: offset 0 and count " + 2 * size + " of MPI.OBJECT reach to element ",
                () -> comm.Reduce_scatter(new Object[1], 0, objects, 0, all, MPI.OBJECT, new Op(new Maxloc(), true)));
        displs[0] = Integer.MAX_VALUE;
        Check.fails(ARG, "Allgatherv: displacement 2147483647 for rank 0 is out of range",
                () -> comm.Allgatherv(ints, 0, 1, MPI.INT, ints, 0, counts, displs, MPI.INT2));
    }

    /** Displacements that are negative, of types whose data begin later: what counts is where the data are. */
    static void lateData(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] counts = new int[size];
        int[] displs = new int[size];
        for (int i = 0; i < size; i++) {
            counts[i] = 1;
            displs[i] = i - 5;
        }
        Datatype late = Datatype.Indexed(new int[] {1}, new int[] {5}, MPI.INT);
        Check.equal(1, late.Extent(), "the extent of a late type");
        int[] all = new int[size];
        comm.Allgatherv(new int[] {me + 1}, 0, 1, MPI.INT, all, 0, counts, displs, late);
        ByteBuffer direct = ByteBuffer.allocateDirect(4 * size).order(ByteOrder.nativeOrder());
        comm.Allgatherv(new int[] {me + 1}, 0, 1, MPI.INT, direct, 0, counts, displs, late);
        int[] back = new int[size];
        comm.Alltoallv(all, 0, counts, displs, late, back, 0, counts, displs, late);
        Datatype lateObject = Datatype.Indexed(new int[] {1}, new int[] {5}, MPI.OBJECT);
        Object[] objects = new Object[size];
        comm.Allgatherv(new Object[] {"of " + me}, 0, 1, MPI.OBJECT, objects, 0, counts, displs, lateObject);
        Object[] words = new Object[size];
        comm.Alltoallv(objects, 0, counts, displs, lateObject, words, 0, counts, displs, lateObject);
        for (int i = 0; i < size; i++) {
            Check.equal(i + 1, all[i], "Allgatherv of a late type");
            Check.equal(i + 1, direct.getInt(4 * i), "Allgatherv of a late type outside the heap");
            Check.equal(me + 1, back[i], "Alltoallv of a late type");
            Check.that(("of " + i).equals(objects[i]), "Allgatherv of late objects: " + objects[i]);
            Check.that(("of " + me).equals(words[i]), "Alltoallv of late objects: " + words[i]);
        }
        displs[size - 1] = size - 4;
        String what = "Allgatherv: displacement " + displs[size - 1] + " for rank " + (size - 1) + " and count 1 ";
        Check.fails(BUFFER, what + "of Indexed\\(MPI.INT\\) reach to element " + (size + 2) + ", but the buffer has ",
                () -> comm.Allgatherv(new int[1], 0, 1, MPI.INT, all, 0, counts, displs, late));
        // Bytes of a buffer are counted with an int, also where its data do not begin.
        int far = 1 << 30;
        Datatype later = Datatype.Indexed(new int[] {1}, new int[] {far}, MPI.INT);
        Arrays.fill(displs, -far);
        Check.fails(ARG, "Allgatherv: displacement -1073741824 for rank 0 is out of range",
                () -> comm.Allgatherv(new int[1], 0, 1, MPI.INT, direct, 0, counts, displs, later));
        Datatype earlier = Datatype.Indexed(new int[] {1}, new int[] {-far}, MPI.INT);
        Check.fails(ARG, "Bcast: offset 1073741824 is out of range", () -> comm.Bcast(direct, far, 1, earlier, 0));
    }

    /** The result is what the highest rank has. */
    private static final class Last extends User_function {
        @Override
        public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
        }
    }

    /** Between two groups what one side gives goes to the other. */
    static void betweenGroups(Intracomm comm) {
        int size = comm.Size();
        if (size < 2) {
            return;
        }
        int me = comm.Rank();
        int side = me % 2;
        Intracomm mine = comm.Split(side, me);
        Intercomm inter = comm.Create_intercomm(mine, 0, 1 - side, 5);
        int others = inter.Remote_size();
        int myRank = inter.Rank();
        inter.Barrier();

        int[] numbers = {side == 0 && myRank == 0 ? 42 : 0, 0};
        int root = side == 1 ? 0 : myRank == 0 ? MPI.ROOT : MPI.PROC_NULL;
        inter.Bcast(numbers, 0, 1, MPI.INT, root);
        Check.equal(side == 1 || myRank == 0 ? 42 : 0, numbers[0], "Bcast to the other side");
        Object[] objects = {side == 0 && myRank == 0 ? "text" : null};
        inter.Bcast(objects, 0, 1, MPI.OBJECT, root);
        Check.that(side == 1 || myRank == 0 ? "text".equals(objects[0]) : objects[0] == null, "Bcast of objects");

        int[] all = new int[others];
        inter.Gather(new int[] {me}, 0, 1, MPI.INT, all, 0, 1, MPI.INT, root);
        for (int i = 0; root == MPI.ROOT && i < others; i++) {
            Check.equal(2 * i + 1, all[i], "Gather from the other side");
        }
        inter.Allgather(new int[] {me}, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        for (int i = 0; i < others; i++) {
            Check.equal(2 * i + 1 - side, all[i], "Allgather from the other side");
        }
        int[] scattered = {-1};
        int[] deck = new int[others];
        for (int i = 0; i < others; i++) {
            deck[i] = 10 * i;
        }
        inter.Scatter(deck, 0, 1, MPI.INT, scattered, 0, 1, MPI.INT, root);
        Check.equal(side == 1 ? 10 * myRank : -1, scattered[0], "Scatter to the other side");
        inter.Alltoall(deck, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        for (int i = 0; i < others; i++) {
            Check.equal(10 * myRank, all[i], "Alltoall with the other side");
        }
        Object[] things = new Object[others];
        inter.Allgather(new Object[] {"from " + me}, 0, 1, MPI.OBJECT, things, 0, 1, MPI.OBJECT);
        inter.Alltoall(things, 0, 1, MPI.OBJECT, things, 0, 1, MPI.OBJECT);
        Check.that(things[others - 1].equals("from " + me), "objects there and back");
        int[] counts = new int[others];
        counts[others - 1] = 1;
        Object[] got = {"nothing"};
        inter.Gatherv(things, 0, side == 1 && myRank == inter.Size() - 1 ? 1 : 0, MPI.OBJECT, got, 0, counts,
                new int[others], MPI.OBJECT, root);
        int last = size - 1 - (size % 2 == 0 ? 0 : 1);
        Check.that(got[0].equals(root == MPI.ROOT ? "from " + last : "nothing"), "Gatherv of objects: " + got[0]);
        int sum = 0;
        for (int i = 1 - side; i < size; i += 2) {
            sum += i;
        }
        int[] result = {-1};
        inter.Allreduce(new int[] {me}, 0, result, 0, 1, MPI.INT, MPI.SUM);
        Check.equal(sum, result[0], "Allreduce of the other side");
        result[0] = -1;
        inter.Reduce(new int[] {me}, 0, result, 0, 1, MPI.INT, MPI.SUM, root);
        Check.equal(root == MPI.ROOT ? sum : -1, result[0], "Reduce of the other side");
        boolean isIdle = root == MPI.PROC_NULL;
        result[0] = -1;
        inter.Reduce(isIdle ? null : new int[] {me}, 0, result, 0, 1, isIdle ? null : MPI.INT,
                isIdle ? null : MPI.MAX, root);
        Check.equal(root == MPI.ROOT ? last : -1, result[0], "Reduce beside a rank that knows nothing of it");
        Object[] highest = {"nothing"};
        inter.Reduce(isIdle ? null : new Object[] {me}, 0, highest, 0, 1, MPI.OBJECT,
                isIdle ? null : new Op(new Last(), false), root);
        Check.that(highest[0].equals(root == MPI.ROOT ? (Object) last : "nothing"), "the same of objects");
        Check.fails(COMM, "Scan: the operation is not defined on an intercommunicator",
                () -> inter.Scan(numbers, 0, result, 0, 1, MPI.INT, MPI.SUM));
        Check.fails(ROOT, "Bcast: root is " + others + ", but the other side has ",
                () -> inter.Bcast(numbers, 0, 1, MPI.INT, others));
        inter.Free();
        mine.Free();
    }

    /** A rank beside the root need not name the others' operator, even if it is the program's own. */
    static void idle(Intracomm comm) {
        int size = comm.Size();
        if (size < 2) {
            return;
        }
        int me = comm.Rank();
        Intracomm mine = comm.Split(me % 2, me);
        Intercomm inter = comm.Create_intercomm(mine, 0, 1 - me % 2, 5);
        int root = me % 2 == 1 ? 0 : me == 0 ? MPI.ROOT : MPI.PROC_NULL;
        int[] result = {-1};
        if (root == MPI.PROC_NULL) {
            inter.Reduce(null, 0, null, 0, 1, null, null, root);
        } else {
            inter.Reduce(new int[] {me}, 0, result, 0, 1, MPI.INT, new Op(new Last(), false), root);
        }
        Check.equal(me == 0 ? size - 1 - size % 2 : -1, result[0], "Reduce with an operator that not all know");
        int[] all = new int[inter.Remote_size()];
        inter.Allgather(new int[] {me}, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        Check.equal(1 - me % 2, all[0], "the call behind it");
        inter.Free();
        mine.Free();
    }
}
