// SPDX-License-Identifier: Apache-2.0
package conform;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import mpi.Datatype;
import mpi.File;
import mpi.FileView;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;
import mpi.Struct;

/** Views: which parts of a file a rank sees, and how elements look in it. */
final class FileViews {
    private FileViews() {
    }

    static void views(Intracomm comm) throws Exception {
        Scratch scratch = new Scratch(comm);
        columns(comm, scratch);
        rows(comm, scratch);
        properties(comm, scratch);
        scratch.remove();
    }

    /** A matrix of ints in rows; each rank has every size-th column, behind a header. */
    private static void columns(Intracomm comm, Scratch scratch) throws MPIException, IOException {
        final int rows = 90;
        final int mine = 5;
        final int header = 12;
        int me = comm.getRank();
        int size = comm.getSize();
        File file = new File(comm, scratch.path("columns"), MPI.MODE_RDWR | MPI.MODE_CREATE);
        Datatype one = Datatype.createVector(mine, 1, size, MPI.INT);
        Datatype columns = Datatype.createResized(one, 0, 4 * mine * size);
        file.setView(header + 4 * me, MPI.INT, columns, "native");
        one.free();
        columns.free(); // the view has it
        int[] out = new int[rows * mine];
        for (int i = 0; i < out.length; i++) {
            out[i] = (i / mine) * mine * size + i % mine * size + me;
        }
        Check.equal(out.length, file.writeAll(out, out.length, MPI.INT).getCount(MPI.INT), "all of a view is written");
        Check.equal(header + 4 * me + 4L * size * (mine + 2), file.getByteOffset(mine + 2), "where an element is");
        file.sync();
        comm.barrier();
        ByteBuffer all = ByteBuffer.wrap(scratch.bytes("columns")).order(ByteOrder.nativeOrder());
        Check.equal(header + 4L * rows * mine * size, all.capacity(), "the size");
        for (int i = 0; i < rows * mine * size; i++) {
            Check.equal(i, all.getInt(header + 4 * i), "a matrix", i);
        }
        int[] in = new int[out.length];
        file.readAt(0, in, in.length, MPI.INT);
        Check.that(Arrays.equals(in, out), "columns, by each rank alone");
        Arrays.fill(in, -1);
        file.readAtAll(mine, in, 2 * mine, MPI.INT);
        Check.that(Arrays.equals(Arrays.copyOf(in, 2 * mine), Arrays.copyOfRange(out, mine, 3 * mine))
                && in[2 * mine] == -1, "two rows of columns");
        // From the middle of a block, and over the end of the file.
        Status status = file.readAt(out.length - 3, in, 7, MPI.INT);
        Check.equal(3, status.getCount(MPI.INT), "columns at the end");
        Check.equal(out[out.length - 1], in[2], "the last column");
        file.seek(-2, MPI.SEEK_END);
        long end = file.getPosition();
        Check.equal(out.length - 2, end, "the end of a view");
        file.close();
    }

    /** Another displacement shows other rows; a filetype without gaps is one piece. */
    private static void rows(Intracomm comm, Scratch scratch) throws MPIException {
        int me = comm.getRank();
        Datatype row = Datatype.createContiguous(100, MPI.DOUBLE);
        File file = new File(comm, scratch.path("rows"), MPI.MODE_RDWR | MPI.MODE_CREATE);
        file.setView(800L * me, MPI.DOUBLE, row, "internal");
        double[] out = new double[100];
        Arrays.fill(out, me);
        file.writeAll(out, 100, MPI.DOUBLE);
        file.setView(0, row, row, "native");
        double[] in = new double[100];
        for (int i = 0; i < comm.getSize(); i++) {
            file.readAtAll(i, in, 1, row);
            Check.that(in[0] == i && in[99] == i, "row " + i);
        }
        Check.equal(comm.getSize(), file.getSize() / file.getTypeExtent(row), "rows");
        file.close();
    }

    private static void properties(Intracomm comm, Scratch scratch) throws MPIException {
        File file = new File(comm, scratch.path("none"), MPI.MODE_RDWR | MPI.MODE_CREATE | MPI.MODE_DELETE_ON_CLOSE);
        FileView first = file.getView();
        Check.that(first.getDisp() == 0 && first.getEType() == MPI.BYTE && first.getFileType() == MPI.BYTE
                && first.getDataRep().equals("native"), "the first view");
        Datatype pairs = Datatype.createVector(2, 1, 2, MPI.INT);
        file.setView(40, MPI.INT, pairs, "external32");
        pairs.free();
        FileView view = file.getView();
        Check.that(view.getDisp() == 40 && view.getEType() == MPI.INT && view.getFileType().getExtent() == 12
                && view.getFileType().getSize() == 8 && view.getDataRep().equals("external32"), "a view");
        Check.equal(4, file.getTypeExtent(MPI.INT), "an extent");
        Check.equal(12, file.getTypeExtent(view.getFileType()), "the extent of a view");
        file.setView(view.getDisp(), view.getEType(), view.getFileType(), view.getDataRep());
        view.getFileType().free();
        Check.equal(8, file.getView().getFileType().getSize(), "a view whose type was freed by the program");
        file.close();
    }

    // ---- external32 ----

