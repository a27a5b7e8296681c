// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import mpi.Datatype;
import mpi.File;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** What files know of themselves, their life, and wrong use of them. */
final class FileUses {
    private FileUses() {
    }

    static void uses(Intracomm comm) throws Exception {
        Scratch scratch = new Scratch(comm);
        life(comm, scratch);
        properties(comm, scratch);
        sizes(comm, scratch);
        pointers(comm, scratch);
        threads(comm, scratch);
        scratch.remove();
    }

    private static void life(Intracomm comm, Scratch scratch) throws MPIException {
        String name = scratch.path("life");
        Check.fails(MPI.ERR_NO_SUCH_FILE, "File: .*life.*", () -> new File(comm, name, MPI.MODE_RDWR));
        Intracomm own = comm.clone();
        File file = new File(own, name, MPI.MODE_CREATE | MPI.MODE_EXCL | MPI.MODE_WRONLY);
        own.free(); // the file has its own
        file.writeOrdered(new byte[] {(byte) comm.getRank()}, 1, MPI.BYTE);
        file.close();
        Check.fails(MPI.ERR_FILE, "close: .*life: the file has been closed", file::close);
        Check.fails(MPI.ERR_FILE_EXISTS, "File: .*life.*",
                () -> new File(comm, name, MPI.MODE_CREATE | MPI.MODE_EXCL | MPI.MODE_WRONLY));
        file = new File(comm, name, MPI.MODE_APPEND | MPI.MODE_RDWR);
        Check.equal(comm.getSize(), file.getPosition(), "the end of a file");
        Check.equal(comm.getSize(), file.getPositionShared(), "the end of a file");
        file.writeOrdered(new byte[1], 1, MPI.BYTE);
        Check.equal(2 * comm.getSize(), file.getSize(), "the size of a file that was continued");
        file.close();
        comm.barrier();
        if (comm.getRank() == 0) {
            File.delete(name);
            Check.fails(MPI.ERR_NO_SUCH_FILE, "delete: .*life.*", () -> File.delete(name, MPI.INFO_NULL));
        }
        comm.barrier();
        Check.that(!scratch.has("life"), "a file is there that was deleted");
        new File(comm, "ufs:" + name, MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE).close();
        comm.barrier();
        Check.that(!scratch.has("life"), "a file is there that was to be deleted when it was closed");
        String beyond = scratch.path("gr\u00f6\u00dfe\u20ac\uD83D\uDE00"); // as Java itself names it
        new File(MPI.COMM_SELF, beyond + comm.getRank(), MPI.MODE_CREATE | MPI.MODE_RDWR).close();
        File.delete(beyond + comm.getRank());
    }

    private static void properties(Intracomm comm, Scratch scratch) throws MPIException {
        Info info = new Info();
        info.set("cb_nodes", "1");
        info.set("nobody_knows_it", "1");
        int mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE;
        File file = new File(comm, scratch.path("properties"), mode, info);
        Check.equal(mode, file.getAMode(), "the mode");
        Check.that(file.getGroup().getSize() == comm.getSize() && file.getGroup().getRank() == comm.getRank(),
                "the group");
        Check.that("1".equals(file.getInfo().get("cb_nodes")) && file.getInfo().get("nobody_knows_it") == null,
                "the hints in force");
        info.set("cb_buffer_size", "65536");
        file.setInfo(info);
        Check.that("65536".equals(file.getInfo().get("cb_buffer_size")), "a new hint");
        file.setView(0, MPI.BYTE, MPI.BYTE, "native", info);
        info.free();
        Check.that(file.getErrhandler() == MPI.ERRORS_RETURN, "the handler");
        file.callErrhandler(MPI.ERR_IO);
        file.setErrhandler(MPI.ERRORS_ARE_FATAL);
        Check.that(file.getErrhandler() == MPI.ERRORS_ARE_FATAL, "the new handler");
        Check.fails(MPI.ERR_IO, "callErrhandler: .*properties: the program reports",
                () -> file.callErrhandler(MPI.ERR_IO));
        Check.fails(MPI.ERR_ARG, "setErrhandler: .*properties: the handler is null", () -> file.setErrhandler(null));
        Check.that(!file.getAtomicity(), "no atomicity at first");
        file.setAtomicity(true);
        Check.that(file.getAtomicity(), "atomicity");
        file.setAtomicity(false);
        file.close();
    }

