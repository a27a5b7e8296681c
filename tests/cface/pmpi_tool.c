/* SPDX-License-Identifier: Apache-2.0 */
/* A tool in between: this program's own MPI_Send and MPI_Comm_rank count and pass on to the second names. */
#include "check.h"

#include <mpi.h>

static int sends, ranks;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    ranks++;
    return PMPI_Comm_rank(comm, rank);
}

int main(int argc, char **argv)
{
    int rank, sent = 7, received = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&received, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* The library itself calls none of them: what is counted are this program's calls. */
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(received == 7);
    CHECK(sends == 1);
    CHECK(ranks == 1);
    MPI_Finalize();
    puts("pmpi_tool: passed");
    return 0;
}
