/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FT: a partial differential equation solved by Fourier transforms in three dimensions: one forward, then for each time
 * step a product with exponentials and one backward.
 *
 * A rank has planes of the box: at first planes of equal z, whose x and y directions it transforms; an all-to-all makes
 * them planes of equal y, whose z direction it transforms. That all-to-all moves the whole box in every step, and is
 * all that is sent but for a sum.
 */
#include "ft.h"
#include "fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FT_BLOCK_ROWS = 16, FT_TILE = 8, FT_CHECKED = 1024, FT_MOST_ITERATIONS = 20 };

static const int ft_nx[] = {64, 128, 256, 512, 512};
static const int ft_ny[] = {64, 128, 256, 256, 512};
static const int ft_nz[] = {64, 32, 128, 256, 512};
static const int ft_iterations[] = {6, 6, 6, 20, 20};
static const double ft_alpha = 1e-6;

typedef struct ft {
    npb_job *job;
    int nx, ny, nz;
    int own_y, own_z; /* rows of y here after the all-to-all, and planes of z before */
    size_t elements;  /* complex ones */
    double *spectrum; /* [own_y][nx][nz] */
    double *factors;  /* of one time step, of the spectrum */
    double *one, *two;
    fft along_x, along_y, along_z;
} ft;

static void ft_init(ft *t, npb_job *job)
{
    memset(t, 0, sizeof *t);
    t->job = job;
    t->nx = ft_nx[job->index];
    t->ny = ft_ny[job->index];
    t->nz = ft_nz[job->index];
    t->own_y = t->ny / job->size;
    t->own_z = t->nz / job->size;
    t->elements = (size_t)t->nx * (size_t)t->ny * (size_t)t->own_z;
    t->spectrum = npb_alloc(job, 2 * t->elements, sizeof(double));
    t->one = npb_alloc(job, 2 * t->elements, sizeof(double));
    t->two = npb_alloc(job, 2 * t->elements, sizeof(double));
    t->factors = npb_alloc(job, t->elements, sizeof(double));
    fft_init(&t->along_x, job, t->nx, FT_BLOCK_ROWS);
    fft_init(&t->along_y, job, t->ny, FT_BLOCK_ROWS);
    fft_init(&t->along_z, job, t->nz, FT_BLOCK_ROWS);
}

static void ft_fini(ft *t)
{
    free(t->spectrum);
    free(t->one);
    free(t->two);
    free(t->factors);
    fft_fini(&t->along_x);
    fft_fini(&t->along_y);
    fft_fini(&t->along_z);
}

/* exp(-4 alpha pi^2 k^2) of the wave numbers k of one direction, -n/2 to n/2. */
static double *ft_decay(const ft *t, int n)
{
    const double pi = 3.14159265358979323846;
    double *factors = npb_alloc(t->job, (size_t)n, sizeof(double));
    for (int i = 0; i < n; i++) {
        int k = (i + n / 2) % n - n / 2;
        factors[i] = exp(-4 * ft_alpha * pi * pi * k * k);
    }
    return factors;
}

static void ft_set_up(ft *t)
{
    uint64_t plane = 2 * (uint64_t)t->nx * (uint64_t)t->ny;
    uint64_t x = lcg_times(LCG_SEED, lcg_power(LCG_A, plane * (uint64_t)t->own_z * (uint64_t)t->job->rank));
    for (size_t i = 0; i < 2 * t->elements; i++) {
        x = lcg_next(x);
        t->one[i] = lcg_number(x);
    }
    double *of_x = ft_decay(t, t->nx), *of_y = ft_decay(t, t->ny), *of_z = ft_decay(t, t->nz);
    double *to = t->factors;
    for (int j = 0; j < t->own_y; j++)
        for (int i = 0; i < t->nx; i++) {
            double xy = of_y[t->job->rank * t->own_y + j] * of_x[i];
            for (int k = 0; k < t->nz; k++)
                *to++ = xy * of_z[k];
        }
    free(of_x);
    free(of_y);
    free(of_z);
}

/* ---- the all-to-all: what one rank sends to another is [own_y][nx][own_z] ---------------------------------------- */

/* Rows of z of every rank, to or from one block for each peer. */
static void ft_regroup(const ft *t, double *rows, double *blocks, int to_rows)
{
    size_t length = 2 * (size_t)t->own_z;
    for (int peer = 0; peer < t->job->size; peer++)
        for (int row = 0; row < t->own_y * t->nx; row++) {
            double *at = rows + 2 * (size_t)row * (size_t)t->nz + length * (size_t)peer;
            memcpy(to_rows ? at : blocks, to_rows ? blocks : at, length * sizeof(double));
            blocks += length;
        }
}

/* Between planes of z and rows along z; a tile of x at a time, so that whole cache lines are read and written. */
static void ft_turn(const ft *t, double *planes, double *rows, int to_rows)
{
    size_t plane = 2 * (size_t)t->nx * (size_t)t->ny, own_z = (size_t)t->own_z;
    for (size_t first = 0; first < plane; first += 2 * FT_TILE)
        for (size_t z = 0; z < own_z; z++) {
            double *restrict at = planes + z * plane + first, *restrict row = rows + first * own_z + 2 * z;
            for (int x = 0; x < FT_TILE; x++, at += 2, row += 2 * own_z)
                memcpy(to_rows ? row : at, to_rows ? at : row, 2 * sizeof(double));
        }
}

