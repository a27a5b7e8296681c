// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;

/** A Java program for `corunna run --sim`: the same first call as sim_probe.c, then a ring and some computation. */
public class SimProbe {
    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        int count = own.length > 0 ? Integer.parseInt(own[0]) : 1;
        double[] values = new double[count];
        double[] sums = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = rank + i;
        }
        MPI.COMM_WORLD.Allreduce(values, 0, sums, 0, count, MPI.DOUBLE, MPI.SUM);
        double[] ended = {MPI.Wtime() * 1e6};
        double[] last = new double[1];
        for (int i = 0; i < count; i++) {
            require(sums[i] == size * (size - 1) / 2.0 + (double) size * i, "a wrong sum");
        }
        MPI.COMM_WORLD.Reduce(ended, 0, last, 0, 1, MPI.DOUBLE, MPI.MAX, 0);
        int[] out = {rank};
        int[] in = new int[1];
        MPI.COMM_WORLD.Sendrecv(out, 0, 1, MPI.INT, (rank + 1) % size, 1,
                in, 0, 1, MPI.INT, (rank + size - 1) % size, 1);
        require(in[0] == (rank + size - 1) % size, "a wrong neighbour");
        double before = MPI.Wtime();
        double burnt = 0;
        for (int i = 1; i < 3_000_000; i++) {
            burnt += 1.0 / i;
        }
        double spent = MPI.Wtime() - before;
        MPI.COMM_WORLD.Barrier();
        if (rank == 0) {
            System.out.printf("allreduce %.3f%ncomputed %b%n", last[0], spent > 0 && burnt > 0);
        }
        MPI.Finalize();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }
}
