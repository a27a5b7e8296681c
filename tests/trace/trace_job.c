/* SPDX-License-Identifier: Apache-2.0 */
/* A program for the tests of records: trace_job MODE. Ranks wait in known ways, or make known numbers of calls. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

/* Every rank waits for the next one. */
static void job_ring(void)
{
    int word;
    MPI_Recv(&word, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two ranks wait for each other, and the others compute. */
static void job_pair(void)
{
    int word;
    if (rank > 1)
        pause();
    MPI_Recv(&word, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two ranks send to each other and neither receives; rank 2 waits in a part of the job for one of them. */
static void job_sends(void)
{
    char bytes[64] = {0};
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
    if (rank < 2)
        MPI_Ssend(bytes, 64, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD);
    MPI_Bcast(bytes, 64, MPI_BYTE, 0, part);
}

/* All but one come to a barrier; that one takes a message from any. */
static void job_missing(void)
{
    int word;
    if (rank == 2)
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 has messages that it does not ask for, and waits for a request; rank 1 computes. */
static void job_queue(void)
{
    char bytes[8] = {0};
    MPI_Request request;
    if (rank == 1) {
        for (int i = 0; i < 3; i++)
            MPI_Send(bytes, 8, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
        pause();
    }
    MPI_Irecv(bytes, 8, MPI_BYTE, 1, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1 leaves a gather early and waits for the root, which waits for rank 2, which sleeps: no deadlock. */
static void job_gather(void)
{
    int mine = rank, *all = calloc((size_t)size, sizeof *all);
    if (rank == 2)
        pause();
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&mine, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&mine, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    free(all);
}

/* Numbers that the test knows: five messages of 100 bytes from 0 to each other, one of 1000 from 1 to 0 by requests,
 * three allreduces of 32 bytes, two barriers, and a broadcast of 24 bytes. */
static void job_count(void)
{
    char bytes[1000] = {0};
    double in[4] = {1, 2, 3, 4}, out[4];
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < 5; i++) {
        if (rank != 0)
            MPI_Recv(bytes, 100, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int to = 1; rank == 0 && to < size; to++)
            MPI_Send(bytes, 100, MPI_BYTE, to, i, MPI_COMM_WORLD);
    }
    if (rank == 1)
        MPI_Isend(bytes, 1000, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Irecv(bytes, 1000, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(in, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* So many messages that a small memory for events drops most of them. */
static void job_many(void)
{
    char byte = 0;
    for (int i = 0; i < 200; i++) {
        if (rank == 0)
            MPI_Send(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* For any number of ranks. */
static void job_alone(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void job_abort(void)
{
    job_count();
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    job_ring();
}

static void job_kill(void)
{
    job_count();
    if (rank == 1)
        abort();
    job_ring();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {
        {"ring", job_ring},   {"pair", job_pair},     {"sends", job_sends}, {"missing", job_missing},
        {"queue", job_queue}, {"gather", job_gather}, {"count", job_count}, {"many", job_many},
        {"abort", job_abort}, {"kill", job_kill},     {"alone", job_alone},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    MPI_Finalize();
    return 0;
}
