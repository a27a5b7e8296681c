// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** Rank 1 of a program for Open MPI makes a mistake and does not catch the exception; the others wait for it. */
public final class OpenBoom {
    private OpenBoom() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_ARE_FATAL);
        if (MPI.COMM_WORLD.getRank() == 1) {
            MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 0, -1);
        }
        MPI.COMM_WORLD.barrier();
        MPI.Finalize();
    }
}
