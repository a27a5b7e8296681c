// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;

/**
 * Pi as the area under 4 / (1 + x * x) from 0 to 1, cut into slices that are dealt out to the ranks.
 *
 *     mpijavac Pi.java
 *     mpjrun -np 4 Pi 1000000
 */
public class Pi {
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        long slices = words.length > 0 ? Long.parseLong(words[0]) : 1_000_000;
        double start = MPI.Wtime();
        double width = 1.0 / slices;
        double[] part = new double[1];
        double[] pi = new double[1];
        for (long i = rank; i < slices; i += size) {
            double x = (i + 0.5) * width;
            part[0] += 4 / (1 + x * x) * width;
        }
        MPI.COMM_WORLD.Reduce(part, 0, pi, 0, 1, MPI.DOUBLE, MPI.SUM, 0);
        if (rank == 0) {
            System.out.printf("pi is about %.10f, %.1e off, by %d ranks in %.3f s%n",
                    pi[0], Math.abs(pi[0] - Math.PI), size, MPI.Wtime() - start);
        }
        MPI.Finalize();
    }
}
