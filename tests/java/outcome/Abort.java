// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** One rank ends the job. */
public final class Abort {
    private Abort() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 1) {
            System.out.println("now " + System.currentTimeMillis());
            MPI.COMM_WORLD.Abort(7);
        }
        MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 0);
        MPI.Finalize();
    }
}
