// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** Rank 1 throws, and then rank 2, while the job ends: the ranks are threads, and one sees a property that another has
 * set. */
public final class Echo {
    private static final String ENDING = "outcome.ending";
    private static final long FOR_EVER_MS = 3_600_000;

    private Echo() {
    }

    public static void main(String[] args) throws InterruptedException {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        MPI.COMM_WORLD.Barrier();
        if (rank == 1) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                System.setProperty(ENDING, "yes");
                pause(FOR_EVER_MS); // which the job does not wait for
            }));
            throw new IllegalStateException("boom");
        }
        if (rank == 2) {
            while (System.getProperty(ENDING) == null) {
                pause(1);
            }
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
