/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CG: the smallest eigenvalue of a large sparse matrix by inverse iteration; each linear system is solved, roughly, by
 * 25 steps of the conjugate gradient method.
 *
 * The ranks form a grid with as many columns as rows, or twice as many. A rank has one block of the matrix, and of each
 * vector the part that belongs to its columns. A product leaves partial sums, which the ranks of a grid row add up by
 * exchanging with partners at distances 1, 2, 4, ...; the sum belongs to the block's rows, and an exchange with the
 * transposed place of the grid makes it belong to the columns again. These vectors are nearly all that is sent.
 */
#include "cg_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CG_STEPS = 25, CG_MOST_RANKS = 1024 };
enum { CG_TAG_SUM = 1, CG_TAG_TRANSPOSE, CG_TAG_DOT };

static const int cg_sizes[] = {1400, 7000, 14000, 75000, 150000};
static const int cg_nonzeros[] = {7, 8, 11, 13, 15};
static const int cg_iterations[] = {15, 15, 15, 75, 75};
static const double cg_shifts[] = {10, 12, 20, 60, 110};
static const double cg_zetas[] = {8.5971775078648, 10.362595087124, 17.130235054029, 22.712745482631, 28.973605592845};
static const double cg_tolerance = 1e-10;

typedef struct cg {
    npb_job *job;
    int n;
    int grid_rows, grid_columns, grid_row, grid_column;
    cg_matrix matrix;
    int rows;    /* of this rank's block */
    int columns; /* of this rank's block, and elements of each vector here */
    double *x, *z, *p, *q, *r;
    double *sum;     /* of the rows, partial at first */
    double *arrived; /* partial sums of another rank */
} cg;

/* ---- the grid of ranks ------------------------------------------------------------------------------------------- */

/* The first matrix column of a grid column. */
static int cg_column_start(const cg *g, int column)
{
    return (int)((int64_t)g->n * column / g->grid_columns);
}

/* Blocks have the rows of one or two grid columns, so that a part of a sum is a part of a vector. */
static int cg_row_start(const cg *g, int row)
{
    return cg_column_start(g, row * (g->grid_columns / g->grid_rows));
}

static void cg_set_ones(cg *g)
{
    for (int j = 0; j < g->columns; j++)
        g->x[j] = 1;
}

static void cg_init(cg *g, npb_job *job)
{
    int log = 0;
    while (1 << log < job->size)
        log++;
    memset(g, 0, sizeof *g);
    g->job = job;
    g->n = cg_sizes[job->index];
    g->grid_columns = 1 << (log + 1) / 2;
    g->grid_rows = 1 << log / 2;
    g->grid_row = job->rank / g->grid_columns;
    g->grid_column = job->rank % g->grid_columns;
    int first_row = cg_row_start(g, g->grid_row);
    int first_column = cg_column_start(g, g->grid_column);
    g->rows = cg_row_start(g, g->grid_row + 1) - first_row;
    g->columns = cg_column_start(g, g->grid_column + 1) - first_column;
    cg_matrix_init(&g->matrix, job, g->n, cg_nonzeros[job->index], cg_shifts[job->index], first_row, g->rows,
                   first_column, g->columns);
    double **vectors[] = {&g->x, &g->z, &g->p, &g->q, &g->r};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = npb_alloc(job, (size_t)g->columns, sizeof(double));
    g->sum = npb_alloc(job, (size_t)g->rows, sizeof(double));
    g->arrived = npb_alloc(job, (size_t)g->rows, sizeof(double));
    cg_set_ones(g);
}

static void cg_fini(cg *g)
{
    double *vectors[] = {g->x, g->z, g->p, g->q, g->r, g->sum, g->arrived};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        free(vectors[i]);
    cg_matrix_fini(&g->matrix);
}

/* ---- communication ----------------------------------------------------------------------------------------------- */

static int cg_partner(const cg *g, int distance)
{
    return g->grid_row * g->grid_columns + (g->grid_column ^ distance);
}

