/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pi as the area under 4 / (1 + x * x) from 0 to 1, cut into slices that are dealt out to the ranks.
 *
 *     mpicc pi.c -o pi && mpirun -n 4 ./pi 1000000
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    long slices = argc > 1 ? atol(argv[1]) : 1000000;
    double part = 0, pi;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double start = MPI_Wtime(), width = 1.0 / (double)slices;
    for (long i = rank; i < slices; i += size) {
        double x = ((double)i + 0.5) * width;
        part += 4 / (1 + x * x) * width;
    }
    MPI_Reduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pi is about %.10f, %.1e off, by %d ranks in %.3f s\n", pi, fabs(pi - acos(-1.0)), size,
               MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
