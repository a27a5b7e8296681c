// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import mpi.Datatype;
import mpi.File;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/** Every call that reads or writes a file, with every kind of buffer; what one wrote is read by another. */
final class FileWays {
    /** Elements of a rank: a few, and more than a buffer of an aggregator or of a copy in pieces. */
    private static final int FEW = 7;
    private static final int MANY = 40_000;

    private FileWays() {
    }

    /** Where an access begins. */
    private enum Pointer { EXPLICIT, OWN, ORDERED, SHARED }

    private interface Access {
        Status run(File file, long at, Object buf, int count, Datatype type) throws MPIException;
    }

    private static final class Way {
        final String name;
        final Pointer pointer;
        final boolean isDirect;
        final Access write;
        final Access read;

        Way(String name, Pointer pointer, boolean isDirect, Access write, Access read) {
            this.name = name;
            this.pointer = pointer;
            this.isDirect = isDirect;
            this.write = write;
            this.read = read;
        }
    }

    private static Status done(Request request) throws MPIException {
        Check.that(!request.isNull(), "a request");
        return request.waitStatus();
    }

    private static final Way[] WAYS = {
        new Way("At", Pointer.EXPLICIT, false, (file, at, buf, count, type) -> file.writeAt(at, buf, count, type),
                (file, at, buf, count, type) -> file.readAt(at, buf, count, type)),
        new Way("AtAll", Pointer.EXPLICIT, false,
                (file, at, buf, count, type) -> file.writeAtAll(at, buf, count, type),
                (file, at, buf, count, type) -> file.readAtAll(at, buf, count, type)),
        new Way("AtAllBegin", Pointer.EXPLICIT, false, (file, at, buf, count, type) -> {
            file.writeAtAllBegin(at, buf, count, type);
            return file.writeAtAllEnd(buf);
        }, (file, at, buf, count, type) -> {
            file.readAtAllBegin(at, buf, count, type);
            return file.readAtAllEnd(buf);
        }),
        new Way("own", Pointer.OWN, false, (file, at, buf, count, type) -> file.write(buf, count, type),
                (file, at, buf, count, type) -> file.read(buf, count, type)),
        new Way("All", Pointer.OWN, false, (file, at, buf, count, type) -> file.writeAll(buf, count, type),
                (file, at, buf, count, type) -> file.readAll(buf, count, type)),
        new Way("AllBegin", Pointer.OWN, false, (file, at, buf, count, type) -> {
            file.writeAllBegin(buf, count, type);
            return file.writeAllEnd(buf);
        }, (file, at, buf, count, type) -> {
            file.readAllBegin(buf, count, type);
            return file.readAllEnd(buf);
        }),
        new Way("Ordered", Pointer.ORDERED, false, (file, at, buf, count, type) -> file.writeOrdered(buf, count, type),
                (file, at, buf, count, type) -> file.readOrdered(buf, count, type)),
        new Way("OrderedBegin", Pointer.ORDERED, false, (file, at, buf, count, type) -> {
            file.writeOrderedBegin(buf, count, type);
            return file.writeOrderedEnd(buf);
        }, (file, at, buf, count, type) -> {
            file.readOrderedBegin(buf, count, type);
            return file.readOrderedEnd(buf);
        }),
        new Way("Shared", Pointer.SHARED, false, (file, at, buf, count, type) -> file.writeShared(buf, count, type),
                (file, at, buf, count, type) -> file.readShared(buf, count, type)),
        new Way("iAt", Pointer.EXPLICIT, true,
                (file, at, buf, count, type) -> done(file.iWriteAt(at, (Buffer) buf, count, type)),
                (file, at, buf, count, type) -> done(file.iReadAt(at, (Buffer) buf, count, type))),
        new Way("iAtAll", Pointer.EXPLICIT, true,
                (file, at, buf, count, type) -> done(file.iWriteAtAll(at, (Buffer) buf, count, type)),
                (file, at, buf, count, type) -> done(file.iReadAtAll(at, (Buffer) buf, count, type))),
        new Way("iOwn", Pointer.OWN, true,
                (file, at, buf, count, type) -> done(file.iWrite((Buffer) buf, count, type)),
                (file, at, buf, count, type) -> done(file.iRead((Buffer) buf, count, type))),
        new Way("iAll", Pointer.OWN, true,
                (file, at, buf, count, type) -> done(file.iWriteAll((Buffer) buf, count, type)),
                (file, at, buf, count, type) -> done(file.iReadAll((Buffer) buf, count, type))),
        new Way("iShared", Pointer.SHARED, true,
                (file, at, buf, count, type) -> done(file.iWriteShared((Buffer) buf, count, type)),
                (file, at, buf, count, type) -> done(file.iReadShared((Buffer) buf, count, type))),
    };

