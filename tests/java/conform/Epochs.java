// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.LinkedHashMap;
import java.util.Map;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Win;

/** The ways to synchronize a window in which each rank accesses the memory of the next one. */
final class Epochs {
    /** Runs operations on the target in an epoch; at its end those of all ranks are complete everywhere. */
    interface Epoch {
        void run(Intracomm comm, Win win, int target, Runnable operations);
    }

    static final Map<String, Epoch> ALL = new LinkedHashMap<>();

    static {
        ALL.put("fence", (comm, win, target, operations) -> {
            win.fence(MPI.MODE_NOPRECEDE);
            operations.run();
            win.fence(MPI.MODE_NOSTORE | MPI.MODE_NOSUCCEED);
        });
        ALL.put("post and start", (comm, win, target, operations) -> {
            groups(comm, win, target, operations, 0);
            win.waitFor();
        });
        ALL.put("post, start and test", (comm, win, target, operations) -> {
            groups(comm, win, target, operations, 0);
            while (!win.test()) {
                Thread.yield();
            }
        });
        ALL.put("post before start", (comm, win, target, operations) -> {
            groups(comm, win, target, operations, MPI.MODE_NOCHECK);
            win.waitFor();
        });
        ALL.put("lock", (comm, win, target, operations) -> {
            win.lock(MPI.LOCK_EXCLUSIVE, target, 0);
            operations.run();
            win.unlock(target);
            comm.barrier();
        });
        ALL.put("shared lock", (comm, win, target, operations) -> {
            win.lock(MPI.LOCK_SHARED, target, MPI.MODE_NOCHECK);
            operations.run();
            win.unlock(target);
            comm.barrier();
        });
        ALL.put("lock of all", (comm, win, target, operations) -> {
            win.lockAll(0);
            operations.run();
            win.unlockAll();
            comm.barrier();
        });
        ALL.put("flush", (comm, win, target, operations) -> {
            win.lockAll(MPI.MODE_NOCHECK);
            operations.run();
            win.flushLocal(target);
            win.flush(target);
            win.sync();
            comm.barrier();
            win.unlockAll();
        });
        ALL.put("flush of all", (comm, win, target, operations) -> {
            win.lock(MPI.LOCK_SHARED, target, 0);
            operations.run();
            win.flushLocalAll();
            win.flushAll();
            comm.barrier();
            win.unlock(target);
            comm.barrier();
        });
    }

    private Epochs() {
    }

    private static void groups(Intracomm comm, Win win, int target, Runnable operations, int assertion) {
        Group all = comm.getGroup();
        int origin = (comm.getRank() + comm.getSize() - 1) % comm.getSize();
        win.post(all.incl(new int[] {origin}), assertion);
        if (assertion != 0) {
            comm.barrier();
        }
        win.start(all.incl(new int[] {target}), assertion);
        operations.run();
        win.complete();
    }
}
