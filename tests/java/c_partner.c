/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 of a job whose rank 1 is Java (outcome/Partner.java). A message of a C rank does not say what its elements
 * are, so any receive takes it; a receive of a C rank takes any message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 50000 };

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *ints = malloc(MANY * sizeof *ints);
    if (size != 2 || !ints)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int count = 1; count <= MANY; count += MANY - 1) {
        for (int i = 0; i < count; i++)
            ints[i] = i + 1;
        MPI_Send(ints, count, MPI_INT, 1, 1, MPI_COMM_WORLD); /* as ints */
        MPI_Send(ints, count, MPI_INT, 1, 2, MPI_COMM_WORLD); /* as floats */
        MPI_Status status;
        int got;
        MPI_Recv(ints, MANY, MPI_FLOAT, 1, 3, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &got);
        if (got != count || ints[count - 1] != count)
            MPI_Abort(MPI_COMM_WORLD, 4);
    }
    printf("C has received\n");
    free(ints);
    MPI_Finalize();
    return 0;
}
