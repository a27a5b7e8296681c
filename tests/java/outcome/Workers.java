// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** main ends early; another thread of each rank, which is no daemon, goes on and calls Finalize. */
public final class Workers {
    private Workers() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        new Thread(() -> {
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            int rank = MPI.COMM_WORLD.Rank();
            MPI.COMM_WORLD.Barrier();
            MPI.Finalize();
            System.out.println("worker of rank " + rank + " is done");
        }).start();
    }
}