/* The sums over the ranks of this grid row, which have all parts of a vector; at most two. */
static void cg_add_up(const cg *g, double *values, int count)
{
    double other[2];
    for (int distance = 1; distance < g->grid_columns; distance *= 2) {
        MPI_Request request;
        int peer = cg_partner(g, distance);
        MPI_Irecv(other, count, MPI_DOUBLE, peer, CG_TAG_DOT, MPI_COMM_WORLD, &request);
        MPI_Send(values, count, MPI_DOUBLE, peer, CG_TAG_DOT, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            values[i] += other[i];
    }
}

/* Brings the part of a sum that belongs to each rank's columns there. */
static void cg_transpose(const cg *g, double *to)
{
    int ratio = g->grid_columns / g->grid_rows;
    int part = g->grid_column % ratio;
    int sent_column = g->grid_row * ratio + part;
    int offset = cg_column_start(g, sent_column) - cg_row_start(g, g->grid_row);
    int count = cg_column_start(g, sent_column + 1) - cg_column_start(g, sent_column);
    int peer = g->grid_column / ratio * g->grid_columns + sent_column;
    if (peer == g->job->rank) {
        memcpy(to, g->sum + offset, (size_t)g->columns * sizeof(double));
        return;
    }
    MPI_Request request;
    MPI_Irecv(to, g->columns, MPI_DOUBLE, peer, CG_TAG_TRANSPOSE, MPI_COMM_WORLD, &request);
    MPI_Send(g->sum + offset, count, MPI_DOUBLE, peer, CG_TAG_TRANSPOSE, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* to = A from. */
static void cg_multiply(const cg *g, const double *from, double *to)
{
    double *restrict sum = g->sum;
    const double *restrict arrived = g->arrived;
    cg_matrix_multiply(&g->matrix, from, g->sum);
    for (int distance = 1; distance < g->grid_columns; distance *= 2) {
        MPI_Request request;
        int peer = cg_partner(g, distance);
        MPI_Irecv(g->arrived, g->rows, MPI_DOUBLE, peer, CG_TAG_SUM, MPI_COMM_WORLD, &request);
        MPI_Send(g->sum, g->rows, MPI_DOUBLE, peer, CG_TAG_SUM, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int j = 0; j < g->rows; j++)
            sum[j] += arrived[j];
    }
    cg_transpose(g, to);
}

/* ---- the method -------------------------------------------------------------------------------------------------- */

static double cg_dot(const double *a, const double *b, int length)
{
    double sum = 0;
    for (int j = 0; j < length; j++)
        sum += a[j] * b[j];
    return sum;
}

/* One step of conjugate gradients; rho is the square of the residual's norm. Returns the next one. */
static double cg_step(const cg *g, double rho)
{
    double *restrict z = g->z, *restrict p = g->p, *restrict r = g->r;
    const double *restrict q = g->q;
    cg_multiply(g, g->p, g->q);
    double d = cg_dot(g->p, g->q, g->columns);
    cg_add_up(g, &d, 1);
    double alpha = rho / d, next = 0;
    for (int j = 0; j < g->columns; j++) {
        double value = r[j] - alpha * q[j];
        z[j] += alpha * p[j];
        r[j] = value;
        next += value * value;
    }
    cg_add_up(g, &next, 1);
    double beta = next / rho;
    for (int j = 0; j < g->columns; j++)
        p[j] = r[j] + beta * p[j];
    return next;
}

/* Solves A z = x, roughly; returns the norm of the residual. */
static double cg_solve(const cg *g)
{
    double rho = 0, squares = 0;
    for (int j = 0; j < g->columns; j++) {
        double value = g->x[j];
        g->z[j] = 0;
        g->r[j] = value;
        g->p[j] = value;
        rho += value * value;
    }
    cg_add_up(g, &rho, 1);
    for (int step = 0; step < CG_STEPS; step++)
        rho = cg_step(g, rho);
    cg_multiply(g, g->z, g->r);
    for (int j = 0; j < g->columns; j++) {
        double difference = g->x[j] - g->r[j];
        squares += difference * difference;
    }
    cg_add_up(g, &squares, 1);
    return sqrt(squares);
}

/* x = z / |z|; returns the estimate of the eigenvalue. */
static double cg_normalize(const cg *g, double shift)
{
    double sums[] = {cg_dot(g->x, g->z, g->columns), cg_dot(g->z, g->z, g->columns)};
    cg_add_up(g, sums, 2);
    double factor = 1 / sqrt(sums[1]);
    for (int j = 0; j < g->columns; j++)
        g->x[j] = factor * g->z[j];
    return shift + 1 / sums[0];
}

static void cg_run(npb_job *job)
{
    int iterations = cg_iterations[job->index];
    double shift = cg_shifts[job->index], zeta = 0;
    char size[32];
    cg g;
    snprintf(size, sizeof size, "%d", cg_sizes[job->index]);
    npb_title(job, size, iterations);
    cg_init(&g, job);

    cg_solve(&g); /* touches all memory and warms up; not timed */
    cg_normalize(&g, shift);
    cg_set_ones(&g);
    npb_timer_start(job);
    for (int i = 1; i <= iterations; i++) {
        double residual = cg_solve(&g);
        zeta = cg_normalize(&g, shift);
        npb_say(job, " %5d       %20.14e %20.13f", i, residual, zeta);
    }
    double seconds = npb_timer_stop(job);

    int is_right = npb_matches(job, "zeta", zeta, cg_zetas[job->index], cg_tolerance);
    double per_row = cg_nonzeros[job->index] * (cg_nonzeros[job->index] + 1.0);
    double operations = 2.0 * iterations * g.n * (3 + per_row + CG_STEPS * (5 + per_row) + 3);
    npb_report(job, size, iterations, seconds, operations, "floating point", is_right);
    cg_fini(&g);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "CG", &argc, &argv);
    npb_accepts_power_of_two(&job, CG_MOST_RANKS);
    if (job.is_fine)
        cg_run(&job);
    return npb_end(&job);
}