    private static final class Mixed extends Struct {
        private final int letter = addChar();
        private final int whole = setOffset(8).addLong();
        private final int real = addFloat(2);

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void set(int seed) {
                putChar(letter, (char) ('a' + seed));
                putLong(whole, -seed - 1);
                putFloat(real, 1, seed / 2f);
            }

            boolean has(int seed) {
                return getChar(letter) == (char) ('a' + seed) && getLong(whole) == -seed - 1
                        && getFloat(real, 1) == seed / 2f;
            }
        }
    }

    /** The file has the numbers with the high byte first. */
    static void external(Intracomm comm) throws Exception {
        Scratch scratch = new Scratch(comm);
        for (boolean isAll : new boolean[] {false, true}) {
            numbers(comm, scratch, isAll);
            structs(comm, scratch, isAll);
        }
        scratch.remove();
    }

    private static void numbers(Intracomm comm, Scratch scratch, boolean isAll) throws MPIException, IOException {
        final int count = 3000;
        String name = "numbers" + isAll;
        int me = comm.getRank();
        long at = (long) me * count;
        File file = new File(comm, scratch.path(name), MPI.MODE_RDWR | MPI.MODE_CREATE);
        file.setView(0, MPI.DOUBLE, MPI.DOUBLE, "external32");
        double[] out = new double[count];
        for (int i = 0; i < count; i++) {
            out[i] = me + i / 8.0;
        }
        Check.equal(count, write(file, isAll, at, out, count, MPI.DOUBLE).getCount(MPI.DOUBLE), "numbers are written");
        file.sync();
        comm.barrier();
        ByteBuffer raw = ByteBuffer.wrap(scratch.bytes(name)).order(ByteOrder.BIG_ENDIAN);
        Check.equal(8L * count * comm.getSize(), raw.capacity(), "the size");
        for (int rank = 0; rank < comm.getSize(); rank++) {
            Check.that(raw.getDouble(8 * rank * count + 8 * 2999) == rank + 2999 / 8.0, "big endian");
        }
        double[] in = new double[count];
        read(file, isAll, at, in, count, MPI.DOUBLE);
        Check.that(Arrays.equals(in, out), "an array");
        ByteBuffer direct = MPI.newByteBuffer(8 * count);
        read(file, isAll, at, direct, count, MPI.DOUBLE);
        Check.that(direct.asDoubleBuffer().get(count - 1) == out[count - 1], "a direct buffer");
        Datatype second = Datatype.createVector(count / 2, 1, 2, MPI.DOUBLE);
        Arrays.fill(in, -1);
        read(file, isAll, at, in, 1, second);
        Check.that(in[0] == out[0] && in[1] == -1 && in[2] == out[1], "every second element");
        file.readAtAllBegin(at, in, count, MPI.DOUBLE);
        file.readAtAllEnd(in);
        Check.that(Arrays.equals(in, out), "a split access");
        direct.putDouble(0, -1);
        Check.equal(1, file.iReadAt(at, direct, 1, MPI.DOUBLE).waitStatus().getCount(MPI.DOUBLE), "in the background");
        Check.that(direct.getDouble(0) == out[0], "a number that came in the background");
        file.close();
    }

    private static void structs(Intracomm comm, Scratch scratch, boolean isAll) throws MPIException, IOException {
        String name = "structs" + isAll;
        int me = comm.getRank();
        Mixed mixed = new Mixed();
        Datatype type = mixed.getType();
        File file = new File(comm, scratch.path(name), MPI.MODE_RDWR | MPI.MODE_CREATE);
        file.setView(0, type, type, "external32");
        byte[] array = new byte[3 * mixed.getExtent()];
        ByteBuffer heap = ByteBuffer.wrap(array).order(ByteOrder.nativeOrder());
        ByteBuffer direct = MPI.newByteBuffer(array.length);
        for (int i = 0; i < 3; i++) {
            at(mixed, heap, i).set(me + i);
            at(mixed, direct, i).set(me + i);
        }
        write(file, isAll, 3L * me, isAll ? direct : array, 3, type);
        file.sync();
        comm.barrier();
        int extent = file.getTypeExtent(type);
        ByteBuffer raw = ByteBuffer.wrap(scratch.bytes(name)).order(ByteOrder.BIG_ENDIAN);
        Check.equal((char) ('a' + me + 2), raw.getChar((3 * me + 2) * extent), "a letter in the file");
        byte[] back = new byte[array.length];
        read(file, isAll, 3L * me, back, 3, type);
        ByteBuffer seen = ByteBuffer.wrap(back).order(ByteOrder.nativeOrder());
        ByteBuffer other = MPI.newByteBuffer(array.length);
        read(file, isAll, 3L * me, other, 3, type);
        for (int i = 0; i < 3; i++) {
            Check.that(at(mixed, seen, i).has(me + i) && at(mixed, other, i).has(me + i), "struct " + i);
        }
        file.close();
    }

    private static Mixed.Data at(Mixed mixed, ByteBuffer buffer, int index) {
        return mixed.getData(buffer, index);
    }

    private static Status write(File file, boolean isAll, long at, Object buf, int count, Datatype type)
            throws MPIException {
        return isAll ? file.writeAtAll(at, buf, count, type) : file.writeAt(at, buf, count, type);
    }

    private static Status read(File file, boolean isAll, long at, Object buf, int count, Datatype type)
            throws MPIException {
        return isAll ? file.readAtAll(at, buf, count, type) : file.readAt(at, buf, count, type);
    }
}
