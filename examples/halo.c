/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plate whose left edge is hot: every point becomes the mean of its four neighbours, again and again. The ranks form
 * a grid, each has a tile, and around it a halo: the points next to it that belong to others. While the halos are on
 * their way a rank computes what does not need them, so that communication costs little.
 *
 *     mpicc -O2 halo.c -o halo && mpirun -n 4 ./halo 400 100
 *
 * The sum that is printed does not depend on the number of ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tile {
    int rows, columns, stride; /* without the halo; the stride with it */
    int first_row, first_column;
    double *now, *next;
} tile;

enum { UP, DOWN, LEFT, RIGHT, SIDES };

/* Rank `index` of `count` gets so many of `total`, from *first_p on. */
static int share(int total, int count, int index, int *first_p)
{
    *first_p = (int)((long)total * index / count);
    return (int)((long)total * (index + 1) / count) - *first_p;
}

static double *at(const tile *t, double *points, int row, int column)
{
    return points + (size_t)(row + 1) * (size_t)t->stride + column + 1;
}

static void compute(const tile *t, int row, int row_end, int column, int column_end)
{
    for (int i = row; i < row_end; i++)
        for (int j = column; j < column_end; j++) {
            const double *p = at(t, t->now, i, j);
            *at(t, t->next, i, j) = (p[-1] + p[1] + p[-t->stride] + p[t->stride]) / 4;
        }
}

/* What was received last in the other array stays there: the edge of the plate is set in both. */
static void heat_left_edge(const tile *t)
{
    for (int i = 0; i < t->rows && t->first_column == 0; i++)
        *at(t, t->now, i, -1) = *at(t, t->next, i, -1) = 1;
}

static void step(tile *t, MPI_Comm grid, const int neighbours[SIDES], MPI_Datatype column)
{
    MPI_Request requests[2 * SIDES];
    double *points = t->now;
    int last_row = t->rows - 1, last_column = t->columns - 1;
    MPI_Irecv(at(t, points, -1, 0), t->columns, MPI_DOUBLE, neighbours[UP], 0, grid, &requests[0]);
    MPI_Irecv(at(t, points, t->rows, 0), t->columns, MPI_DOUBLE, neighbours[DOWN], 0, grid, &requests[1]);
    MPI_Irecv(at(t, points, 0, -1), 1, column, neighbours[LEFT], 0, grid, &requests[2]);
    MPI_Irecv(at(t, points, 0, t->columns), 1, column, neighbours[RIGHT], 0, grid, &requests[3]);
    MPI_Isend(at(t, points, 0, 0), t->columns, MPI_DOUBLE, neighbours[UP], 0, grid, &requests[4]);
    MPI_Isend(at(t, points, last_row, 0), t->columns, MPI_DOUBLE, neighbours[DOWN], 0, grid, &requests[5]);
    MPI_Isend(at(t, points, 0, 0), 1, column, neighbours[LEFT], 0, grid, &requests[6]);
    MPI_Isend(at(t, points, 0, last_column), 1, column, neighbours[RIGHT], 0, grid, &requests[7]);
    compute(t, 1, last_row, 1, last_column);
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
    compute(t, 0, 1, 0, t->columns);
    compute(t, last_row, t->rows, 0, t->columns);
    compute(t, 1, last_row, 0, 1);
    compute(t, 1, last_row, last_column, t->columns);
    t->now = t->next;
    t->next = points;
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2], neighbours[SIDES];
    MPI_Init(&argc, &argv);
    int points = argc > 1 ? atoi(argv[1]) : 400, steps = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Comm grid;
    MPI_Datatype column;
    tile t;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    if (points < 2 * dims[0] || points < 2 * dims[1]) {
        if (rank == 0) {
            fprintf(stderr, "halo: %d points a side are too few for %d x %d ranks\n", points, dims[0], dims[1]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Barrier(grid); /* rank 0 ends the job, once it has said why */
    }
    MPI_Cart_coords(grid, rank, 2, place);
    MPI_Cart_shift(grid, 0, 1, &neighbours[UP], &neighbours[DOWN]);
    MPI_Cart_shift(grid, 1, 1, &neighbours[LEFT], &neighbours[RIGHT]);
    t.rows = share(points, dims[0], place[0], &t.first_row);
    t.columns = share(points, dims[1], place[1], &t.first_column);
    t.stride = t.columns + 2;
    t.now = calloc((size_t)(t.rows + 2) * (size_t)t.stride, sizeof(double));
    t.next = calloc((size_t)(t.rows + 2) * (size_t)t.stride, sizeof(double));
    MPI_Type_vector(t.rows, 1, t.stride, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    heat_left_edge(&t);

    double start = MPI_Wtime(), sum = 0, all;
    for (int i = 0; i < steps; i++)
        step(&t, grid, neighbours, column);
    for (int i = 0; i < t.rows; i++)
        for (int j = 0; j < t.columns; j++)
            sum += *at(&t, t.now, i, j);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (rank == 0)
        printf("heat of %d x %d points after %d steps: %.9g, by %d x %d ranks in %.3f s\n", points, points, steps, all,
               dims[0], dims[1], MPI_Wtime() - start);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    free(t.now);
    free(t.next);
    MPI_Finalize();
    return 0;
}
