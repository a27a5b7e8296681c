// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;
import mpi.MPIException;

/**
 * Rank 1 ends before its time, and the others notice. Arguments: how it ends (boom: an exception, halt, exit), what the
 * others are in (recv, barrier, wrapped: they throw another exception because of the one they get, thread: not the main
 * one), and for how many milliseconds the launcher stands still meanwhile.
 */
public final class Followers {
    private Followers() {
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        int[] word = new int[1];
        if (rank == 1) { // all have a connection with it
            for (int other = 0; other < size; other++) {
                MPI.COMM_WORLD.Sendrecv(word, 0, 1, MPI.INT, other, 0, word, 0, 1, MPI.INT, other, 0);
            }
            MPI.COMM_WORLD.Barrier();
            stall(own[2]);
            end(own[0]);
        }
        MPI.COMM_WORLD.Sendrecv(word, 0, 1, MPI.INT, 1, 0, word, 0, 1, MPI.INT, 1, 0);
        MPI.COMM_WORLD.Barrier();
        await(own[1], word);
        MPI.Finalize();
    }

    private static void await(String call, int[] word) throws InterruptedException {
        switch (call) {
        case "barrier":
            MPI.COMM_WORLD.Barrier();
            break;
        case "wrapped":
            try {
                MPI.COMM_WORLD.Recv(word, 0, 1, MPI.INT, 1, 1);
            } catch (MPIException e) {
                throw new IllegalStateException("no more news", e);
            }
            break;
        case "thread":
            Thread other = new Thread(() -> MPI.COMM_WORLD.Recv(word, 0, 1, MPI.INT, 1, 1));
            other.start();
            other.join();
            Thread.sleep(3_600_000); // until it is ended
            break;
        default:
            MPI.COMM_WORLD.Recv(word, 0, 1, MPI.INT, 1, 1);
            break;
        }
    }

    private static void end(String how) {
        switch (how) {
        case "halt":
            Runtime.getRuntime().halt(3);
            break;
        case "exit":
            System.exit(3);
            break;
        default:
            throw new IllegalStateException("boom");
        }
    }

    /** Ranks that tell what they notice at once must have done so by then, however busy the machine is. */
    private static void stall(String word) throws IOException, InterruptedException {
        int milliseconds = Integer.parseInt(word) * ("info".equals(System.getenv("CORUNNA_LOG")) ? crowd() : 1);
        if (milliseconds > 0) {
            long launcher = ProcessHandle.current().parent().orElseThrow().pid();
            new ProcessBuilder("sh", "-c", "(sleep " + milliseconds / 1000.0 + "; kill -CONT " + launcher
                    + ") > /dev/null 2>&1 & kill -STOP " + launcher).start().waitFor();
        }
    }

    /** The processes that want a CPU, for each CPU: 1 on a quiet machine. */
    private static int crowd() throws IOException {
        String[] words = Files.readString(Path.of("/proc/loadavg")).split("[ /]");
        return 1 + Integer.parseInt(words[3]) / Runtime.getRuntime().availableProcessors();
    }
}
