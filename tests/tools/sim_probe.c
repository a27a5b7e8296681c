/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for `corunna run --sim`: sim_probe DOUBLES [LOOPS]. After so many loops of computation its first call is an
 * allreduce, which all ranks begin at time 0 if that does not count; rank 0 prints when the last rank had ended it.
 * Then come messages of all kinds, whose data and times are checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROBE_LONG = 300000 };

static void probe_require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "sim_probe: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Round the ring, short and long; time goes on, and a receive is not over before its send began. */
static void probe_ring(int rank, int size, int count)
{
    int *out = malloc((size_t)count * sizeof *out), *in = malloc((size_t)count * sizeof *in);
    double began = MPI_Wtime(), there = 0;
    probe_require(out && in, "memory");
    for (int i = 0; i < count; i++)
        out[i] = rank * 1000 + i % 997;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Sendrecv(out, count, MPI_INT, to, 1, in, count, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        probe_require(in[i] == from * 1000 + i % 997, "a wrong number round the ring");
    MPI_Sendrecv(&began, 1, MPI_DOUBLE, to, 2, &there, 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    probe_require(MPI_Wtime() > began && MPI_Wtime() > there, "time stands still");
    free(out);
    free(in);
}

/* All to rank 0, which takes what comes first, once by polling. */
static void probe_any(int rank, int size)
{
    int sum = 0;
    if (rank > 0) {
        MPI_Ssend(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < size; i++) {
        int number = 0, flag = 0;
        MPI_Status status;
        MPI_Request request;
        if (i % 2) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        } else {
            MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
            while (!flag)
                MPI_Test(&request, &flag, &status);
        }
        probe_require(status.MPI_SOURCE == number, "a wrong sender");
        sum += number;
    }
    probe_require(sum == size * (size - 1) / 2, "a wrong sum of senders");
}

int main(int argc, char **argv)
{
    int rank, size, count = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *values = malloc((size_t)count * sizeof *values), ended, last = 0;
    probe_require(values != NULL, "memory");
    for (int i = 0; i < count; i++)
        values[i] = rank + i;
    volatile double burnt = 0;
    for (int i = 1; argc > 2 && i < atoi(argv[2]); i++)
        burnt = burnt + 1.0 / i;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ended = MPI_Wtime() * 1e6;
    for (int i = 0; i < count; i++)
        probe_require(values[i] == (double)size * (size - 1) / 2 + (double)size * i, "a wrong sum");
    MPI_Reduce(&ended, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    probe_ring(rank, size, 10);
    probe_ring(rank, size, PROBE_LONG);
    probe_any(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("allreduce %.3f\n", last);
    free(values);
    MPI_Finalize();
    return 0;
}
