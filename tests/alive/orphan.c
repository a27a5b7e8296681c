/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that wait for each other for ever, after rank R has written its process id to the file begun.R in the folder of
 * the argument.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, word = 0;
    char path[512];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* Each has a connection with the next, and waits for it. */
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &word, 1, MPI_INT, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    snprintf(path, sizeof path, "%s/begun.%d", argc > 1 ? argv[1] : ".", rank);
    FILE *begun = fopen(path, "w");
    if (!begun)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fprintf(begun, "%d\n", (int)getpid());
    fclose(begun);
    MPI_Recv(&word, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 1;
}
