// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** One rank throws while the others wait for it. */
public final class Boom {
    private Boom() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 1) {
            System.out.println("now " + System.currentTimeMillis());
            throw new IllegalStateException("boom");
        }
        MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 0);
        MPI.Finalize();
    }
}
