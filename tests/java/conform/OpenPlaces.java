// SPDX-License-Identifier: Apache-2.0
package conform;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.Datatype;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;

/** The forms of the Open MPI dialect with one buffer, those for the root and for the others, and those with a type
 * each. */
final class OpenPlaces {
    private OpenPlaces() {
    }

    private static IntBuffer filled(int length, int begin, int count, int value, boolean isDirect) {
        IntBuffer buffer = isDirect ? MPI.newIntBuffer(length) : MPI.slice(new int[length + 1], 1);
        for (int i = 0; i < length; i++) {
            buffer.put(i, i >= begin && i < begin + count ? value + i - begin : -1);
        }
        return buffer;
    }

    private static void verify(IntBuffer buffer, int begin, int count, int value, String what) {
        for (int i = 0; i < count; i++) {
            Check.equal(value + i, buffer.get(begin + i), what, i);
        }
    }

    static void places(Intracomm comm) {
        for (int count : new int[] {0, 1, 7, 3000}) {
            for (boolean isDirect : new boolean[] {true, false}) {
                for (boolean isStarted : new boolean[] {true, false}) {
                    equal(comm, count, isDirect, isStarted);
                    parts(comm, count, isDirect, isStarted);
                }
            }
        }
        if (comm.getRank() == 0) {
            Check.fails(MPI.ERR_ARG, "gatherv: rank 0 is the root 0; the form with one count is for the others",
                    () -> comm.gatherv(new int[1], 1, MPI.INT, 0));
        }
        arrays(comm);
        types(comm);
        between(comm);
    }

    private static void equal(Intracomm comm, int count, boolean isDirect, boolean isStarted) {
        int size = comm.getSize();
        int me = comm.getRank();
        int root = size - 1;
        int mine = me == root ? me * count : 0;
        IntBuffer all = filled(me == root ? size * count : count, mine, count, 100 * me, isDirect);
        if (isStarted) {
            comm.iGather(all, count, MPI.INT, root).waitFor();
        } else {
            comm.gather(all, count, MPI.INT, root);
        }
        for (int i = 0; me == root && i < size; i++) {
            verify(all, i * count, count, 100 * i, "gather in place");
        }
        all = filled(me == root ? size * count : count, 0, me == root ? size * count : 0, 5, isDirect);
        if (isStarted) {
            comm.iScatter(all, count, MPI.INT, root).waitFor();
        } else {
            comm.scatter(all, count, MPI.INT, root);
        }
        verify(all, mine, count, 5 + me * count, "scatter in place");
        all = filled(size * count, me * count, count, 100 * me, isDirect);
        if (isStarted) {
            comm.iAllGather(all, count, MPI.INT).waitFor();
        } else {
            comm.allGather(all, count, MPI.INT);
        }
        for (int i = 0; i < size; i++) {
            verify(all, i * count, count, 100 * i, "allGather in place");
        }
    }

    /** Blocks of different length, backwards. */
    private static void parts(Intracomm comm, int most, boolean isDirect, boolean isStarted) {
        int size = comm.getSize();
        int me = comm.getRank();
        int[] counts = new int[size];
        int[] displs = new int[size];
        int length = 0;
        for (int i = size - 1; i >= 0; i--) {
            counts[i] = most == 0 ? 0 : most - i % Math.min(2, most);
            displs[i] = length;
            length += counts[i] + 1;
        }
        boolean isRoot = me == 0;
        IntBuffer all = isRoot ? filled(length, displs[0], counts[0], 0, isDirect)
                : filled(counts[me], 0, counts[me], 100 * me, isDirect);
        if (isRoot && isStarted) {
            comm.iGatherv(all, counts, displs, MPI.INT, 0).waitFor();
        } else if (isRoot) {
            comm.gatherv(all, counts, displs, MPI.INT, 0);
        } else if (isStarted) {
            comm.iGatherv(all, counts[me], MPI.INT, 0).waitFor();
        } else {
            comm.gatherv(all, counts[me], MPI.INT, 0);
        }
        for (int i = 0; isRoot && i < size; i++) {
            verify(all, displs[i], counts[i], 100 * i, "gatherv");
        }
        if (isRoot && isStarted) {
            comm.iScatterv(all, counts, displs, MPI.INT, 0).waitFor();
        } else if (isRoot) {
            comm.scatterv(all, counts, displs, MPI.INT, 0);
        } else {
            all = filled(counts[me], 0, 0, 0, isDirect);
            if (isStarted) {
                comm.iScatterv(all, counts[me], MPI.INT, 0).waitFor();
            } else {
                comm.scatterv(all, counts[me], MPI.INT, 0);
            }
        }
        verify(all, isRoot ? displs[0] : 0, counts[me], 100 * me, "scatterv");
        all = filled(length, displs[me], counts[me], 100 * me, isDirect);
        if (isStarted) {
            comm.iAllGatherv(all, counts, displs, MPI.INT).waitFor();
        } else {
            comm.allGatherv(all, counts, displs, MPI.INT);
        }
        for (int i = 0; i < size; i++) {
            verify(all, displs[i], counts[i], 100 * i, "allGatherv");
        }
    }

