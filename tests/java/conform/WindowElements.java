// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import mpi.Datatype;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Win;

/** Operations on windows with elements of each datatype, and with derived datatypes on either side. */
final class WindowElements {
    private WindowElements() {
    }

    // ---- elements ----

    /** The one element at the beginning of a buffer, as a number. */
    private static double value(ByteBuffer buffer, Datatype type) {
        return type == MPI.BYTE ? buffer.get(0) : type == MPI.CHAR ? buffer.getChar(0)
                : type == MPI.SHORT ? buffer.getShort(0) : type == MPI.INT ? buffer.getInt(0)
                : type == MPI.LONG ? buffer.getLong(0) : type == MPI.FLOAT ? buffer.getFloat(0) : buffer.getDouble(0);
    }

    private static ByteBuffer with(double value, Datatype type) {
        ByteBuffer buffer = MPI.newByteBuffer(16);
        return type == MPI.BYTE ? buffer.put(0, (byte) value) : type == MPI.CHAR ? buffer.putChar(0, (char) value)
                : type == MPI.SHORT ? buffer.putShort(0, (short) value) : type == MPI.INT
                ? buffer.putInt(0, (int) value) : type == MPI.LONG ? buffer.putLong(0, (long) value)
                : type == MPI.FLOAT ? buffer.putFloat(0, (float) value) : buffer.putDouble(0, value);
    }

    static void elements(Intracomm comm) throws MPIException {
        int size = comm.getSize();
        ByteBuffer memory = MPI.newByteBuffer(64);
        Win win = new Win(memory, 64, 8, MPI.INFO_NULL, comm);
        Datatype[] numbers = {MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE};
        for (Datatype type : numbers) {
            one(comm, win, memory, type);
        }
        booleans(comm, win, memory);
        pairs(comm, win, memory, size);
        win.free();
    }

    /** All ranks add to, and compare with, an element of the last one. */
    private static void one(Intracomm comm, Win win, ByteBuffer memory, Datatype type) {
        int size = comm.getSize();
        int me = comm.getRank();
        int target = size - 1;
        for (int i = 0; i < 64; i++) {
            memory.put(i, (byte) 0);
        }
        ByteBuffer old = with(77, type);
        win.fence(0);
        win.accumulate(with(2, type), 1, type, target, 1, 1, type, MPI.SUM);
        win.fetchAndOp(with(me + 1, type), old, type, target, 2, MPI.MAX);
        win.fence(0);
        Check.that(value(old, type) >= 0 && value(old, type) <= size, "an old maximum of " + type);
        ByteBuffer sum = with(77, type);
        ByteBuffer most = with(77, type);
        win.fetchAndOp(null, sum, type, target, 1, MPI.NO_OP);
        win.getAccumulate(null, 0, type, most, 1, type, target, 2, 1, type, MPI.NO_OP);
        win.fence(0);
        Check.equal(2 * size, (long) value(sum, type), "the sum of " + type);
        Check.equal(size, (long) value(most, type), "the maximum of " + type);
        if (type == MPI.FLOAT || type == MPI.DOUBLE) {
            Check.fails(MPI.ERR_TYPE, "compareAndSwap: the datatype is " + type,
                    () -> win.compareAndSwap(sum, sum, old, type, target, 2));
            Check.fails(MPI.ERR_OP, "accumulate: MPI.BAND cannot combine", () ->
                    win.accumulate(sum, 1, type, target, 1, 1, type, MPI.BAND));
            return;
        }
        if (me == 0) {
            win.compareAndSwap(with(99, type), with(size, type), old, type, target, 2);
        }
        win.fence(0);
        Check.that(me != 0 || value(old, type) == size, "what was compared of " + type);
        win.get(most, 1, type, target, 2, 1, type);
        win.fence(0);
        Check.equal(99, (long) value(most, type), "what was swapped of " + type);
    }

    private static void booleans(Intracomm comm, Win win, ByteBuffer memory) {
        memory.put(0, (byte) 0);
        win.fence(0);
        ByteBuffer yes = MPI.newByteBuffer(1).put(0, (byte) 1);
        if (comm.getRank() == comm.getSize() - 1) {
            win.accumulate(yes, 1, MPI.BOOLEAN, 0, 0, 1, MPI.BOOLEAN, MPI.LOR);
        }
        win.fence(0);
        Check.equal(comm.getRank() == 0 ? 1 : 0, memory.get(0), "a boolean");
        win.fence(0);
    }

