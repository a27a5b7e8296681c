// SPDX-License-Identifier: Apache-2.0
package conform;

import conform.Things.Point;
import conform.Things.Stubborn;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;
import mpi.User_function;

/** Objects in every collective. */
final class ObjectCollectives {
    private static final int TYPE = 3;
    private static final int OP = 10;
    private static final int TRUNCATE = 15;
    private static final int OTHER = 16;
    private static final int NO_MEM = 39;

    private ObjectCollectives() {
    }

    /** The object that a rank sends to another: of many classes, of many lengths, sometimes null. */
    private static Object thing(int from, int to, int index) {
        switch ((from + to + index) % 5) {
        case 0:
            return null;
        case 1:
            return new Point(from * 100 + to * 10 + index);
        case 2:
            return "from " + from + " to " + to + " number " + index;
        case 3:
            int[] array = new int[from * 50 + index];
            Arrays.fill(array, to);
            return array;
        default:
            return Things.map(from + index);
        }
    }

    private static void verify(Object[] objects, int at, int from, int to, int count, String what) {
        for (int i = 0; i < count; i++) {
            Check.that(Arrays.deepEquals(new Object[] {thing(from, to, i)}, new Object[] {objects[at + i]}),
                    what + ": object " + i + " from " + from + " to " + to);
        }
    }

    private static Object[] things(int from, int ranks, int count) {
        Object[] objects = new Object[1 + ranks * count];
        for (int i = 0; i < ranks * count; i++) {
            objects[1 + i] = thing(from, i / count, i % count);
        }
        return objects;
    }

    static void sharing(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        for (int count : new int[] {0, 1, 3}) {
            for (int root = 0; root < size; root += Math.max(1, size - 1)) {
                Object[] objects = me == root ? things(root, 1, count) : new Object[1 + count];
                comm.Bcast(objects, 1, count, MPI.OBJECT, root);
                verify(objects, 1, root, 0, count, "Bcast");
                Object[] all = me == root ? new Object[2 + size * count] : null;
                comm.Gather(things(me, 1, count), 1, count, MPI.OBJECT, all, 2, count, MPI.OBJECT, root);
                for (int i = 0; me == root && i < size; i++) {
                    verify(all, 2 + i * count, i, 0, count, "Gather");
                }
                Object[] mine = new Object[count];
                comm.Scatter(me == root ? things(root, size, count) : null, 1, count, MPI.OBJECT, mine, 0, count,
                        MPI.OBJECT, root);
                verify(mine, 0, root, me, count, "Scatter");
            }
            Object[] all = new Object[size * count];
            comm.Allgather(things(me, 1, count), 1, count, MPI.OBJECT, all, 0, count, MPI.OBJECT);
            for (int i = 0; i < size; i++) {
                verify(all, i * count, i, 0, count, "Allgather");
            }
            all = things(me, size, count);
            comm.Alltoall(all, 1, count, MPI.OBJECT, all, 1, count, MPI.OBJECT);
            for (int i = 0; i < size; i++) {
                verify(all, 1 + i * count, i, me, count, "Alltoall in one array");
            }
        }
    }

