// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Datatypes without elements, and datatypes whose elements overlap. */
final class OddTypes {
    private static final int TYPE = 3;

    private OddTypes() {
    }

    // ---- without elements ----

    private static Datatype struct(int[] lengths, int[] displacements, Datatype... types) {
        return Datatype.Struct(lengths, displacements, types);
    }

    private static void bounds(Datatype type, int size, int lb, int ub) {
        type.Commit();
        Check.equal(size, type.Size(), "size of " + type);
        Check.equal(lb, type.Lb(), "lower bound of " + type);
        Check.equal(ub, type.Ub(), "upper bound of " + type);
        Check.equal(ub - lb, type.Extent(), "extent of " + type);
    }

    static void empty(Intracomm comm) {
        Datatype nothing = struct(new int[0], new int[0]);
        bounds(nothing, 0, 0, 0);
        Check.equal(0, nothing.getByteSize(), "bytes of nothing");
        Datatype only = struct(new int[] {1, 1}, new int[] {-2, 5}, MPI.LB, MPI.UB);
        bounds(only, 0, -2, 5);
        bounds(Datatype.Contiguous(3, nothing), 0, 0, 0);
        bounds(Datatype.Contiguous(3, only), 0, -2, 19);
        bounds(Datatype.Vector(2, 1, 2, nothing), 0, 0, 0);
        bounds(Datatype.Indexed(new int[] {1, 2}, new int[] {0, 4}, nothing), 0, 0, 0);
        bounds(struct(new int[] {1, 1}, new int[] {7, 2}, nothing, MPI.INT), 1, 2, 3);
        bounds(struct(new int[] {1, 1}, new int[] {0, 1}, MPI.DOUBLE, only), 1, -1, 6);
        bounds(struct(new int[] {1, 2}, new int[] {9, 1}, nothing, MPI.OBJECT), 2, 1, 3);
        bounds(struct(new int[] {0, 0}, new int[] {3, 4}, MPI.INT, MPI.INT), 0, 0, 0);

        int me = comm.Rank();
        for (Object buffer : new Object[] {new int[] {1}, new double[0], new Object[1], ByteBuffer.allocate(4),
            ByteBuffer.allocateDirect(4), null}) {
            for (Datatype type : new Datatype[] {nothing, only, Datatype.Contiguous(3, only)}) {
                int count = buffer == null ? 0 : 100;
                Request receive = comm.Irecv(buffer, 0, count, type, me, 1);
                comm.Send(buffer, 0, count, type, me, 1);
                Status status = receive.Wait();
                Check.equal(0, status.Get_count(MPI.BYTE), "bytes");
                Check.equal(0, status.Get_count(type), "count");
                Check.equal(0, status.Get_elements(type), "elements");
                comm.Sendrecv(buffer, 0, count, type, me, 1, buffer, 0, count, type, me, 1);
                comm.Bcast(buffer, 0, count, type, 0);
                comm.Gather(buffer, 0, count, type, buffer, 0, count, type, 0);
            }
        }
        int[] untouched = {7};
        comm.Allreduce(untouched, 0, untouched, 0, 1, nothing, MPI.SUM);
        Check.equal(7, untouched[0], "a sum of nothing");
        byte[] packed = new byte[4];
        Check.equal(2, comm.Pack(untouched, 0, 5, only, packed, 2), "nothing packed");
        Check.equal(2, comm.Unpack(packed, 2, untouched, 0, 5, only), "nothing unpacked");
        Check.fails(TYPE, "Send: the buffer is a String, but the datatype Struct\\(\\) needs an array or a ByteBuffer",
                () -> comm.Send("text", 0, 1, nothing, me, 1));
        nothing.free();
        only.free();
    }

    // ---- overlapping ----

    /** Elements are written in order: what comes later stays. */
    static void overlapping(Intracomm comm) {
        int me = comm.Rank();
        // 10923: the last of the third type goes partly with the last, short piece of a device's 256 KiB, which may be
        // there first
        for (int many : new int[] {1, 3, 100, 5000, 10923, 60000}) {
            check(comm, Datatype.Indexed(new int[] {2, 2}, new int[] {0, 1}, MPI.INT), many, 3, 0, 1, 1, 2);
            check(comm, struct(new int[] {3, 1}, new int[] {0, 1}, MPI.INT, MPI.UB), many, 1, 0, 1, 2);
            check(comm, Datatype.Vector(3, 2, 0, MPI.INT), many, 2, 0, 1, 0, 1, 0, 1);
            check(comm, Datatype.Hindexed(new int[] {1, 3, 1}, new int[] {2, 0, 1}, MPI.INT), many, 3, 2, 0, 1, 2, 1);
        }
        int[] places = new int[3 * 20000];
        for (int i = 0; i < places.length; i++) {
            places[i] = i / 3 + i % 3;
        }
        check(comm, Datatype.Vector(20000, 3, 1, MPI.INT), 1, 20002, places);
        objects(comm, me);
        refused(comm);
    }

