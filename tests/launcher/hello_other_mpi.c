/* SPDX-License-Identifier: Apache-2.0 */
/* A plain MPI program, to be compiled against another MPI: it proves that our launcher speaks that MPI's PMI-1. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("hello from %d of %d, the ranks sum up to %d\n", rank, size, sum);
    MPI_Finalize();
    return 0;
}
