// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** Rank 1 throws, and then rank 2, while the job ends. */
public final class Echo {
    private Echo() {
    }

    public static void main(String[] args) throws InterruptedException {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        MPI.COMM_WORLD.Barrier();
        if (rank == 1) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> pause(700)));
            throw new IllegalStateException("boom");
        }
        if (rank == 2) {
            pause(300);
            throw new IllegalStateException("echo");
        }
        MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 0);
        MPI.Finalize();
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
