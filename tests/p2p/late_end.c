/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 ends at once, rank 0 seconds later, and the network may do to their last words what it likes meanwhile.
 * Argument: seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        puts("begun");
        fflush(stdout);
        sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
    }
    MPI_Finalize();
    if (rank == 0)
        puts("ended well");
    return 0;
}