    private static void sizes(Intracomm comm, Scratch scratch) throws MPIException {
        File file = new File(comm, scratch.path("sizes"), MPI.MODE_CREATE | MPI.MODE_RDWR);
        Check.equal(0, file.getSize(), "the size of a new file");
        file.setSize(1000);
        Check.equal(1000, file.getSize(), "the size");
        file.preallocate(5000);
        Check.equal(5000, file.getSize(), "the size with room");
        file.setSize(10);
        Check.equal(10, file.getSize(), "the size of a file that was cut");
        Check.fails(MPI.ERR_ARG, "setSize: .*sizes: the size is -1", () -> file.setSize(-1));
        Check.fails(MPI.ERR_ARG, "preallocate: .*sizes: the size is -1", () -> file.preallocate(-1));
        file.close();
    }

    private static void pointers(Intracomm comm, Scratch scratch) throws MPIException {
        int size = comm.getSize();
        File file = new File(comm, scratch.path("pointers"), MPI.MODE_CREATE | MPI.MODE_RDWR);
        file.setView(8, MPI.SHORT, MPI.SHORT, "native");
        file.writeOrdered(new short[] {(short) comm.getRank(), 7}, 2, MPI.SHORT);
        Check.equal(2 * size, file.getPositionShared(), "the pointer of all ranks");
        Check.equal(0, file.getPosition(), "this rank's pointer");
        file.seek(1, MPI.SEEK_SET);
        short[] in = new short[1];
        file.read(in, 1, MPI.SHORT);
        Check.equal(7, in[0], "the second element");
        file.seek(-1, MPI.SEEK_CUR);
        Check.equal(1, file.getPosition(), "one element back");
        file.seek(-2, MPI.SEEK_END);
        file.read(in, 1, MPI.SHORT);
        Check.equal(size - 1, in[0], "the last but one");
        Check.equal(8 + 2 * (2 * size - 1), file.getByteOffset(file.getPosition()), "where it is");
        comm.barrier();
        file.seekShared(-2, MPI.SEEK_END);
        Check.equal(2 * size - 2, file.getPositionShared(), "the pointer of all ranks, from the end");
        comm.barrier();
        file.seekShared(1, MPI.SEEK_CUR);
        Check.equal(2 * size - 1, file.getPositionShared(), "the pointer of all ranks, from where it was");
        Check.fails(MPI.ERR_ARG, "seek: .*pointers", () -> file.seek(-1, MPI.SEEK_SET));
        Check.fails(MPI.ERR_ARG, "seek: .*pointers: whence is 5; it is MPI.SEEK_SET", () -> file.seek(0, 5));
        file.close();
    }

