/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plate of halo.c, cut into rows of points: each rank puts its first and its last row into the memory of its
 * neighbours, and one fence a step completes that. The window has room for the halos of two steps in turn, so that a
 * rank may put those of the next step while a neighbour still computes with the last ones.
 *
 *     mpicc -O2 halo_put.c -o halo_put && mpirun -n 4 ./halo_put 400 100
 *
 * The sum that is printed is that of halo.c, on any number of ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ABOVE, BELOW, SIDES };

/* The new values of a row, from the rows above and below. The point left of it is hot, the one right of it cold. */
static void compute(double *next, const double *row, const double *above, const double *below, int columns)
{
    for (int j = 0; j < columns; j++)
        next[j] = ((j > 0 ? row[j - 1] : 1) + (j < columns - 1 ? row[j + 1] : 0) + above[j] + below[j]) / 4;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int points = argc > 1 ? atoi(argv[1]) : 400, steps = argc > 2 ? atoi(argv[2]) : 100;
    if (points < size) {
        fprintf(stderr, "halo_put: %d points a side are too few for %d ranks\n", points, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int rows = (int)((long)points * (rank + 1) / size - (long)points * rank / size);
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    size_t row_bytes = (size_t)points * sizeof(double);
    double *now = calloc((size_t)rows, row_bytes), *next = calloc((size_t)rows, row_bytes), *halos;
    MPI_Win win;
    MPI_Win_allocate((MPI_Aint)(2 * SIDES * row_bytes), (int)row_bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &halos, &win);

    double start = MPI_Wtime(), sum = 0, all;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int i = 0; i < steps; i++) {
        int turn = i % 2 * SIDES; /* displacements count rows */
        const double *halo = halos + turn * points;
        MPI_Put(now, points, MPI_DOUBLE, above, turn + BELOW, points, MPI_DOUBLE, win);
        MPI_Put(now + (rows - 1) * points, points, MPI_DOUBLE, below, turn + ABOVE, points, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
        for (int r = 0; r < rows; r++)
            compute(next + r * points, now + r * points, r > 0 ? now + (r - 1) * points : halo + ABOVE * points,
                    r < rows - 1 ? now + (r + 1) * points : halo + BELOW * points, points);
        double *last = now;
        now = next;
        next = last;
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < rows * points; i++)
        sum += now[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("heat of %d x %d points after %d steps: %.9g, by %d ranks in %.3f s\n", points, points, steps, all,
               size, MPI_Wtime() - start);
    MPI_Win_free(&win);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
