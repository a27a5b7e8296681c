/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rank greets rank 0.
 *
 *     mpicc -o hello hello.c && mpirun -n 4 ./hello
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    char text[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(text, sizeof(text), "Hello from rank %d of %d", rank, size);
    if (rank == 0) {
        puts(text);
        for (int source = 1; source < size; source++) {
            MPI_Recv(text, sizeof(text), MPI_CHAR, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            puts(text);
        }
    } else {
        MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