    static void ways(Intracomm comm) throws Exception {
        Scratch scratch = new Scratch(comm);
        File file = new File(comm, scratch.path("ways"), MPI.MODE_RDWR | MPI.MODE_CREATE);
        for (Kind kind : Kind.values()) {
            file.setView(0, kind.type, kind.type, "native");
            for (Way way : WAYS) {
                if (!way.isDirect || kind.isDirect()) {
                    run(comm, file, way, kind, FEW, false);
                }
            }
        }
        for (Kind kind : new Kind[] {Kind.INT, Kind.DIRECT_DOUBLE}) {
            file.setView(0, kind.type, kind.type, "native");
            for (Way way : WAYS) {
                if (!way.isDirect || kind.isDirect()) {
                    run(comm, file, way, kind, MANY, true);
                }
            }
        }
        file.close();
        scratch.remove();
    }

    /**
     * Each rank writes its part, with numbers of its own, and then reads it, or the one of the next rank: that takes
     * sync, which the disk is slow with.
     */
    private static void run(Intracomm comm, File file, Way way, Kind kind, int count, boolean isOther)
            throws MPIException {
        int me = comm.getRank();
        int size = comm.getSize();
        int next = isOther ? (me + 1) % size : me;
        String what = way.name + " of " + count + " " + kind;
        Object out = kind.make(count);
        Object in = kind.make(count + 1);
        for (int i = 0; i < count; i++) {
            kind.put(out, i, value(me, i));
        }
        kind.put(in, count, 1);
        begin(comm, file, way, (long) me * count);
        check(way.write.run(file, (long) me * count, out, count, kind.type), count, kind, what);
        boolean isInOrder = way.pointer == Pointer.ORDERED || way.pointer == Pointer.SHARED;
        if (isOther || way.pointer == Pointer.SHARED) {
            file.sync();
            comm.barrier();
            file.sync();
        }
        int from = isInOrder ? me : next;
        begin(comm, file, way, (long) from * count);
        check(way.read.run(file, (long) from * count, in, count, kind.type), count, kind, what);
        int origin = way.pointer == Pointer.SHARED ? origin(size, kind, in, what) : from;
        for (int i = 0; i < count; i++) {
            Check.that(kind.has(in, i, value(origin, i)), "element " + i + " of " + what);
        }
        Check.that(kind.has(in, count, 1), "the element behind the last of " + what);
        if (way.pointer == Pointer.SHARED) {
            onceEach(comm, origin, what);
        }
        long end = way.pointer == Pointer.EXPLICIT ? 0 : way.pointer == Pointer.OWN ? (long) (from + 1) * count
                : (long) size * count;
        comm.barrier(); // all have moved the pointer
        if (way.pointer != Pointer.EXPLICIT) {
            Check.equal(end, isInOrder ? file.getPositionShared() : file.getPosition(), "the pointer after " + what);
        }
        comm.barrier();
    }

    /** The numbers of different ranks differ in all kinds but booleans, already in the first. */
    private static long value(int rank, int i) {
        return 1 + rank * 3 + i * 5;
    }

    private static void begin(Intracomm comm, File file, Way way, long at) throws MPIException {
        if (way.pointer == Pointer.OWN) {
            file.seek(at, MPI.SEEK_SET);
        } else if (way.pointer != Pointer.EXPLICIT) {
            comm.barrier();
            file.seekShared(0, MPI.SEEK_SET);
        }
    }

