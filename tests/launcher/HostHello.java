// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;

/** Every rank tells rank 0 on which host it runs; then a sum over all that any wrong byte would spoil. */
public final class HostHello {
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        String[] host = {hostName()};
        String[] hosts = new String[size];
        MPI.COMM_WORLD.Gather(host, 0, 1, MPI.OBJECT, hosts, 0, 1, MPI.OBJECT, 0);
        double[] mine = new double[100_000];
        double[] sum = new double[mine.length];
        for (int i = 0; i < mine.length; i++) {
            mine[i] = i + rank;
        }
        MPI.COMM_WORLD.Allreduce(mine, 0, sum, 0, mine.length, MPI.DOUBLE, MPI.SUM);
        for (int i = 0; i < mine.length; i++) {
            if (sum[i] != (double) size * i + size * (size - 1) / 2) {
                throw new IllegalStateException("rank " + rank + ": a wrong sum at " + i);
            }
        }
        if (rank == 0) {
            System.out.println(String.join(" ", hosts));
        }
        MPI.Finalize();
    }

    private static String hostName() throws java.io.IOException {
        java.nio.file.Path path = java.nio.file.Path.of("/proc/sys/kernel/hostname");
        return new String(java.nio.file.Files.readAllBytes(path)).trim();
    }
}
