/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong arguments that only show on several ranks: roots, and what is in place where it must not be. */
#include "coll_calls.h"
#include "wrong.h"

static int sent[COLL_ROOM], received[COLL_ROOM];

/* On an intracommunicator: every rank but the last calls as if it were beside the root. */
static void wrong_beside_root(MPI_Comm comm, int rank, int size)
{
    int root = size - 1;
    WRONG(MPI_ERR_ROOT, "ranks (0..", MPI_Bcast(sent, 1, MPI_INT, size, comm));
    if (rank == root)
        return;
    WRONG(MPI_ERR_BUFFER, "only the root may pass",
          MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, received, 1, MPI_INT, root, comm));
    WRONG(MPI_ERR_BUFFER, "only the root may pass",
          MPI_Gatherv(MPI_IN_PLACE, 1, MPI_INT, received, NULL, NULL, MPI_INT, root, comm));
    WRONG(MPI_ERR_BUFFER, "only the root may pass",
          MPI_Scatter(sent, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, root, comm));
    WRONG(MPI_ERR_BUFFER, "only the root may pass",
          MPI_Scatterv(sent, NULL, NULL, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, root, comm));
    WRONG(MPI_ERR_BUFFER, "only the root may pass",
          MPI_Reduce(MPI_IN_PLACE, received, 1, MPI_INT, MPI_SUM, root, comm));
}

/* This rank's own block of the receive buffer as send buffer. */
static void wrong_own_block(MPI_Comm comm, int rank, int size)
{
    int counts[COLL_RANKS], places[COLL_RANKS];
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap",
          MPI_Allgather(received + rank, 1, MPI_INT, received, 1, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap",
          MPI_Allgatherv(received + rank, 1, MPI_INT, received, counts, places, MPI_INT, comm));
    WRONG(MPI_ERR_TRUNCATE, "send 8 bytes to itself, but receive 4",
          MPI_Allgatherv(sent, 2, MPI_INT, received, counts, places, MPI_INT, comm));
    if (rank > 0)
        WRONG(MPI_ERR_BUFFER, "recvbuf is a NULL", MPI_Exscan(sent, NULL, 1, MPI_INT, MPI_SUM, comm));
}

/* Blocks that each fit, but not one after the other: the elements lie on each other. */
static void wrong_overlapping(MPI_Comm comm, int rank, int size)
{
    MPI_Datatype piled;
    char said[96];
    snprintf(said, sizeof said, "recvtype overlap when there are more than 1, and recvcount is 1 in each of %d blocks",
             size);
    MPI_Type_create_resized(MPI_INT, 0, 0, &piled);
    MPI_Type_commit(&piled);
    WRONG(MPI_ERR_TYPE, said, MPI_Allgather(sent, 1, MPI_INT, received, 1, piled, comm));
    WRONG(MPI_ERR_TYPE, said, MPI_Alltoall(sent, 1, MPI_INT, received, 1, piled, comm));
    WRONG(MPI_ERR_TYPE, said, MPI_Gather(sent, 1, MPI_INT, received, 1, piled, rank, comm));
    WRONG(MPI_ERR_TYPE, "recvtype overlap when recvcount is more than 1, and it is 2",
          MPI_Scatter(sent, 2, MPI_INT, received, 2, piled, (rank + 1) % size, comm));
    MPI_Type_free(&piled);
}

static void wrong_inter(MPI_Comm comm, int remote)
{
    int counts[COLL_RANKS] = {0}, places[COLL_RANKS] = {0};
    WRONG(MPI_ERR_ROOT, "MPI_ROOT, MPI_PROC_NULL or a rank of the other group",
          MPI_Bcast(sent, 1, MPI_INT, remote, comm));
    WRONG(MPI_ERR_ROOT, "root is -1", MPI_Reduce(sent, received, 1, MPI_INT, MPI_SUM, -1, comm));
    WRONG(MPI_ERR_BUFFER, "not allowed on an intercommunicator",
          MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, received, 1, MPI_INT, 0, comm));
    WRONG(MPI_ERR_BUFFER, "not allowed on an intercommunicator",
          MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, received, 1, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, "not allowed on an intercommunicator",
          MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INT, received, counts, places, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, "not allowed on an intercommunicator",
          MPI_Allreduce(MPI_IN_PLACE, received, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, "not allowed on an intercommunicator",
          MPI_Reduce_scatter_block(MPI_IN_PLACE, received, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_COMM, "comm is an intercommunicator", MPI_Scan(sent, received, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_COMM, "comm is an intercommunicator", MPI_Exscan_c(sent, received, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_TOPOLOGY, "comm has no topology",
          MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm));
    /* The root gathers; what it would send does not matter. */
    WRONG(MPI_ERR_BUFFER, "recvbuf is a NULL",
          MPI_Gather(NULL, -1, MPI_DATATYPE_NULL, NULL, 1, MPI_INT, MPI_ROOT, comm));
}

void coll_try_wrong(MPI_Comm comm)
{
    int rank, size, is_inter;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) {
        MPI_Comm_remote_size(comm, &size);
        wrong_inter(comm, size);
    } else if (size > 1) {
        wrong_beside_root(comm, rank, size);
        wrong_own_block(comm, rank, size);
        wrong_overlapping(comm, rank, size);
    }
}