    /** Threads of one rank read and write one file, each its own part, arrays and direct buffers. */
    private static void threads(Intracomm comm, Scratch scratch) throws Exception {
        final int each = 3;
        final int rounds = 40;
        File file = new File(comm, scratch.path("threads"), MPI.MODE_CREATE | MPI.MODE_RDWR);
        file.setView(0, MPI.INT, MPI.INT, "native");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] threads = new Thread[each];
        for (int t = 0; t < each; t++) {
            int number = comm.getRank() * each + t;
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < rounds; i++) {
                        alternate(file, number, i);
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            threads[t].start();
        }
        for (Thread each1 : threads) {
            each1.join();
        }
        if (failure.get() != null) {
            throw new AssertionError("a thread", failure.get());
        }
        alone(comm, file);
        file.close();
    }

    private static void alternate(File file, int number, int round) throws MPIException {
        final int count = 500;
        int[] out = new int[count];
        for (int i = 0; i < count; i++) {
            out[i] = number * 1000 + round + i;
        }
        long at = (long) number * count;
        file.writeAt(at, out, count, MPI.INT);
        IntBuffer in = MPI.newIntBuffer(count);
        Request request = file.iReadAt(at, in, count, MPI.INT);
        Check.equal(count, request.waitStatus().getCount(MPI.INT), "what a thread reads");
        for (int i = 0; i < count; i++) {
            Check.equal(out[i], in.get(i), "element of thread " + number, i);
        }
    }

    /** One thread of rank 0 is in a collective call; another one of the rank cannot close the file meanwhile. */
    private static void alone(Intracomm comm, File file) throws Exception {
        if (comm.getRank() == 0 && comm.getSize() > 1) {
            CountDownLatch isAbout = new CountDownLatch(1);
            Thread writer = new Thread(() -> {
                isAbout.countDown();
                while (!isWritten(file)) {
                    Thread.yield();
                }
            });
            writer.start();
            isAbout.await();
            boolean isRefused = false;
            while (!isRefused) { // until it is in the call: the others wait for the message
                try {
                    file.writeAtAllEnd(null);
                } catch (MPIException e) {
                    isRefused = e.getMessage().contains("another thread of this rank is in a collective call");
                    Check.that(isRefused || e.getMessage().contains("no split access has begun"), e.getMessage());
                }
            }
            Check.fails(MPI.ERR_OTHER, "close: .*another thread of this rank is in a", file::close);
            for (int i = 1; i < comm.getSize(); i++) {
                comm.send(new int[1], 1, MPI.INT, i, 5);
            }
            writer.join();
        } else {
            if (comm.getSize() > 1) {
                comm.recv(new int[1], 1, MPI.INT, 0, 5);
            }
            file.writeAtAll(0, new int[1], 0, MPI.INT);
        }
    }

    /** The thread that asks whether this one is in the call is in one itself for a moment. */
    private static boolean isWritten(File file) {
        try {
            file.writeAtAll(0, new int[1], 1, MPI.INT);
            return true;
        } catch (MPIException e) {
            Check.that(e.getMessage().contains("another thread of this rank is in a collective call"), e.getMessage());
            return false;
        }
    }

    // ---- wrong use ----

    static void wrong(Intracomm comm) throws Exception {
        Scratch scratch = new Scratch(comm);
        opening(comm, scratch);
        File file = new File(comm, scratch.path("wrong"), MPI.MODE_CREATE | MPI.MODE_RDWR);
        file.setSize(100);
        buffers(comm, file);
        views(file);
        split(file);
        comm.barrier();
        Check.equal(100, file.getSize(), "nothing was written");
        file.close();
        modes(comm, scratch);
        scratch.remove();
    }

    private static void opening(Intracomm comm, Scratch scratch) throws MPIException {
        String name = scratch.path("none");
        Check.fails(MPI.ERR_COMM, "File: the communicator is a null reference",
                () -> new File(null, name, MPI.MODE_RDONLY));
        Check.fails(MPI.ERR_BAD_FILE, "File: the file's name is null", () -> new File(comm, null, MPI.MODE_RDONLY));
        Check.fails(MPI.ERR_BAD_FILE, "delete: the file's name has a character of code 0", () -> File.delete("a\0b"));
        Check.fails(MPI.ERR_INFO, "File: the hints are a null", () -> new File(comm, name, MPI.MODE_RDONLY, null));
        Check.fails(MPI.ERR_AMODE, "File: .*", () -> new File(comm, name, MPI.MODE_RDONLY | MPI.MODE_RDWR));
        Check.fails(MPI.ERR_AMODE, "File: .*", () -> new File(comm, name, 0));
        Check.fails(MPI.ERR_NO_SUCH_FILE, "File: .*", () -> new File(comm, name + "/below", MPI.MODE_RDONLY));
        if (comm.getSize() > 1) {
            Check.fails(MPI.ERR_NOT_SAME, "File: .*", () -> new File(comm, name,
                    comm.getRank() == 0 ? MPI.MODE_RDONLY : MPI.MODE_CREATE | MPI.MODE_RDWR));
            Intracomm half = comm.split(comm.getRank() % 2, 0);
            Intercomm inter = comm.createIntercomm(half, 0, 1 - comm.getRank() % 2, 3);
            Check.fails(MPI.ERR_COMM, "File: .* is an intercommunicator", () -> new File(inter, name, MPI.MODE_RDONLY));
            inter.free();
            half.free();
        }
        Intracomm freed = comm.clone();
        freed.free();
        Check.fails(MPI.ERR_COMM, "File: ", () -> new File(freed, name, MPI.MODE_RDONLY));
    }

    private static void buffers(Intracomm comm, File file) throws MPIException {
        int[] three = new int[3];
        Check.fails(MPI.ERR_BUFFER, "writeAt: .*wrong: offset 0 and count 4 of MPI.INT reach to element 4, but",
                () -> file.writeAt(0, three, 4, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "readAll: .*wrong: offset 0 and count 4 .*", () -> file.readAll(three, 4, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "readOrderedBegin: .*wrong: .* reach to",
                () -> file.readOrderedBegin(MPI.newByteBuffer(7), 1, MPI.DOUBLE));
        Check.fails(MPI.ERR_BUFFER, "iWriteShared: .*wrong: .* reach to",
                () -> file.iWriteShared(MPI.newByteBuffer(7), 1, MPI.DOUBLE));
        Check.fails(MPI.ERR_BUFFER, "read: .*wrong: the buffer is null, but count is 1",
                () -> file.read(null, 1, MPI.INT));
        Check.fails(MPI.ERR_COUNT, "write: .*wrong: count is -1", () -> file.write(three, -1, MPI.INT));
        Check.fails(MPI.ERR_TYPE, "write: .*wrong: the datatype is null", () -> file.write(three, 1, null));
        Check.fails(MPI.ERR_TYPE, "iRead: .*wrong: no buffer is of", () -> file.iRead(null, 0, MPI.DATATYPE_NULL));
        Check.fails(MPI.ERR_TYPE, "readShared: .*wrong: elements of MPI.OBJECT cannot be in a file",
                () -> file.readShared(new Object[1], 1, MPI.OBJECT));
        Check.fails(MPI.ERR_TYPE, "read: .*wrong: the buffer is a String", () -> file.read("word", 1, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "iWriteAt: .*wrong: the buffer is a heap IntBuffer; .* take direct buffers",
                () -> file.iWriteAt(0, IntBuffer.allocate(3), 3, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "read: .*wrong: the ByteBuffer is read-only",
                () -> file.read(MPI.newByteBuffer(3).asReadOnlyBuffer(), 3, MPI.BYTE));
        Datatype overlapping = Datatype.createVector(2, 1, 0, MPI.INT);
        Check.fails(MPI.ERR_TYPE, "read: .*wrong: 1 elements of the datatype .* overlap",
                () -> file.read(three, 1, overlapping));
        overlapping.free();
        Check.fails(MPI.ERR_TYPE, "write: .*wrong: the datatype .* has been freed",
                () -> file.write(three, 1, overlapping));
        Check.fails(MPI.ERR_ARG, "readAt: .*wrong", () -> file.readAt(-1, three, 1, MPI.INT));
        Check.fails(MPI.ERR_ARG, "iWriteAt: .*wrong", () -> file.iWriteAt(-1, MPI.newByteBuffer(1), 1, MPI.BYTE));
        Check.equal(0, file.getPosition(), "this rank's pointer has not moved");
        comm.barrier();
        Check.equal(0, file.getPositionShared(), "the pointer of all ranks has not moved");
    }

    private static void views(File file) throws MPIException {
        Check.fails(MPI.ERR_ARG, "setView: .*wrong: displacement is -2; it cannot be negative",
                () -> file.setView(-2, MPI.INT, MPI.INT, "native"));
        Check.fails(MPI.ERR_TYPE, "setView: .*wrong: elements of MPI.OBJECT cannot be in a file",
                () -> file.setView(0, MPI.INT, MPI.OBJECT, "native"));
        Check.fails(MPI.ERR_TYPE, "setView: .*wrong: the datatype is null",
                () -> file.setView(0, null, MPI.INT, "native"));
        Check.fails(MPI.ERR_UNSUPPORTED_DATAREP, "setView: .*wrong: datarep is foreign; it is native, internal",
                () -> file.setView(0, MPI.INT, MPI.INT, "foreign"));
        Check.fails(MPI.ERR_UNSUPPORTED_DATAREP, "setView: .*wrong: datarep is null",
                () -> file.setView(0, MPI.INT, MPI.INT, null));
        Check.fails(MPI.ERR_INFO, "setView: .*null", () -> file.setView(0, MPI.INT, MPI.INT, "native", null));
        Datatype odd = Datatype.createContiguous(3, MPI.SHORT);
        Check.fails(MPI.ERR_ARG, "setView: .*wrong", () -> file.setView(0, MPI.INT, odd, "native"));
        odd.free();
        Datatype empty = Datatype.createContiguous(0, MPI.INT);
        int[] one = {1};
        Check.equal(0, file.writeAtAll(0, one, 3, empty).getCount(MPI.BYTE), "elements of no bytes");
        file.setView(0, MPI.INT, empty, "native");
        Check.fails(MPI.ERR_IO, "writeAtAll: .*wrong", () -> file.writeAtAll(0, one, 1, MPI.INT));
        Check.equal(0, file.readAtAll(0, one, 1, MPI.INT).getCount(MPI.BYTE), "what a view of no bytes shows");
        file.setView(0, MPI.BYTE, MPI.BYTE, "native");
        empty.free();
        Check.that(file.getView().getEType() == MPI.BYTE, "the view stays");
    }

    private static void split(File file) throws MPIException {
        byte[] room = new byte[10];
        ByteBuffer other = MPI.newByteBuffer(10);
        Check.fails(MPI.ERR_IO, "readAllEnd: .*wrong: no split access has begun", () -> file.readAllEnd(room));
        file.readAtAllBegin(5, room, 10, MPI.BYTE);
        Check.fails(MPI.ERR_IO, "writeAllBegin: .*wrong: readAtAllBegin has not been ended",
                () -> file.writeAllBegin(other, 1, MPI.BYTE));
        Check.fails(MPI.ERR_IO, "close: .*wrong: readAtAllBegin has not been ended", file::close);
        Check.fails(MPI.ERR_IO, "readAllEnd: .*wrong: the split access that has begun is that of readAtAllBegin",
                () -> file.readAllEnd(room));
        Check.fails(MPI.ERR_BUFFER, "readAtAllEnd: .*wrong: the buffer is not that of readAtAllBegin",
                () -> file.readAtAllEnd(other));
        Check.equal(10, file.readAtAllEnd(room).getCount(MPI.BYTE), "what was read after all");
    }

    private static void modes(Intracomm comm, Scratch scratch) throws MPIException {
        String name = scratch.path("wrong");
        File file = new File(comm, name, MPI.MODE_RDONLY);
        Check.fails(MPI.ERR_READ_ONLY, "write: .*wrong", () -> file.write(new byte[1], 1, MPI.BYTE));
        Check.fails(MPI.ERR_READ_ONLY, "setSize: .*wrong", () -> file.setSize(1));
        Check.fails(MPI.ERR_READ_ONLY, "writeAtAll: .*wrong", () -> file.writeAtAll(0, new byte[1], 1, MPI.BYTE));
        Check.equal(1, file.readAll(new byte[1], 1, MPI.BYTE).getCount(MPI.BYTE), "reading goes on");
        file.close();
        File written = new File(comm, name, MPI.MODE_WRONLY);
        Check.fails(MPI.ERR_ACCESS, "readAt: .*wrong", () -> written.readAt(0, new byte[1], 1, MPI.BYTE));
        written.close();
        File line = new File(comm, name, MPI.MODE_WRONLY | MPI.MODE_SEQUENTIAL);
        Check.fails(MPI.ERR_UNSUPPORTED_OPERATION, "seek: .*wrong", () -> line.seek(1, MPI.SEEK_SET));
        Check.fails(MPI.ERR_UNSUPPORTED_OPERATION, "writeAt: .*wrong", () -> line.writeAt(1, new byte[1], 1, MPI.BYTE));
        line.writeOrdered(new byte[] {1}, 1, MPI.BYTE);
        line.setView(MPI.DISPLACEMENT_CURRENT, MPI.BYTE, MPI.BYTE, "native");
        Check.equal(comm.getSize(), line.getView().getDisp(), "a view from where the pointer of all ranks was");
        line.close();
    }
}
