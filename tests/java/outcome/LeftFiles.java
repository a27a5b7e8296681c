// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.lang.ref.WeakReference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mpi.File;
import mpi.MPI;
import mpi.MPIException;

/**
 * Leaves files open: one as it is, one with accesses in the background, one with a split access that has not ended. The
 * program ends, what was complete is in the files, and afterwards nothing holds the buffers.
 */
public final class LeftFiles {
    private static final int BYTES = 100_000;

    private LeftFiles() {
    }

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        int size = MPI.COMM_WORLD.getSize();
        Object[] folder = {rank == 0 ? Files.createTempDirectory(Path.of("."), "left").toString() : null};
        MPI.COMM_WORLD.Bcast(folder, 0, 1, MPI.OBJECT, 0);
        List<WeakReference<Buffer>> memory = new ArrayList<>();
        File last = leave((String) folder[0], rank, memory);
        MPI.Finalize();
        try {
            last.sync();
            throw new AssertionError("a file outlives Finalize");
        } catch (MPIException e) {
            check("sync: MPI has been finalised".equals(e.getMessage()), e.getMessage());
        }
        last = null;
        for (int i = 0; i < 1000 && memory.stream().anyMatch(each -> each.get() != null); i++) {
            System.gc();
            Thread.yield();
        }
        check(memory.stream().allMatch(each -> each.get() == null), "the memory of an access is held after Finalize");
        if (rank == 0) {
            Path path = Path.of((String) folder[0]);
            check(Files.size(path.resolve("whole")) == (long) size * BYTES, "a file is too short");
            for (String each : new String[] {"whole", "background", "split"}) {
                Files.delete(path.resolve(each));
            }
            Files.delete(path);
            System.out.println("no file is held");
        }
    }

    private static File leave(String folder, int rank, List<WeakReference<Buffer>> memory) {
        int mode = MPI.MODE_CREATE | MPI.MODE_RDWR;
        File background = new File(MPI.COMM_WORLD, folder + "/background", mode);
        for (int i = 0; i < 4; i++) {
            background.iWriteAt((long) rank * BYTES, note(memory), BYTES, MPI.BYTE);
        }
        File split = new File(MPI.COMM_WORLD, folder + "/split", mode);
        split.writeAtAllBegin((long) rank * BYTES, note(memory), BYTES, MPI.BYTE);
        new File(MPI.COMM_SELF, folder + "/split", MPI.MODE_RDWR).readAtAllBegin(0, new byte[BYTES], BYTES, MPI.BYTE);
        File whole = new File(MPI.COMM_WORLD, folder + "/whole", mode);
        whole.writeOrdered(note(memory), BYTES, MPI.BYTE);
        return whole;
    }

    private static ByteBuffer note(List<WeakReference<Buffer>> memory) {
        ByteBuffer buffer = MPI.newByteBuffer(BYTES);
        memory.add(new WeakReference<>(buffer));
        return buffer;
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new AssertionError(what);
        }
    }
}
