// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.io.File;
import java.io.IOException;
import mpi.MPI;

/** One rank is killed while the others wait for it. The directory for temporary files is empty even then. */
public final class Killed {
    private Killed() {
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        MPI.Init(args);
        MPI.COMM_WORLD.Barrier();
        String[] left = new File(System.getProperty("java.io.tmpdir")).list((dir, name) -> name.startsWith("corunna"));
        if (left.length > 0) {
            throw new AssertionError("left behind: " + left[0]);
        }
        MPI.COMM_WORLD.Barrier();
        if (MPI.COMM_WORLD.Rank() == 1) {
            System.out.println("now " + System.currentTimeMillis());
            new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
            Thread.sleep(3_600_000);
        }
        MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 0);
        MPI.Finalize();
    }
}
