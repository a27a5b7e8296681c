/* SPDX-License-Identifier: Apache-2.0 */
/* A job of a few collective calls that end it when something is wrong: for choice_test.sh. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        value = 42;
    MPI_Bcast(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", sum == 42 * size ? "right" : "wrong");
    MPI_Finalize();
    return 0;
}