    /** Counts of each rank's own: rank i has i objects for all. */
    static void sharingParts(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] counts = new int[size];
        int[] displs = new int[size];
        int total = 0;
        for (int i = size - 1; i >= 0; i--) {
            counts[i] = i;
            displs[i] = total;
            total += i + 1;
        }
        Object[] all = new Object[total];
        comm.Gatherv(things(me, 1, me), 1, me, MPI.OBJECT, all, 0, counts, displs, MPI.OBJECT, size - 1);
        for (int i = 0; me == size - 1 && i < size; i++) {
            verify(all, displs[i], i, 0, i, "Gatherv");
            Check.that(all[displs[i] + i] == null, "the gap behind");
        }
        Arrays.fill(all, "old");
        comm.Allgatherv(things(me, 1, me), 1, me, MPI.OBJECT, all, 0, counts, displs, MPI.OBJECT);
        for (int i = 0; i < size; i++) {
            verify(all, displs[i], i, 0, i, "Allgatherv");
            Check.that("old".equals(all[displs[i] + i]), "the gap behind");
        }
        Object[] deck = new Object[total];
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < i; k++) {
                deck[displs[i] + k] = thing(0, i, k);
            }
        }
        Object[] mine = new Object[me];
        comm.Scatterv(deck, 0, counts, displs, MPI.OBJECT, mine, 0, me, MPI.OBJECT, 0);
        verify(mine, 0, 0, me, me, "Scatterv");

        int[] sendCounts = new int[size];
        int[] sendDispls = new int[size];
        Arrays.fill(sendCounts, me);
        for (int i = 0; i < size; i++) {
            sendDispls[i] = i * me;
        }
        Arrays.fill(all, "old");
        comm.Alltoallv(things(me, size, me), 1, sendCounts, sendDispls, MPI.OBJECT, all, 0, counts, displs,
                MPI.OBJECT);
        for (int i = 0; i < size; i++) {
            verify(all, displs[i], i, me, i, "Alltoallv");
            Check.that("old".equals(all[displs[i] + i]), "the gap behind");
        }
        Datatype spread = Datatype.Vector(2, 1, 2, MPI.OBJECT);
        Object[] in = {null, "gap", null, "end"};
        comm.Bcast(me == 0 ? new Object[] {"a", 1, "b"} : in, 0, 1, spread, 0);
        Check.that(me == 0 || Arrays.equals(new Object[] {"a", "gap", "b", "end"}, in), "a vector of objects");
        String[] words = new String[size];
        comm.Allgather(new String[] {"word " + me}, 0, 1, MPI.OBJECT, words, 0, 1, MPI.OBJECT);
        Check.that(words[size - 1].equals("word " + (size - 1)), "an array of strings");
    }

    /** Joins strings: the order matters. */
    private static final class Join extends User_function {
        @Override
        public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < type.Size(); k++) {
                    int place = i * type.Extent() + 2 * k;
                    Object[] second = (Object[]) inout;
                    second[at + place] = ((Object[]) in)[inAt + place] + "" + second[at + place];
                }
            }
        }
    }

    private static String joined(int ranks, int index) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ranks; i++) {
            text.append((char) ('a' + i)).append(index);
        }
        return text.toString();
    }

    static void reducing(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        Op join = new Op(new Join(), false);
        int count = size + 1;
        String[] send = new String[count];
        for (int i = 0; i < count; i++) {
            send[i] = (char) ('a' + me) + "" + i;
        }
        Object[] result = new Object[count];
        comm.Reduce(send, 0, result, 0, count, MPI.OBJECT, join, size - 1);
        for (int i = 0; me == size - 1 && i < count; i++) {
            Check.that(joined(size, i).equals(result[i]), "Reduce of objects: " + result[i]);
        }
        comm.Allreduce(send, 0, result, 0, count, MPI.OBJECT, join);
        for (int i = 0; i < count; i++) {
            Check.that(joined(size, i).equals(result[i]), "Allreduce of objects: " + result[i]);
        }
        comm.Scan(send, 0, result, 0, count, MPI.OBJECT, join);
        for (int i = 0; i < count; i++) {
            Check.that(joined(me + 1, i).equals(result[i]), "Scan of objects: " + result[i]);
        }
        int[] counts = new int[size];
        Arrays.fill(counts, 1);
        String[] one = new String[1];
        comm.Reduce_scatter(send, 0, one, 0, counts, MPI.OBJECT, join);
        Check.that(joined(size, me).equals(one[0]), "Reduce_scatter of objects: " + one[0]);
        comm.Allreduce(send, 0, send, 0, count, MPI.OBJECT, join);
        Check.that(joined(size, size).equals(send[size]), "Allreduce of objects in one array");
        Datatype spread = Datatype.Vector(2, 1, 2, MPI.OBJECT);
        Object[] three = {(char) ('a' + me) + "0", "gap", (char) ('a' + me) + "1"};
        Object[] all = {1, 2, 3};
        comm.Allreduce(three, 0, all, 0, 1, spread, join);
        Check.that(joined(size, 0).equals(all[0]) && all[1].equals(2) && joined(size, 1).equals(all[2]),
                "Allreduce of a vector of objects");
        Check.fails(OP, "Allreduce: MPI.SUM cannot combine elements of MPI.OBJECT",
                () -> comm.Allreduce(new Object[1], 0, new Object[1], 0, 1, MPI.OBJECT, MPI.SUM));
    }

    /** A rank that cannot serialise or understand says so; the others go on or hear of it. */
    static void failures(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int bad = size - 1;
        Object[] one = {me == bad ? new Stubborn() : "good"};
        Object[] all = new Object[size];
        Runnable gather = () -> comm.Gather(one, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT, 0);
        String serialise = "object 0 of 1, a conform.Things\\$Stubborn, cannot be serialised";
        if (me == bad) {
            Check.fails(TYPE, "Gather: " + serialise, gather);
        } else if (me == 0) {
            Check.fails(OTHER, "Gather: what rank " + bad + " sent has objects that could not be serialised there",
                    gather);
            Check.that("good".equals(all[0]), "what is good has come");
        } else {
            gather.run();
        }
        Runnable bcast = () -> comm.Bcast(one, 0, 1, MPI.OBJECT, bad);
        if (me == bad) {
            Check.fails(TYPE, "Bcast: " + serialise, bcast);
        } else {
            Check.fails(OTHER, "Bcast: what rank " + bad + " sent has objects that could not be serialised", bcast);
        }
        Runnable allreduce = () -> comm.Allreduce(one, 0, all, 0, 1, MPI.OBJECT, new Op(new Join(), false));
        if (me == bad) {
            Check.fails(TYPE, "Allreduce: " + serialise, allreduce);
        } else {
            Check.fails(OTHER, "Allreduce: what rank " + bad + " sent has objects that ", allreduce);
        }
        // An array that cannot hold what comes, and one that is too short.
        Object[] narrow = me == bad ? new Integer[size] : new Object[size];
        Runnable allgather = () -> comm.Allgather(new Object[] {"text"}, 0, 1, MPI.OBJECT, narrow, 0, 1, MPI.OBJECT);
        if (me == bad) {
            Check.fails(TYPE, "Allgather: what .* sent has a java.lang.String, which does not fit a I", allgather);
        } else {
            allgather.run();
            Check.that("text".equals(narrow[bad]), "the others have it");
        }
        Runnable more = () -> comm.Alltoall(new Object[2 * size], 0, me == 0 ? 2 : 1, MPI.OBJECT, new Object[size], 0,
                1, MPI.OBJECT);
        Check.fails(TRUNCATE, "Alltoall: what .* sent has 2 objects, more than the receive buffer's 1", more);
        comm.Allgather(new Object[] {me}, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
        Check.that(all[bad].equals(bad), "afterwards everything works");
    }

    /** In a reduction all ranks must have the same number of objects; who expects more than came says so. */
    static void fewer(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int bad = size - 1;
        if (size == 1) {
            return;
        }
        int count = me == bad ? 1 : 2;
        Object[] two = {"a", "b"};
        Object[] result = new Object[2];
        Op join = new Op(new Join(), false);
        String few = "what rank " + bad + " sent has 1 object where this rank expects 2";
        String many = "what rank 0 sent has 2 objects, more than the receive buffer's 1";
        Runnable allreduce = () -> comm.Allreduce(two, 0, result, 0, count, MPI.OBJECT, join);
        Check.fails(TRUNCATE, "Allreduce: " + (me == bad ? many : few), allreduce);
        Runnable reduce = () -> comm.Reduce(two, 0, result, 0, count, MPI.OBJECT, join, 0);
        if (me == 0) {
            Check.fails(TRUNCATE, "Reduce: " + few, reduce);
        } else {
            reduce.run();
        }
        Runnable scan = () -> comm.Scan(two, 0, result, 0, count, MPI.OBJECT, join);
        if (me == bad) {
            Check.fails(TRUNCATE, "Scan: " + many, scan);
        } else {
            scan.run();
            Check.equal(me + 1, result[1].toString().length(), "Scan of the ranks that agree");
        }
        Datatype spread = Datatype.Vector(2, 1, 2, MPI.OBJECT);
        Datatype mine = me == bad ? MPI.OBJECT : spread;
        Runnable derived = () -> comm.Allreduce(new Object[] {"a", 0, "b"}, 0, new Object[3], 0, 1, mine, join);
        Check.fails(TRUNCATE, "Allreduce: " + (me == bad ? many : few), derived);
        comm.Allreduce(two, 0, result, 0, 2, MPI.OBJECT, join);
        Check.equal(size, result[1].toString().length(), "afterwards everything works");
    }

    /** What is nested too deeply for a thread's stack. */
    static void deep(Intracomm comm) {
        int bad = comm.Size() - 1;
        Object nested = null;
        if (comm.Rank() == bad) {
            for (int i = 0; i < 200_000; i++) {
                nested = new Object[] {nested};
            }
        }
        Object[] one = {nested};
        Runnable bcast = () -> comm.Bcast(one, 0, 1, MPI.OBJECT, bad);
        if (comm.Rank() == bad) {
            Check.fails(TYPE, "Bcast: object 0 of 1, a \\[L.*Object;, cannot be serialised: it is nested too deeply",
                    bcast);
        } else {
            Check.fails(OTHER, "Bcast: what rank " + bad + " sent has objects that could not be serialised", bcast);
        }
        one[0] = comm.Rank() == bad ? new Things.Huge() : null;
        if (comm.Rank() == bad) {
            Check.fails(NO_MEM, "Bcast: the objects of the buffer need more memory than there is: as it says", bcast);
        } else {
            Check.fails(OTHER, "Bcast: what rank " + bad + " sent has objects that could not be serialised", bcast);
        }
        one[0] = comm.Rank() == bad ? new Things.Bottomless() : null;
        if (comm.Rank() == bad) {
            bcast.run();
        } else {
            Check.fails(OTHER, "Bcast: what rank " + bad + " sent cannot be read at object 0 of 1: it is nested too d",
                    bcast);
        }
        Object[] all = new Object[bad + 1];
        comm.Allgather(new Object[] {comm.Rank()}, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
        Check.that(all[bad].equals(bad), "afterwards everything works");
    }
}