static void ft_to_planes_of_y(ft *t)
{
    ft_turn(t, t->one, t->job->size > 1 ? t->two : t->spectrum, 1);
    if (t->job->size == 1)
        return;
    int count = 2 * t->own_y * t->nx * t->own_z;
    MPI_Alltoall(t->two, count, MPI_DOUBLE, t->one, count, MPI_DOUBLE, MPI_COMM_WORLD);
    ft_regroup(t, t->spectrum, t->one, 1);
}

static void ft_to_planes_of_z(ft *t)
{
    if (t->job->size > 1) {
        int count = 2 * t->own_y * t->nx * t->own_z;
        ft_regroup(t, t->one, t->two, 0);
        MPI_Alltoall(t->two, count, MPI_DOUBLE, t->one, count, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    ft_turn(t, t->two, t->one, 0);
    double *swap = t->one;
    t->one = t->two;
    t->two = swap;
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* One time step more: the spectrum, and a copy of it to transform. */
static void ft_evolve(ft *t)
{
    double *restrict spectrum = t->spectrum, *restrict copy = t->one;
    const double *restrict factors = t->factors;
    for (size_t i = 0; i < t->elements; i++) {
        double re = spectrum[2 * i] * factors[i], im = spectrum[2 * i + 1] * factors[i];
        spectrum[2 * i] = re;
        spectrum[2 * i + 1] = im;
        copy[2 * i] = re;
        copy[2 * i + 1] = im;
    }
}

/* From `one`, planes of z, to the spectrum, planes of y. */
static void ft_forward(ft *t)
{
    size_t nx = (size_t)t->nx, plane = nx * (size_t)t->ny;
    for (int k = 0; k < t->own_z; k++) {
        fft_transform(&t->along_x, t->one, (size_t)k * plane, t->ny, nx, 1, 1);
        fft_transform(&t->along_y, t->one, (size_t)k * plane, t->nx, 1, nx, 1);
    }
    ft_to_planes_of_y(t);
    fft_transform(&t->along_z, t->spectrum, 0, t->own_y * t->nx, (size_t)t->nz, 1, 1);
}

/* From `one`, planes of y, to `one`, planes of z. */
static void ft_backward(ft *t)
{
    size_t nx = (size_t)t->nx, plane = nx * (size_t)t->ny;
    fft_transform(&t->along_z, t->one, 0, t->own_y * t->nx, (size_t)t->nz, 1, -1);
    ft_to_planes_of_z(t);
    for (int k = 0; k < t->own_z; k++) {
        fft_transform(&t->along_y, t->one, (size_t)k * plane, t->nx, 1, nx, -1);
        fft_transform(&t->along_x, t->one, (size_t)k * plane, t->ny, nx, 1, -1);
    }
}

/* The sum of 1024 elements of `one`, scattered over the box. */
static void ft_checksum(const ft *t, double *sum)
{
    double own[2] = {0}, total = (double)t->nx * t->ny * t->nz;
    for (int j = 1; j <= FT_CHECKED; j++) {
        int plane = 5 * j % t->nz - t->job->rank * t->own_z;
        if (plane >= 0 && plane < t->own_z) {
            size_t row = (size_t)plane * (size_t)t->ny + (size_t)(3 * j % t->ny);
            size_t at = 2 * (row * (size_t)t->nx + (size_t)(j % t->nx));
            own[0] += t->one[at];
            own[1] += t->one[at + 1];
        }
    }
    own[0] /= total;
    own[1] /= total;
    MPI_Allreduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void ft_run(npb_job *job)
{
    int iterations = ft_iterations[job->index];
    double sums[2 * FT_MOST_ITERATIONS];
    char size[48];
    ft t;
    ft_init(&t, job);
    snprintf(size, sizeof size, "%dx%dx%d", t.nx, t.ny, t.nz);
    npb_title(job, size, iterations);
    ft_set_up(&t); /* touches all memory and warms up; not timed */
    ft_forward(&t);

    npb_timer_start(job);
    ft_set_up(&t);
    ft_forward(&t);
    for (int step = 0; step < iterations; step++) {
        ft_evolve(&t);
        ft_backward(&t);
        ft_checksum(&t, sums + 2 * step);
        npb_say(job, " T = %4d     Checksum = %22.12e %22.12e", step + 1, sums[2 * step], sums[2 * step + 1]);
    }
    double seconds = npb_timer_stop(job);

    double total = (double)t.nx * t.ny * t.nz;
    double operations = total * (14.8157 + 7.19641 * log(total) + (5.23518 + 7.21113 * log(total)) * iterations);
    npb_report(job, size, iterations, seconds, operations, "floating point",
               ft_checksums_match(job->index, sums, iterations));
    ft_fini(&t);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "FT", &argc, &argv);
    if (job.is_fine)
        npb_accepts_power_of_two(&job, ft_ny[job.index] < ft_nz[job.index] ? ft_ny[job.index] : ft_nz[job.index]);
    if (job.is_fine)
        ft_run(&job);
    return npb_end(&job);
}