    /** {@code places}: of one element, in the order in which they are sent. */
    private static void check(Intracomm comm, Datatype type, int count, int extent, int... places) {
        Check.equal(extent, type.Extent(), "extent of " + type);
        int length = (count - 1) * extent + Arrays.stream(places).max().getAsInt() + 1;
        int[] sent = new int[count * places.length];
        int[] wanted = new int[length + 1];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = i + 1;
            wanted[1 + i / places.length * extent + places[i % places.length]] = sent[i];
        }
        int me = comm.Rank();
        int[] in = new int[length + 1];
        Status status = comm.Sendrecv(sent, 0, sent.length, MPI.INT, me, 1, in, 1, count, type, me, 1);
        Check.equal(count, status.Get_count(type), "count of " + type);
        same(wanted, in, "Sendrecv", type);

        int partner = Sizes.partner(comm);
        if (partner >= 0) {
            Arrays.fill(in, 0);
            Request receive = comm.Irecv(in, 1, count, type, partner, 2);
            comm.Send(sent, 0, sent.length, MPI.INT, partner, 2);
            receive.Wait();
            same(wanted, in, "Irecv", type);

            Arrays.fill(in, 0);
            Request send = comm.Isend(sent, 0, sent.length, MPI.INT, partner, 3);
            comm.Recv(in, 1, count, type, partner, 3);
            send.Wait();
            same(wanted, in, "Recv", type);

            ByteBuffer direct = ByteBuffer.allocateDirect(in.length * Integer.BYTES);
            direct.order(java.nio.ByteOrder.nativeOrder());
            Prequest persistent = comm.Recv_init(direct, 1, count, type, partner, 4);
            persistent.Start();
            comm.Send(sent, 0, sent.length, MPI.INT, partner, 4);
            persistent.Wait();
            persistent.Free();
            direct.asIntBuffer().get(in);
            same(wanted, in, "Recv_init", type);
        }
        Arrays.fill(in, 0);
        byte[] packed = new byte[sent.length * Integer.BYTES];
        comm.Pack(sent, 0, sent.length, MPI.INT, packed, 0);
        comm.Unpack(packed, 0, in, 1, count, type);
        same(wanted, in, "Unpack", type);
        int[] again = new int[sent.length];
        comm.Sendrecv(in, 1, count, type, me, 1, again, 0, again.length, MPI.INT, me, 1);
        String what = "sent of " + type;
        for (int i = 0; i < again.length; i++) {
            Check.equal(wanted[1 + i / places.length * extent + places[i % places.length]], again[i], what, i);
        }
    }

    private static void same(int[] wanted, int[] found, String call, Datatype type) {
        int at = Arrays.mismatch(wanted, found);
        if (at >= 0) {
            throw new AssertionError(call + " of " + type + ": place " + at + " is wrong");
        }
    }

    private static void objects(Intracomm comm, int me) {
        Datatype twice = Datatype.Indexed(new int[] {2, 2}, new int[] {0, 1}, MPI.OBJECT);
        Object[] in = new Object[6];
        comm.Sendrecv(new Object[] {"a", "b", "c", "d", "e", "f", "g", "h"}, 0, 8, MPI.OBJECT, me, 1, in, 0, 2, twice,
                me, 1);
        Check.that(Arrays.equals(new Object[] {"a", "c", "d", "e", "g", "h"}, in), "objects that overlap");
    }

    /** Collective calls may write in any order. */
    private static void refused(Intracomm comm) {
        int size = comm.Size();
        int[] counts = new int[size];
        Arrays.fill(counts, 1);
        int[] in = new int[4 * size];
        Datatype twice = Datatype.Indexed(new int[] {2, 2}, new int[] {0, 1}, MPI.INT);
        Datatype objectsTwice = Datatype.Indexed(new int[] {2, 2}, new int[] {0, 1}, MPI.OBJECT);
        String sentence = " overlap; they can be sent, but a collective call cannot receive into them";
        Check.fails(TYPE, "Allgather: " + size + " elements of the datatype Indexed\\(MPI.INT\\)" + sentence,
                () -> comm.Allgather(in, 0, 4, MPI.INT, in, 0, 1, twice));
        Check.fails(TYPE, "Allgatherv: 1 elements of the datatype Indexed\\(MPI.INT\\)" + sentence,
                () -> comm.Allgatherv(in, 0, 4, MPI.INT, in, 0, counts, new int[size], twice));
        Check.fails(TYPE, "Allreduce: 1 elements of the datatype Indexed\\(MPI.INT\\)" + sentence,
                () -> comm.Allreduce(in, 0, in, 0, 1, twice, MPI.SUM));
        Check.fails(TYPE, "Allgather: 1 elements of the datatype Indexed\\(MPI.OBJECT\\)" + sentence,
                () -> comm.Allgather(new Object[4], 0, 4, MPI.OBJECT, new Object[4 * size], 0, 1, objectsTwice));
    }
}
