/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 ends at once, rank 0 when the file is there that the argument names, and the network may do to their last
 * words what it likes meanwhile. Rank 0 says `begun`, and `ends` before it calls MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
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
        while (argc > 1 && access(argv[1], F_OK) != 0)
            usleep(1000);
        puts("ends");
        fflush(stdout);
    }
    MPI_Finalize();
    if (rank == 0)
        puts("ended well");
    return 0;
}