    private static void check(Status status, int count, Kind kind, String what) throws MPIException {
        Check.equal(count, status.getCount(kind.type), "the count of " + what);
        Check.equal(count, status.getElements(kind.type), "the elements of " + what);
        Check.that(!status.isCancelled() && status.getError() == MPI.SUCCESS, "the status of " + what);
    }

    /** Which rank wrote what is there: parts lie as they came. */
    private static int origin(int size, Kind kind, Object in, String what) {
        for (int rank = 0; rank < size; rank++) {
            if (kind.has(in, 0, value(rank, 0)) && kind.has(in, 1, value(rank, 1))) {
                return rank;
            }
        }
        throw new AssertionError("no rank wrote what there is of " + what);
    }

    private static void onceEach(Intracomm comm, int origin, String what) throws MPIException {
        int[] seen = new int[comm.getSize()];
        int[] all = new int[comm.getSize()];
        seen[origin] = 1;
        comm.allReduce(seen, all, seen.length, MPI.INT, MPI.SUM);
        Check.equal(comm.getSize(), Arrays.stream(all).sum(), "parts of " + what);
        if (!what.contains("BOOLEAN")) {
            Check.that(Arrays.stream(all).allMatch(each -> each == 1), "each part of " + what + " once");
        }
    }

    // ---- arrays and buffers that are not of the datatype's Java type; derived types ----

    static void shapes(Intracomm comm) throws Exception {
        Scratch scratch = new Scratch(comm);
        File file = new File(comm, scratch.path("shapes"), MPI.MODE_RDWR | MPI.MODE_CREATE);
        places(comm, file);
        columns(comm, file);
        ends(comm, file);
        file.close();
        scratch.remove();
    }

    /** A view of an array, an array of another type, and one inside of another. */
    private static void places(Intracomm comm, File file) throws MPIException {
        int me = comm.getRank();
        int[] ints = {-1, me, me + 1, me + 2, -1};
        long at = 12L * me;
        for (int round = 0; round < 2; round++) {
            boolean isAll = round == 1;
            write(file, isAll, at, MPI.slice(ints, 1), 3, MPI.INT);
            byte[] bytes = new byte[14];
            read(file, isAll, at, MPI.slice(bytes, 1), 3, MPI.INT);
            IntBuffer seen = ByteBuffer.wrap(bytes, 1, 12).slice().order(ByteOrder.nativeOrder()).asIntBuffer();
            Check.that(seen.equals(IntBuffer.wrap(ints, 1, 3)) && bytes[0] == 0 && bytes[13] == 0, "ints as bytes");
            long[] longs = new long[2];
            read(file, isAll, at, longs, 12, MPI.BYTE);
            ByteBuffer raw = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
            raw.asLongBuffer().put(longs);
            Check.that(raw.getInt(0) == me && raw.getInt(8) == me + 2 && raw.getInt(12) == 0, "bytes as longs");
            IntBuffer direct = MPI.newIntBuffer(5);
            read(file, isAll, at, MPI.slice(direct, 2), 3, MPI.INT);
            Check.that(direct.get(1) == 0 && direct.get(2) == me && direct.get(4) == me + 2, "a slice of a buffer");
        }
        Check.equal(0, file.readAt(0, null, 0, MPI.INT).getCount(MPI.INT), "nothing");
        Check.equal(0, file.writeAtAll(0, new int[0], 0, MPI.INT).getCount(MPI.INT), "nothing");
    }

    private static Status write(File file, boolean isAll, long at, Object buf, int count, Datatype type)
            throws MPIException {
        return isAll ? file.writeAtAll(at, buf, count, type) : file.writeAt(at, buf, count, type);
    }

    private static Status read(File file, boolean isAll, long at, Object buf, int count, Datatype type)
            throws MPIException {
        return isAll ? file.readAtAll(at, buf, count, type) : file.readAt(at, buf, count, type);
    }

