// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;
import mpi.Struct;

/** Datatypes of the Open MPI dialect: bytes, structs, bounds. */
final class OpenTypes {
    private static final int TAG = 1;

    private OpenTypes() {
    }

    private static final class Inner extends Struct {
        private final int letter = addChar();
        private final int number = addShort(2);

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void set(char c, short s) {
                putChar(letter, c);
                putShort(number, 1, s);
            }

            boolean has(char c, short s) {
                return getChar(letter) == c && getShort(number, 1) == s;
            }
        }
    }

    private static final class Outer extends Struct {
        private final Inner inner = new Inner();
        private final int flag = addByte();
        private final int real = addDouble();
        private final int both = addStruct(inner, 2);
        private final int whole = setOffset(64).addLong();
        private final int column = addData(Datatype.createVector(2, 1, 2, MPI.INT));
        private final int single = addFloat();

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void set(int seed) {
                putByte(flag, (byte) seed);
                putDouble(real, seed + 0.5);
                inner(0).set((char) seed, (short) -seed);
                inner(1).set((char) (seed + 1), (short) seed);
                putLong(whole, 1L << 40 | seed);
                getBuffer(MPI.INT, column).putInt(8, seed);
                putFloat(single, seed);
            }

            Inner.Data inner(int index) {
                return getData(inner, both, index);
            }

            boolean has(int seed) {
                return getByte(flag) == (byte) seed && getDouble(real) == seed + 0.5
                        && inner(0).has((char) seed, (short) -seed) && inner(1).has((char) (seed + 1), (short) seed)
                        && getLong(whole) == (1L << 40 | seed) && getBuffer(MPI.INT, column).getInt(8) == seed
                        && getFloat(single) == seed;
            }
        }
    }

    static void structs(Intracomm comm) {
        int me = comm.getRank();
        int right = (me + 1) % comm.getSize();
        int left = (me + comm.getSize() - 1) % comm.getSize();
        Outer outer = new Outer();
        int extent = outer.getExtent();
        Check.equal(0, extent % 8, "padded to its strictest alignment");
        for (boolean isDirect : new boolean[] {true, false}) {
            ByteBuffer out = isDirect ? MPI.newByteBuffer(3 * extent) : MPI.slice(new byte[3 * extent + 8], 8);
            ByteBuffer in = isDirect ? MPI.newByteBuffer(3 * extent) : MPI.slice(new byte[3 * extent + 8], 8);
            for (int i = 0; i < 3; i++) {
                outer.<Outer.Data>getData(out, i).set(10 * me + i);
            }
            Request receive = comm.iRecv(in, 3, outer.getType(), left, TAG);
            comm.send(out, 3, outer.getType(), right, TAG);
            Status status = receive.waitStatus();
            Check.equal(3, status.getCount(outer.getType()), "structs");
            Check.equal(3 * 12, status.getElements(outer.getType()), "elements of structs");
            Check.equal(3 * 12, status.getElementsX(outer.getType()).getCount(), "elements, as a Count");
            for (int i = 0; i < 3; i++) {
                Check.that(outer.<Outer.Data>getData(in, i).has(10 * left + i), "struct " + i);
            }
            Check.that(outer.<Outer.Data>getData(in, 1).getBuffer().capacity() == in.capacity() - extent, "its buffer");
            ByteBuffer all = MPI.newByteBuffer(comm.getSize() * extent);
            comm.allGather(out, 1, outer.getType(), all, 1, outer.getType());
            for (int i = 0; i < comm.getSize(); i++) {
                Check.that(outer.<Outer.Data>getData(all, i).has(10 * i), "struct of rank " + i);
            }
        }
        byte[] array = new byte[extent];
        outer.<Outer.Data>getData(array).set(me);
        comm.bcast(array, 1, outer.getType(), 0);
        Check.that(outer.<Outer.Data>getData(array).has(0), "a struct in an array");
        try {
            outer.addInt();
            Check.that(false, "a field that was added to a struct in use");
        } catch (IllegalStateException e) {
            Check.that(e.getMessage().startsWith("the struct is in use"), "what it says");
        }
    }

    static void bytes(Intracomm comm) {
        Check.equal(8, MPI.DOUBLE.getSize(), "bytes of a double");
        Check.equal(1, MPI.DOUBLE.Size(), "elements of a double");
        Datatype vector = Datatype.createVector(3, 2, 4, MPI.INT);
        Check.that(vector.getSize() == 24 && vector.getExtent() == 40 && vector.Extent() == 10 && vector.getLb() == 0,
                "a vector in both units");
        Datatype hvector = Datatype.createHVector(3, 2, 16, MPI.INT);
        Check.that(hvector.getSize() == 24 && hvector.getExtent() == 40, "a vector with a distance in bytes");
        Datatype odd = Datatype.createHVector(2, 1, 5, MPI.INT);
        Check.that(odd.getSize() == 8 && odd.getTrueExtent() == 9, "a vector at odd bytes");
        Datatype indexed = Datatype.createHIndexed(new int[] {1, 1}, new int[] {8, 24}, MPI.LONG);
        Check.that(indexed.getLb() == 8 && indexed.getTrueLb() == 8 && indexed.getExtent() == 24, "indexed by bytes");
        Datatype skewed = Datatype.createHIndexed(new int[] {1, 1}, new int[] {1, 11}, MPI.SHORT);
        Check.that(skewed.getSize() == 4 && skewed.getTrueLb() == 1 && skewed.getTrueExtent() == 12, "at odd bytes");
        Datatype resized = Datatype.createResized(vector, -4, 60);
        Check.that(resized.getLb() == -4 && resized.getExtent() == 60 && resized.getTrueExtent() == 40, "resized");
        Datatype smaller = Datatype.createResized(resized, 0, 4);
        Check.that(smaller.getLb() == 0 && smaller.getExtent() == 4, "resized again");
        Datatype bytewise = Datatype.createResized(MPI.INT, 0, 6);
        Check.that(bytewise.getExtent() == 6 && bytewise.getSize() == 4, "resized to odd bytes");
        Datatype struct = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 8},
                new Datatype[] {MPI.DOUBLE, MPI.CHAR});
        Check.that(struct.getSize() == 12 && struct.getExtent() == 16, "a struct");
        Datatype[] bounded = {MPI.LB, MPI.INT, MPI.UB};
        Datatype both = Datatype.createStruct(new int[] {1, 1, 1}, new int[] {-3, 0, 9}, bounded);
        Check.that(both.getLb() == -3 && both.getExtent() == 12 && both.getSize() == 4 && both.getTrueLb() == 0
                && both.getTrueExtent() == 4, "a struct with bounds");
        bounded[0] = MPI.SHORT;
        Datatype upper = Datatype.createStruct(new int[] {1, 1, 1}, new int[] {4, 0, 32}, bounded);
        Check.that(upper.getLb() == 0 && upper.getExtent() == 32 && upper.getSize() == 6,
                "a struct with an upper bound");
        byte[] apart = new byte[64];
        comm.sendRecv(new int[] {7, 8, 9}, 12, MPI.BYTE, comm.getRank(), TAG, apart, 2, upper, comm.getRank(), TAG);
        Check.that(ByteBuffer.wrap(apart).order(ByteOrder.nativeOrder()).getInt(32) == 9,
                "structs with an upper bound");
        Check.equal(16, MPI.LONG_INT.getExtent(), "a long and an int");
        Check.equal(8, MPI.SHORT_INT.getExtent(), "a short and an int");
        Check.equal(6, MPI.SHORT_INT.getSize(), "bytes of both");
        transpose(comm, Datatype.createResized(Datatype.createVector(4, 1, 4, MPI.INT), 0, 4));
        bytesApart(comm, bytewise);
        int key = Datatype.createKeyval();
        vector.setAttr(key, "note");
        Datatype dup = vector.dup();
        vector.free();
        Check.that(vector.isNull() && !dup.isNull() && dup.getAttr(key).equals("note"), "a dup outlives its type");
        dup.setName("mine");
        Check.that(dup.getName().equals("mine"), "a name");
        dup.deleteAttr(key);
        Check.that(dup.getAttr(key) == null, "an attribute that was deleted");
        Datatype.freeKeyval(key);
        Check.fails(MPI.ERR_KEYVAL, "getAttr: the key", () -> dup.getAttr(key));
        Check.fails(MPI.ERR_TYPE, "send: the datatype .* has been freed",
                () -> comm.send(new int[40], 1, vector, 0, TAG));
        Check.fails(MPI.ERR_TYPE, "send: no buffer is of the datatype",
                () -> comm.send(new int[1], 1, MPI.DATATYPE_NULL, 0, TAG));
        Check.fails(MPI.ERR_ARG, "createStruct: there are 1 blocklengths, but 2 types", () -> Datatype.createStruct(
                new int[1], new int[1], new Datatype[] {MPI.INT, MPI.INT}));
    }

    /** A row is sent as four columns of one element. */
    private static void transpose(Intracomm comm, Datatype column) {
        int me = comm.getRank();
        int[] matrix = new int[16];
        for (int i = 0; i < 16; i++) {
            matrix[i] = i;
        }
        int[] turned = new int[16];
        comm.sendRecv(matrix, 16, MPI.INT, me, TAG, turned, 4, column, me, TAG);
        for (int i = 0; i < 16; i++) {
            Check.equal(i % 4 * 4 + i / 4, turned[i], "a matrix that was turned");
        }
    }

    /** Elements whose distance is no multiple of their size, in bytes, also where the call goes on. */
    private static void bytesApart(Intracomm comm, Datatype apart) {
        int me = comm.getRank();
        ByteBuffer out = MPI.newByteBuffer(20);
        ByteBuffer in = MPI.newByteBuffer(20);
        for (int i = 0; i < 3; i++) {
            out.putInt(6 * i, 5 + i);
        }
        comm.sendRecv(out, 3, apart, me, TAG, in, 3, apart, me, TAG);
        Check.equal(7, in.getInt(12), "elements apart");
        ByteBuffer all = MPI.newByteBuffer(18 * comm.getSize() + 2);
        comm.iAllGather(out, 3, apart, all, 3, apart).waitFor();
        Check.equal(6, all.getInt(18 * (comm.getSize() - 1) + 6), "elements apart, gathered");
    }
}
