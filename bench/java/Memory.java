// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import mpi.MPI;

/** What a rank takes, as in bench/c/memory.c; here the virtual machine is most of it. */
final class Memory {
    private static final int TAG = 9;

    private Memory() {
    }

    /** 0: the kernel does not tell. */
    private static double share() {
        try {
            for (String line : Files.readAllLines(Paths.get("/proc/self/smaps_rollup"))) {
                if (line.startsWith("Pss:")) {
                    return Double.parseDouble(line.replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException unknown) {
            return 0;
        }
        return 0;
    }

    static void run(Case one) {
        if (one.mode.equals("all")) {
            Message out = new Message(one, 1).fill(1);
            Message in = new Message(one, 1);
            for (int distance = 1; distance < one.ranks; distance++) {
                MPI.COMM_WORLD.Sendrecv(
                        out.buffer, 0, out.count, out.datatype, (one.rank() + distance) % one.ranks, TAG,
                        in.buffer, 0, in.count, in.datatype, (one.rank() - distance + one.ranks) % one.ranks, TAG);
            }
        }
        double[] mine = {share()};
        double[] sum = new double[1];
        MPI.COMM_WORLD.Reduce(mine, 0, sum, 0, 1, MPI.DOUBLE, MPI.SUM, 0);
        one.bench.print(one, "KiB", sum[0] / one.ranks, sum[0] / one.ranks, 1);
    }
}
