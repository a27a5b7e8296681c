/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A communicator of one rank a host, and collective operations on it: for crowded_test.sh. Hosts are told apart by
 * their names.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { HOSTS_MAX = 64 };

int main(int argc, char **argv)
{
    static char names[HOSTS_MAX][MPI_MAX_PROCESSOR_NAME];
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int rank, size, length, is_first = 1, leaders, sum = 0, one = 1, value = 0;
    MPI_Comm firsts;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    if (size > HOSTS_MAX)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < rank; i++)
        is_first = is_first && strcmp(names[i], name) != 0;
    MPI_Comm_split(MPI_COMM_WORLD, is_first ? 0 : MPI_UNDEFINED, 0, &firsts);
    if (is_first) {
        MPI_Comm_size(firsts, &leaders);
        for (int i = 0; i < 100; i++) {
            MPI_Barrier(firsts);
            MPI_Ibarrier(firsts, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            value = rank == 0 ? i : -1;
            MPI_Bcast(&value, 1, MPI_INT, 0, firsts);
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, firsts);
            if (value != i || sum != leaders)
                MPI_Abort(MPI_COMM_WORLD, 2);
        }
        MPI_Comm_free(&firsts);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("right on %d of %d\n", leaders, size);
    MPI_Finalize();
    return 0;
}
