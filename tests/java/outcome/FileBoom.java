// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.File;
import mpi.MPI;

/** Rank 1 passes too short an array to a collective write, where others wait for it, and catches no exception. */
public final class FileBoom {
    private FileBoom() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        File file = new File(MPI.COMM_WORLD, "boom.bin", MPI.MODE_CREATE | MPI.MODE_RDWR);
        file.writeAtAll(4 * rank, new int[rank == 1 ? 1 : 2], 2, MPI.INT);
        file.close();
        MPI.Finalize();
    }
}