    /** Arrays themselves, where the call goes on: MVAPICH2-J takes them. */
    private static void arrays(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        int[] all = new int[size];
        all[me] = me;
        Request gather = comm.iAllGather(all, 1, MPI.INT);
        double[] word = {me == 0 ? 4 : 0};
        Request cast = comm.iBcast(word, 1, MPI.DOUBLE, 0);
        int[] sum = new int[1];
        Request reduce = comm.iAllReduce(new int[] {me}, sum, 1, MPI.INT, MPI.SUM);
        int[] before = {1};
        Request scan = comm.iScan(before, 1, MPI.INT, MPI.SUM);
        Request.waitAll(new Request[] {gather, cast, reduce, scan});
        Check.that(all[size - 1] == size - 1 && word[0] == 4 && sum[0] == size * (size - 1) / 2, "arrays that wait");
        Check.equal(me + 1, before[0], "iScan of an array");
        Prequest send = comm.sendInit(all, size, MPI.INT, me, 6);
        Prequest receive = comm.recvInit(new int[size], size, MPI.INT, me, 6);
        for (int round = 0; round < 2; round++) {
            send.start();
            receive.start();
            send.waitFor();
            Check.equal(size, receive.waitStatus().getCount(MPI.INT), "a persistent receive into an array");
        }
        send.free();
        receive.free();
    }

    /** A buffer that only a call under way needs is not collected. */
    static void garbage(Intracomm comm) {
        int size = comm.getSize();
        if (comm.getRank() > 0) {
            List<WeakReference<Object>> rooms = new ArrayList<>();
            Request cast = forgotten(comm, rooms);
            System.gc();
            Check.that(rooms.get(0).get() != null, "the buffer of a call under way was collected");
            comm.send(new byte[1], 1, MPI.BYTE, 0, 2);
            cast.waitFor();
            return;
        }
        for (int i = 1; i < size; i++) {
            comm.recv(new byte[1], 1, MPI.BYTE, i, 2);
        }
        comm.iBcast(MPI.newByteBuffer(5000), 5000, MPI.BYTE, 0).waitFor();
    }

    private static Request forgotten(Intracomm comm, List<WeakReference<Object>> rooms) {
        ByteBuffer room = MPI.newByteBuffer(5000);
        rooms.add(new WeakReference<>(room));
        return comm.iBcast(room, 5000, MPI.BYTE, 0);
    }

    /** A datatype for each rank: the odd ones get every second number. */
    private static void types(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        Datatype second = Datatype.createVector(2, 1, 2, MPI.INT);
        Datatype[] sendTypes = new Datatype[size];
        Datatype[] recvTypes = new Datatype[size];
        int[] sendCounts = new int[size];
        int[] recvCounts = new int[size];
        int[] displs = new int[size];
        int[] values = new int[4 * size];
        for (int i = 0; i < size; i++) {
            sendTypes[i] = i % 2 == 0 ? MPI.INT : second;
            sendCounts[i] = i % 2 == 0 ? 2 : 1;
            recvTypes[i] = MPI.INT;
            recvCounts[i] = 2;
            displs[i] = 16 * i;
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = 1000 * me + i;
        }
        int[] result = new int[4 * size];
        comm.allToAllw(values, sendCounts, displs, sendTypes, result, recvCounts, displs, recvTypes);
        IntBuffer direct = MPI.newIntBuffer(4 * size);
        direct.duplicate().put(values);
        IntBuffer second2 = MPI.newIntBuffer(4 * size);
        comm.iAllToAllw(direct, sendCounts, displs, sendTypes, second2, recvCounts, displs, recvTypes).waitFor();
        for (int i = 0; i < size; i++) {
            int[] expected = {1000 * i + 4 * me, 1000 * i + 4 * me + (me % 2 == 0 ? 1 : 2), 0, 0};
            Check.that(Arrays.equals(expected, Arrays.copyOfRange(result, 4 * i, 4 * i + 4)), "allToAllw from " + i);
            for (int k = 0; k < 4; k++) {
                Check.equal(expected[k], second2.get(4 * i + k), "iAllToAllw from " + i);
            }
        }
        second.free();
    }

    /** Between two groups. */
    private static void between(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        if (size < 2) {
            return;
        }
        Intracomm half = comm.split(me % 2, me);
        Intercomm inter = comm.createIntercomm(half, 0, 1 - me % 2, 4);
        Check.that(inter.isInter() && inter.getRemoteSize() == (me % 2 == 0 ? size / 2 : size - size / 2), "inter");
        int[] sum = new int[1];
        inter.allReduce(new int[] {1}, sum, 1, MPI.INT, MPI.SUM);
        Check.equal(inter.getRemoteSize(), sum[0], "allReduce between groups");
        IntBuffer word = MPI.newIntBuffer(1);
        boolean isSender = me % 2 == 0;
        int root = !isSender ? 0 : half.getRank() == 0 ? MPI.ROOT : MPI.PROC_NULL;
        word.put(0, root == MPI.ROOT ? 77 : 0);
        inter.iBcast(word, 1, MPI.INT, root).waitFor();
        Check.equal(root == MPI.PROC_NULL ? 0 : 77, word.get(0), "iBcast between groups");
        Check.fails(MPI.ERR_COMM, "allReduce: between two groups", () -> inter.allReduce(sum, 1, MPI.INT, MPI.SUM));
        Intercomm dup = inter.dup();
        Check.equal(MPI.CONGRUENT, mpi.Comm.compare(inter, dup), "a dup");
        Intracomm merged = dup.merge(me % 2 == 1);
        Check.equal(size, merged.getSize(), "a merged communicator");
        merged.free();
        dup.disconnect();
        inter.free();
        half.free();
    }
}