    /** A column of a matrix in memory, in a row in the file; what is beside it stays. */
    private static void columns(Intracomm comm, File file) throws MPIException {
        final int rows = 600;
        int me = comm.getRank();
        Datatype column = Datatype.createVector(rows, 1, 2, MPI.DOUBLE);
        long at = 8L * rows * me;
        double[] matrix = new double[2 * rows];
        ByteBuffer direct = MPI.newByteBuffer(8 * matrix.length);
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = 10 * me + i;
            direct.putDouble(8 * i, matrix[i]);
        }
        for (int round = 0; round < 4; round++) {
            boolean isAll = round % 2 == 1;
            Object out = round < 2 ? matrix : direct;
            Check.equal(1, write(file, isAll, at, out, 1, column).getCount(column), "a column is written");
            double[] row = new double[rows];
            read(file, isAll, at, row, rows, MPI.DOUBLE);
            for (int i = 0; i < rows; i++) {
                Check.that(row[i] == 10 * me + 2 * i, "element " + i + " of a column");
            }
            double[] back = new double[2 * rows];
            Arrays.fill(back, -1);
            Status status = read(file, isAll, at, back, 1, column);
            Check.equal(rows, status.getElements(column), "elements of a column");
            for (int i = 0; i < back.length; i++) {
                Check.that(back[i] == (i % 2 == 0 ? 10 * me + i : -1), "place " + i + " of a column");
            }
        }
        file.writeAtAllBegin(at, matrix, 1, column);
        file.writeAtAllEnd(matrix);
        double[] back = new double[2 * rows];
        file.readAtAllBegin(at, back, 1, column);
        column.free(); // what has begun goes on
        file.readAtAllEnd(back);
        Check.that(back[2] == matrix[2] && back[1] == 0 && back[2 * rows - 2] == matrix[2 * rows - 2],
                "a split column");
    }

    /** At the end of the file there is less to read, and behind it nothing. */
    private static void ends(Intracomm comm, File file) throws MPIException {
        file.setSize(0);
        file.setView(0, MPI.INT, MPI.INT, "native");
        int size = comm.getSize();
        file.writeAtAll(comm.getRank(), new int[] {comm.getRank()}, 1, MPI.INT);
        Check.equal(4L * size, file.getSize(), "the size");
        for (boolean isAll : new boolean[] {false, true}) {
            int[] in = {-1, -1, -1};
            Status status = read(file, isAll, size - 1, in, 3, MPI.INT);
            Check.equal(1, status.getCount(MPI.INT), "what is there before the end");
            Check.that(in[0] == size - 1 && in[1] == -1, "before and behind the end");
            Check.equal(0, read(file, isAll, size + 5, in, 3, MPI.INT).getCount(MPI.INT), "behind the end");
        }
        ByteBuffer direct = MPI.newByteBuffer(12);
        Check.equal(1, done(file.iReadAt(size - 1, direct, 3, MPI.INT)).getCount(MPI.INT), "in the background");
        comm.barrier();
    }

    // ---- buffers that nobody else knows any more ----

    static void garbage(Intracomm comm) throws Exception {
        final int count = 50_000;
        final int parts = 4;
        Scratch scratch = new Scratch(comm);
        int me = comm.getRank();
        File file = new File(comm, scratch.path("garbage"), MPI.MODE_RDWR | MPI.MODE_CREATE);
        Request[] requests = new Request[parts];
        for (int i = 0; i < parts; i++) {
            requests[i] = file.iWriteAt((long) (me * parts + i) * count, bytes(count, me + i), count, MPI.BYTE);
        }
        collect(me);
        for (int i = 0; i < parts; i++) {
            bytes(count, -1); // in the place of what was collected
        }
        Request.waitAll(requests);
        byte[] in = new byte[count];
        for (int i = 0; i < parts; i++) {
            file.readAt((long) (me * parts + i) * count, in, count, MPI.BYTE);
            for (int k = 0; k < count; k++) {
                Check.equal((byte) (me + i + k), in[k], "part " + i, k);
            }
        }
        file.close();
        scratch.remove();
    }

    /** A few ranks are enough: they may all be threads of this JVM. */
    private static void collect(int me) {
        if (me < 2) {
            System.gc();
        }
    }

    private static ByteBuffer bytes(int count, int begin) {
        ByteBuffer bytes = MPI.newByteBuffer(count);
        for (int k = 0; k < count; k++) {
            bytes.put(k, (byte) (begin + k));
        }
        return bytes;
    }
}
