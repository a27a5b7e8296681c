// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.lang.ref.WeakReference;
import java.nio.Buffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/** Leaves windows behind: until Finalize they hold their memory, which others write to; then nothing holds it. */
public final class LeftWindows {
    private LeftWindows() {
    }

    public static void main(String[] args) throws InterruptedException {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        int target = (rank + 1) % MPI.COMM_WORLD.getSize();
        List<WeakReference<Buffer>> memory = new ArrayList<>();
        Win last = leave(memory);
        System.gc();
        check(memory, true, "the memory of a window was collected");
        IntBuffer one = MPI.newIntBuffer(1).put(0, 41 + rank);
        IntBuffer sum = MPI.newIntBuffer(1);
        last.lockAll(0);
        last.accumulate(one, 1, MPI.INT, target, 7, 1, MPI.INT, MPI.SUM);
        last.flushAll();
        MPI.COMM_WORLD.barrier();
        last.get(sum, 1, MPI.INT, target, 7, 1, MPI.INT);
        last.unlockAll();
        check(sum.get(0) == 41 + rank, "the sum is " + sum.get(0));
        MPI.Finalize();
        try {
            last.fence(0);
            throw new AssertionError("a window outlives Finalize");
        } catch (MPIException e) {
            check("fence: MPI has been finalised".equals(e.getMessage()), e.getMessage());
        }
        last = null;
        for (int i = 0; i < 1000 && memory.stream().anyMatch(each -> each.get() != null); i++) {
            System.gc();
            Thread.yield();
        }
        check(memory, false, "the memory of a window is held after Finalize");
        if (rank == 0) {
            System.out.println("no window is held");
        }
    }

    private static Win leave(List<WeakReference<Buffer>> memory) {
        IntBuffer attached = note(memory, MPI.newIntBuffer(10));
        new Win(MPI.INFO_NULL, MPI.COMM_WORLD).attach(attached, 10);
        new Win(note(memory, MPI.newIntBuffer(10)), 10, 1, MPI.INFO_NULL, MPI.COMM_WORLD).fence(0);
        new Win(10, 1, MPI.INFO_NULL, MPI.COMM_WORLD, MPI.newIntBuffer(0), Win.FLAVOR_PRIVATE).lockAll(0);
        return new Win(note(memory, MPI.newIntBuffer(10)), 10, 1, MPI.INFO_NULL, MPI.COMM_WORLD);
    }

    private static IntBuffer note(List<WeakReference<Buffer>> memory, IntBuffer buffer) {
        memory.add(new WeakReference<>(buffer));
        return buffer;
    }

    private static void check(List<WeakReference<Buffer>> memory, boolean isThere, String what) {
        for (WeakReference<Buffer> each : memory) {
            check(each.get() != null == isThere, what);
        }
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new AssertionError(what);
        }
    }
}
