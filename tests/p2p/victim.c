/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for the failure tests: all ranks pass a token around until they are ended. Rank 0 prints `ready` when all
 * run, and every rank prints its process id before: `pid RANK PID`.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int rank, size, token = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("pid %d %d\n", rank, (int)getpid());
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("ready\n");
        fflush(stdout);
    }
    for (;;) {
        if (rank == 0)
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, (rank - 1 + size) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    }
}