    /** Values with a place; complex numbers. */
    private static void pairs(Intracomm comm, Win win, ByteBuffer memory, int size) {
        int me = comm.getRank();
        Datatype[] types = {MPI.INT2, MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT, MPI.DOUBLE_INT};
        for (Datatype type : types) {
            for (int i = 0; i < 64; i++) {
                memory.put(i, (byte) 0);
            }
            win.fence(0);
            ByteBuffer pair = MPI.newByteBuffer(16);
            int place = type == MPI.LONG_INT || type == MPI.DOUBLE_INT ? 8 : 4;
            put(pair, type, 10 + me % 3);
            pair.putInt(place, me);
            win.accumulate(pair, 1, type, size - 1, 3, 1, type, MPI.MAXLOC);
            win.fence(0);
            if (me == size - 1) {
                int best = Math.min(size - 1, 2);
                Check.equal(best, memory.getInt(24 + place), "the place of the highest of " + type);
            }
            win.fence(0);
        }
        ByteBuffer complex = MPI.newByteBuffer(16).putDouble(0, me).putDouble(8, 1);
        memory.putDouble(0, 0).putDouble(8, 0);
        win.fence(0);
        win.accumulate(complex, 1, MPI.DOUBLE_COMPLEX, 0, 0, 1, MPI.DOUBLE_COMPLEX, MPI.SUM);
        win.fence(0);
        Check.that(me != 0 || memory.getDouble(0) == size * (size - 1) / 2 && memory.getDouble(8) == size,
                "a sum of complex numbers");
        Check.fails(MPI.ERR_OP, "accumulate: MPI.MAXLOC has no pairs of .*MPI.SHORT_INT",
                () -> win.accumulate(complex, 1, MPI.SHORT2, 0, 0, 1, MPI.SHORT2, MPI.MAXLOC));
        win.fence(0);
    }

    private static void put(ByteBuffer pair, Datatype type, int value) {
        if (type == MPI.INT2) {
            pair.putInt(0, value);
        } else if (type == MPI.SHORT_INT) {
            pair.putShort(0, (short) value);
        } else if (type == MPI.LONG_INT) {
            pair.putLong(0, value);
        } else if (type == MPI.FLOAT_INT) {
            pair.putFloat(0, value);
        } else {
            pair.putDouble(0, value);
        }
    }

    // ---- derived datatypes ----

    static void types(Intracomm comm) throws MPIException {
        for (int n : new int[] {3, 150}) {
            columns(comm, n);
        }
        structs(comm);
    }

    /** A column here becomes a row there; then a column of each is added to one. */
    private static void columns(Intracomm comm, int n) {
        int size = comm.getSize();
        int me = comm.getRank();
        int target = (me + 1) % size;
        int origin = (me + size - 1) % size;
        Datatype column = Datatype.createVector(n, 1, n, MPI.DOUBLE);
        column.commit();
        DoubleBuffer mine = MPI.newDoubleBuffer(n * n);
        DoubleBuffer memory = MPI.newDoubleBuffer(n * n);
        DoubleBuffer back = MPI.newDoubleBuffer(n * n);
        for (int i = 0; i < n * n; i++) {
            mine.put(i, 1000 * me + i);
            memory.put(i, 0);
        }
        Win win = new Win(memory, n * n, 1, MPI.INFO_NULL, comm);
        Group all = win.getGroup();
        win.post(all.incl(new int[] {origin}), 0);
        win.start(all.incl(new int[] {target}), 0);
        win.put(MPI.slice(mine, 1), 1, column, target, n, n, MPI.DOUBLE);
        win.put(mine, n, MPI.DOUBLE, target, 2, 1, column); // crosses the row, whose third element both write alike
        win.complete();
        win.waitFor();
        for (int i = 0; i < n; i++) {
            if (i != 2) {
                Check.that(memory.get(n + i) == 1000 * origin + i * n + 1, "a column as a row, " + i);
            }
            if (i != 1) {
                Check.that(memory.get(i * n + 2) == 1000 * origin + i, "a row as a column, " + i);
            }
        }
        win.fence(0);
        win.getAccumulate(mine, 1, column, MPI.slice(back, 1), 1, column, target, 0, 1, column, MPI.SUM);
        win.fence(0);
        for (int i = 0; i < n; i++) {
            double before = i == 1 ? 1000 * me + 1 : 0;
            Check.that(back.get(i * n + 1) == before, "an old column, " + i);
            double old = i == 1 ? 1000 * origin + 1 : 0;
            Check.that(memory.get(i * n) == old + 1000 * origin + i * n, "a sum of columns, " + i);
        }
        column.free();
        win.free();
    }

    /** Elements of different types; a type may be freed when the operation has begun. */
    private static void structs(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        int origin = (me + size - 1) % size;
        ByteBuffer memory = MPI.newByteBuffer(48);
        ByteBuffer mine = MPI.newByteBuffer(48);
        for (int i = 0; i < 3; i++) {
            mine.putInt(16 * i, me + i).putInt(16 * i + 4, -1).putDouble(16 * i + 8, me + i + 0.5);
        }
        Win win = new Win(memory, 48, 16, MPI.INFO_NULL, comm);
        win.fence(0);
        Datatype struct = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8},
                new Datatype[] {MPI.INT, MPI.DOUBLE});
        win.put(mine, 2, struct, (me + 1) % size, 1, 2, struct);
        struct.free();
        System.gc();
        win.fence(0);
        for (int i = 0; i < 2; i++) {
            int at = 16 * (i + 1);
            Check.that(memory.getInt(at) == origin + i && memory.getInt(at + 4) == 0
                    && memory.getDouble(at + 8) == origin + i + 0.5, "a struct");
        }
        Op own = new Op((mpi.UserFunction) new mpi.UserFunction() { }, true);
        IntBuffer ints = MPI.newIntBuffer(4);
        Check.fails(MPI.ERR_OP, "accumulate: the operator is one of the program",
                () -> win.accumulate(ints, 1, MPI.INT, 0, 0, 1, MPI.INT, own));
        win.free();
    }
}
