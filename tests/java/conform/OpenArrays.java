// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;
import mpi.Op;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;
import mpi.Struct;
import mpi.UserFunction;

/** Arrays whose elements are of another Java type than the datatype's, in the Open MPI dialect: their bytes count. */
final class OpenArrays {
    private static final int TAG = 1;

    private OpenArrays() {
    }

    private static final class Pair extends Struct {
        private final int whole = addInt();
        private final int real = addDouble();

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void set(int seed) {
                putInt(whole, seed);
                putDouble(real, seed / 2.0);
            }

            boolean has(int seed) {
                return getInt(whole) == seed && getDouble(real) == seed / 2.0;
            }
        }
    }

    static void arrays(Intracomm comm) {
        for (int length : new int[] {0, 1, 3, 700, 30000}) {
            messages(comm, length);
            kept(comm, length);
            shared(comm, length);
        }
        odd(comm);
        structs(comm);
        combined(comm);
        eachItsType(comm);
        wrong(comm);
    }

    private static int[] filled(int length, int seed) {
        int[] array = new int[length];
        for (int i = 0; i < length; i++) {
            array[i] = seed * 1_000_003 + i * 257;
        }
        return array;
    }

    /** What the ints of an array are as bytes. */
    private static byte[] bytes(int[] array) {
        byte[] bytes = new byte[4 * array.length];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asIntBuffer().put(array);
        return bytes;
    }

    private static void messages(Intracomm comm, int length) {
        int me = comm.getRank();
        int right = (me + 1) % comm.getSize();
        int left = (me + comm.getSize() - 1) % comm.getSize();
        int[] expected = filled(length, left);
        int[] ints = new int[length];
        Request receive = comm.iRecv(ints, 4 * length, MPI.BYTE, left, TAG);
        comm.send(filled(length, me), 4 * length, MPI.BYTE, right, TAG);
        Check.equal(4 * length, receive.waitStatus().getCount(MPI.BYTE), "ints as bytes");
        Check.that(Arrays.equals(expected, ints), "ints that were sent as bytes");

        byte[] raw = new byte[4 * length + 3];
        Request send = comm.iSend(IntBuffer.wrap(filled(length, me)), 4 * length, MPI.BYTE, right, TAG);
        Status status = comm.recv(MPI.slice(raw, 3), length, MPI.INT, left, TAG);
        send.waitFor();
        Check.equal(length, status.getCount(MPI.INT), "bytes as ints");
        Check.that(Arrays.equals(bytes(expected), Arrays.copyOfRange(raw, 3, raw.length)), "bytes that are ints");

        double[] doubles = new double[length];
        comm.sendRecv(bytes(filled(2 * length, me)), 2 * length, MPI.INT, right, TAG, doubles, 2 * length, MPI.INT,
                left, TAG);
        ByteBuffer wanted = ByteBuffer.wrap(bytes(filled(2 * length, left))).order(ByteOrder.nativeOrder());
        for (int i = 0; i < length; i++) {
            Check.equal(wanted.getLong(8 * i), Double.doubleToRawLongBits(doubles[i]), "ints in doubles", i);
        }
        int[] both = filled(length, me);
        comm.sendRecvReplace(both, 4 * length, MPI.BYTE, right, TAG, left, TAG);
        Check.that(Arrays.equals(expected, both), "sent and received in one array");
    }

    /** What a request keeps, persistent or of a message that a probe took; what is buffered; what is packed. */
    private static void kept(Intracomm comm, int length) {
        int me = comm.getRank();
        int right = (me + 1) % comm.getSize();
        int left = (me + comm.getSize() - 1) % comm.getSize();
        int[] expected = filled(length, left);
        int[] out = filled(length, me);
        long[] in = new long[length / 2 + 1];
        Prequest[] both = {comm.sendInit(IntBuffer.wrap(out), 4 * length, MPI.BYTE, right, TAG),
            comm.recvInit(java.nio.LongBuffer.wrap(in), length, MPI.INT, left, TAG)};
        for (int round = 0; round < 2; round++) {
            Arrays.fill(in, -1);
            Prequest.startAll(both);
            Request.waitAll(both);
            ByteBuffer wanted = ByteBuffer.wrap(Arrays.copyOf(bytes(expected), 8 * in.length));
            for (int i = 0; i < length / 2; i++) {
                Check.equal(wanted.order(ByteOrder.nativeOrder()).getLong(8 * i), in[i], "a persistent receive", i);
            }
        }
        both[0].free();
        both[1].free();

        MPI.attachBuffer(new byte[4 * length + 1000]);
        comm.bSend(out, 4 * length, MPI.BYTE, right, TAG);
        Message message = new Message();
        message.mProbe(left, TAG, comm);
        float[] floats = new float[length];
        message.mRecv(floats, length, MPI.INT);
        MPI.detachBuffer();
        for (int i = 0; i < length; i++) {
            Check.equal(expected[i], Float.floatToRawIntBits(floats[i]), "a message that was probed", i);
        }
        byte[] packed = new byte[comm.packSize(4 * length, MPI.BYTE)];
        int end = comm.pack(out, 4 * length, MPI.BYTE, packed, 0);
        short[] shorts = new short[2 * length];
        Check.equal(end, comm.unpack(packed, 0, shorts, length, MPI.INT), "bytes that were packed");
        ByteBuffer wanted = ByteBuffer.wrap(bytes(out)).order(ByteOrder.nativeOrder());
        for (int i = 0; i < shorts.length; i++) {
            Check.equal(wanted.getShort(2 * i), shorts[i], "what was packed", i);
        }
    }

    /** Collective calls, also where a block begins inside of an element. */
    private static void shared(Intracomm comm, int length) {
        int me = comm.getRank();
        int size = comm.getSize();
        int[] ints = filled(length, me);
        comm.bcast(ints, 4 * length, MPI.BYTE, 0);
        Check.that(Arrays.equals(filled(length, 0), ints), "bcast");
        int block = 4 * length + 3;
        int[] all = new int[(size * block + 3) / 4];
        byte[] mine = new byte[block];
        Arrays.fill(mine, (byte) (me + 1));
        comm.allGather(mine, block, MPI.BYTE, all, block, MPI.BYTE);
        verifyBlocks(all, size, block, "allGather");
        ByteBuffer place = ByteBuffer.wrap(new byte[4 * all.length]);
        for (int i = 0; i < block; i++) {
            place.put(me * block + i, (byte) (me + 1));
        }
        int[] inPlace = new int[all.length];
        place.order(ByteOrder.nativeOrder()).asIntBuffer().get(inPlace);
        comm.allGather(inPlace, block, MPI.BYTE);
        verifyBlocks(inPlace, size, block, "allGather in place");
        Arrays.fill(all, 0);
        comm.iAllGather(ByteBuffer.wrap(mine), block, MPI.BYTE, IntBuffer.wrap(all), block, MPI.BYTE).waitFor();
        verifyBlocks(all, size, block, "iAllGather");
        int[] counts = new int[size];
        int[] displs = new int[size];
        for (int i = 0; i < size; i++) {
            counts[i] = block;
            displs[i] = i * block;
        }
        Arrays.fill(all, 0);
        comm.allGatherv(mine, block, MPI.BYTE, all, counts, displs, MPI.BYTE);
        verifyBlocks(all, size, block, "allGatherv");
        int[] received = new int[all.length];
        comm.allToAll(all, block, MPI.BYTE, received, block, MPI.BYTE);
        byte[] same = new byte[size * block];
        for (int i = 0; i < size; i++) {
            Arrays.fill(same, i * block, (i + 1) * block, (byte) (me + 1));
        }
        Check.that(Arrays.equals(same, Arrays.copyOf(bytes(received), same.length)), "allToAll");
    }

    private static void verifyBlocks(int[] all, int size, int block, String what) {
        byte[] bytes = bytes(all);
        for (int i = 0; i < size * block; i++) {
            Check.equal(i / block + 1, bytes[i], what, i);
        }
    }

    /** Derived datatypes of bytes in an array of ints, and slices before which the data begin. */
    private static void odd(Intracomm comm) {
        int me = comm.getRank();
        int[] source = filled(6, 3);
        byte[] flat = bytes(source);
        Datatype apart = Datatype.createVector(3, 1, 5, MPI.BYTE);
        byte[] three = new byte[3];
        comm.sendRecv(MPI.slice(source, 1), 1, apart, me, TAG, three, 3, MPI.BYTE, me, TAG);
        Check.that(three[0] == flat[4] && three[1] == flat[9] && three[2] == flat[14], "every fifth byte");
        int[] target = new int[6];
        comm.sendRecv(three, 3, MPI.BYTE, me, TAG, MPI.slice(target, 1), 1, apart, me, TAG);
        Check.that(bytes(target)[4] == flat[4] && bytes(target)[14] == flat[14] && bytes(target)[5] == 0,
                "written to every fifth byte");
        int[] gathered = new int[6 * comm.getSize()];
        Datatype row = Datatype.createResized(apart, 0, 24);
        comm.allGather(source, 1, row, gathered, 1, row);
        Check.equal(flat[10], bytes(gathered)[24 * (comm.getSize() - 1) + 10], "gathered");

        Datatype back = Datatype.createVector(3, 1, -1, MPI.INT);
        Datatype backBytes = Datatype.createHVector(3, 1, -4, MPI.INT);
        for (Datatype type : new Datatype[] {back, backBytes}) {
            int[] reversed = new int[3];
            comm.sendRecv(MPI.slice(source, 2), 1, type, me, TAG, reversed, 3, MPI.INT, me, TAG);
            Check.that(Arrays.equals(new int[] {source[2], source[1], source[0]}, reversed), "backwards: " + type);
            Arrays.fill(reversed, 0);
            comm.sendRecv(MPI.slice(flat, 8), 1, type, me, TAG, MPI.slice(reversed, 2), 1, type, me, TAG);
            Check.that(Arrays.equals(Arrays.copyOf(source, 3), reversed), "backwards and back: " + type);
        }
        Check.fails(MPI.ERR_BUFFER,
                "send: offset 0 and count 1 of .*Vector.* reach to byte -4, before the byte.24. begins",
                () -> comm.send(MPI.slice(flat, 4), 1, back, me, TAG));
        Check.fails(MPI.ERR_BUFFER, "send: offset 1 and count 1 of .*Vector.* reach to element -1, before the buffer",
                () -> comm.send(MPI.slice(source, 1), 1, back, me, TAG));
    }

    private static void structs(Intracomm comm) {
        Pair pair = new Pair();
        ByteBuffer struct = ByteBuffer.wrap(new byte[2 * pair.getExtent()]).order(ByteOrder.nativeOrder());
        pair.<Pair.Data>getData(struct, 0).set(41);
        pair.<Pair.Data>getData(struct, 1).set(43);
        int[] ints = new int[2 * pair.getExtent() / 4];
        if (comm.getRank() == 0) {
            struct.asIntBuffer().get(ints);
        }
        comm.bcast(ints, 2, pair.getType(), 0);
        ByteBuffer got = ByteBuffer.wrap(bytes(ints)).order(ByteOrder.nativeOrder());
        Check.that(pair.<Pair.Data>getData(got, 0).has(41) && pair.<Pair.Data>getData(got, 1).has(43),
                "structs in an int[]");
    }

    private static void combined(Intracomm comm) {
        int size = comm.getSize();
        int sum = size * (size + 1) / 2;
        for (int length : new int[] {1, 5, 5000}) {
            int[] values = new int[length];
            Arrays.fill(values, comm.getRank() + 1);
            int[] sums = new int[length];
            Arrays.fill(sums, sum);
            byte[] result = new byte[4 * length];
            comm.allReduce(bytes(values), result, length, MPI.INT, MPI.SUM);
            Check.that(Arrays.equals(bytes(sums), result), "sums of ints in bytes");
            byte[] inPlace = bytes(values);
            comm.allReduce(inPlace, length, MPI.INT, MPI.SUM);
            Check.that(Arrays.equals(bytes(sums), inPlace), "sums in place");
            inPlace = bytes(values);
            comm.allReduce(inPlace, length, MPI.INT, new Op(new UserFunction() {
                @Override
                public void call(Object in, Object inOut, int count, Datatype datatype) {
                    for (int i = 0; i < count; i++) {
                        ((int[]) inOut)[i] += ((int[]) in)[i];
                    }
                }
            }, true));
            Check.that(Arrays.equals(bytes(sums), inPlace), "sums of the program's own");
            byte[] local = bytes(values);
            mpi.Comm.reduceLocal(bytes(sums), local, length, MPI.INT, MPI.SUM);
            Arrays.fill(sums, sum + comm.getRank() + 1);
            Check.that(Arrays.equals(bytes(sums), local), "local sums");
        }
    }

    /** Displacements in bytes, which need not be those of elements. */
    private static void eachItsType(Intracomm comm) {
        int size = comm.getSize();
        int[] counts = new int[size];
        int[] displs = new int[size];
        Datatype[] types = new Datatype[size];
        byte[] out = new byte[5 * size];
        for (int i = 0; i < size; i++) {
            counts[i] = 1;
            displs[i] = 5 * i + 1;
            types[i] = MPI.INT;
            Arrays.fill(out, 5 * i + 1, 5 * i + 5, (byte) (10 * comm.getRank() + i));
        }
        byte[] in = new byte[5 * size];
        comm.allToAllw(out, counts, displs, types, in, counts, displs, types);
        for (int i = 0; i < in.length; i++) {
            Check.equal(i % 5 == 0 ? 0 : (byte) (10 * (i / 5) + comm.getRank()), in[i], "allToAllw", i);
        }
    }

    private static void wrong(Intracomm comm) {
        Check.fails(MPI.ERR_BUFFER,
                "send: offset 0 and count 13 of MPI.BYTE reach to byte 13, but the int.3. has 12 bytes",
                () -> comm.send(new int[3], 13, MPI.BYTE, 0, TAG));
        Check.fails(MPI.ERR_BUFFER,
                "recv: offset 0 and count 3 of MPI.BYTE reach to byte 15, but the int.3. has 12 bytes",
                () -> comm.recv(MPI.slice(new int[3], 3), 3, MPI.BYTE, 0, TAG));
        Check.fails(MPI.ERR_BUFFER,
                "iSend: offset 0 and count 2 of MPI.DOUBLE reach to byte 16, but the byte.15. has 15 bytes",
                () -> comm.iSend(ByteBuffer.wrap(new byte[15]), 2, MPI.DOUBLE, 0, TAG));
        int[] counts = new int[comm.getSize()];
        int[] displs = new int[comm.getSize()];
        counts[0] = 3;
        displs[0] = 10;
        Check.fails(MPI.ERR_BUFFER, "allGatherv: displacement 10 for rank 0 and count 3 of MPI.BYTE reach to byte 13, "
                + "but the int.3. has 12 bytes",
                () -> comm.allGatherv(new int[3], counts[comm.getRank()], MPI.BYTE,
                        new int[3], counts, displs, MPI.BYTE));
        Check.fails(MPI.ERR_TYPE, "send: the buffer is a String, but the datatype MPI.BYTE needs a byte",
                () -> comm.send("text", 1, MPI.BYTE, 0, TAG));
        Op own = new Op(new UserFunction() { }, true);
        Check.fails(MPI.ERR_TYPE,
                "Call: a UserFunction combines elements of MPI.INT that .*; the vectors are an int.. and a long..",
                () -> own.Call(new int[3], 0, new long[3], 0, 3, MPI.INT));
        Datatype apart = Datatype.createVector(2, 1, 2, MPI.INT);
        Check.fails(MPI.ERR_TYPE,
                "reduceLocal: the buffer is a byte.., but the datatype .*Vector.* needs an int.. or a Byte",
                () -> mpi.Comm.reduceLocal(new byte[12], new int[3], 1, apart, own));
        Request receive = comm.iRecv(IntBuffer.allocate(3), 3, MPI.INT, comm.getRank(), TAG);
        comm.send(new int[3], 3, MPI.INT, comm.getRank(), TAG);
        Check.equal(3, receive.waitStatus().getCount(MPI.INT), "a buffer that has an array");
        Check.fails(MPI.ERR_TYPE, "Send: the buffer is an int.., but the datatype MPI.BYTE needs a byte.. or a Byte",
                () -> comm.Send(new int[3], 0, 3, MPI.BYTE, 0, TAG));
        Check.fails(MPI.ERR_TYPE,
                "Isend: the buffer is an IntBuffer, but the datatype MPI.INT needs an int.. or a Byte",
                () -> comm.Isend(IntBuffer.allocate(3), 0, 3, MPI.INT, 0, TAG));
    }
}
