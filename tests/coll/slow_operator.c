/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reduction to a root in several pieces, on whose way the operator takes long on one rank: what the others go on with
 * meanwhile must not pass for the piece that is not combined yet. For ranks that are processes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 16384, PERIOD = 1000, CALLS = 5, SHORT_MS = 1, LONG_MS = 30 };

/* The next call on this rank takes long. The others take some time too, so that every rank gets a share. */
static int is_slow;

static void add_slowly(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *left = in;
    int *right = inout;
    struct timespec rest = {.tv_nsec = (is_slow ? LONG_MS : SHORT_MS) * 1000000L};
    (void)type;
    nanosleep(&rest, NULL);
    is_slow = 0;
    for (int i = 0; i < *count; i++)
        right[i] += left[i];
}

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(add_slowly, 1, &op);
    int *values = malloc(COUNT * sizeof *values), *sums = malloc(COUNT * sizeof *sums);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = (rank + 1) * (i % PERIOD + call);
        is_slow = rank == 1;
        MPI_Reduce(values, sums, COUNT, MPI_INT, op, 0, MPI_COMM_WORLD);
        for (int i = 0; i < COUNT && rank == 0; i++)
            wrong += sums[i] != size * (size + 1) / 2 * (i % PERIOD + call);
    }
    if (rank == 0)
        printf("%d numbers are wrong\n", wrong);
    free(values);
    free(sums);
    MPI_Op_free(&op);
    MPI_Finalize();
    return wrong != 0;
}
