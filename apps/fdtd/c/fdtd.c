/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Electromagnetic waves in a square box with conducting walls, by the method of Yee: a pulse (a Ricker wavelet) starts
 * off the middle, spreads, and is reflected. First a mode of the box is computed, whose oscillation is known, and
 * compared; then the pulse, which is timed. On small boxes rank 0 computes the pulse again alone: all bits must agree.
 *
 * Arguments: a class, S by default, then --cells n --steps n --parts 1d|2d --frames folder --animation file --count
 * frames. fdtd_tile.h has the fields and their exchange.
 */
#include "../../common/c/app_animation.h"
#include "fdtd_options.h"
#include "fdtd_tile.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FDTD_MODE_X = 3, FDTD_MODE_Y = 2, FDTD_MODE_STEPS = 200, FDTD_COMPARED_CELLS = 500 };

static const double fdtd_pi = 3.14159265358979323846;
static const double fdtd_courant = 0.7; /* below the square root of a half */
static const double fdtd_mode_tolerance = 1e-11;
static const double fdtd_frequency_tolerance = 1e-3;
static const double fdtd_wavelength = 20; /* of the pulse, in cells */
static const double fdtd_brightest = 0.1; /* field of the strongest colour */

typedef struct fdtd {
    fdtd_options options;
    int rank, size;
    MPI_Comm comm;
} fdtd;

static void fdtd_say(const fdtd *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fdtd_say(const fdtd *f, const char *format, ...)
{
    if (f->rank != 0)
        return;
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    putchar('\n');
    va_end(values);
}

static void *fdtd_need(const fdtd *f, void *memory)
{
    if (memory)
        return memory;
    fprintf(stderr, "fdtd: rank %d: no memory for %d cells a side; more ranks need less each\n", f->rank,
            f->options.cells);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void fdtd_tile_need(const fdtd *f, fdtd_tile *tile, MPI_Comm comm)
{
    if (!fdtd_tile_init(tile, comm, f->options.cells, fdtd_courant))
        fdtd_need(f, NULL);
}

/* Two factors of a number of ranks, as near to each other as can be, the larger first. */
static void fdtd_shape(int ranks, int shape[2])
{
    int less = (int)sqrt(ranks);
    while (ranks % less != 0)
        less--;
    shape[0] = ranks / less;
    shape[1] = less;
}

/* The whole field on rank 0; NULL elsewhere. */
static double *fdtd_gather(const fdtd *f, const fdtd_tile *tile)
{
    size_t n = (size_t)f->options.cells + 1, width = (size_t)tile->width;
    int box[4] = {tile->first_x, tile->first_y, tile->width, tile->height};
    int *boxes = fdtd_need(f, calloc((size_t)f->size, sizeof box));
    int *counts = fdtd_need(f, calloc(2 * (size_t)f->size, sizeof *counts)), *starts = counts + f->size;
    double *own = fdtd_need(f, malloc(width * (size_t)tile->height * sizeof *own)), *all = NULL, *field = NULL;
    MPI_Gather(box, 4, MPI_INT, boxes, 4, MPI_INT, 0, f->comm);
    for (int y = 0; y < tile->height; y++)
        memcpy(own + (size_t)y * width, tile->ez + (size_t)(y + 1) * (size_t)tile->pitch + 1, width * sizeof *own);
    for (int peer = 0; peer < f->size; peer++) {
        counts[peer] = boxes[4 * peer + 2] * boxes[4 * peer + 3];
        starts[peer] = peer == 0 ? 0 : starts[peer - 1] + counts[peer - 1];
    }
    if (f->rank == 0) {
        all = fdtd_need(f, malloc(n * n * sizeof *all));
        field = fdtd_need(f, malloc(n * n * sizeof *field));
    }
    MPI_Gatherv(own, tile->width * tile->height, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, 0, f->comm);
    for (int peer = 0; field && peer < f->size; peer++) {
        const int *at = boxes + (size_t)peer * 4;
        for (int y = 0; y < at[3]; y++)
            memcpy(field + (size_t)(at[1] + y) * n + (size_t)at[0], all + starts[peer] + y * at[2],
                   (size_t)at[2] * sizeof *field);
    }
    free(boxes);
    free(counts);
    free(own);
    free(all);
    return field;
}

/* ---- the pulse --------------------------------------------------------------------------------------------------- */

static double fdtd_ricker(int step)
{
    double t = fdtd_pi * (fdtd_courant * step / fdtd_wavelength - 1);
    return (1 - 2 * t * t) * exp(-t * t);
}

static void fdtd_advance(const fdtd *f, fdtd_tile *tile, int step)
{
    int x = f->options.cells / 3, y = f->options.cells * 2 / 5;
    fdtd_tile_step_magnetic(tile, 1);
    fdtd_tile_step_electric(tile);
    if (fdtd_tile_contains(tile, x, y))
        tile->ez[fdtd_tile_index(tile, x, y)] += fdtd_ricker(step);
}

static void fdtd_told(const fdtd *f, int is_written)
{
    if (is_written)
        return;
    fprintf(stderr, "fdtd: a picture cannot be written to %s: %s\n",
            f->options.frames ? f->options.frames : f->options.animation, strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fdtd_draw(const fdtd *f, const fdtd_tile *tile, app_animation *animation)
{
    double *field = fdtd_gather(f, tile);
    if (field)
        fdtd_told(f, app_animation_add(animation, field, f->options.cells + 1, fdtd_brightest));
    free(field);
}

/* Rank 0 computes a small box alone. The order of all operations on an element is the same, so all bits are. */
static int fdtd_check_pulse(const fdtd *f, const fdtd_tile *tile)
{
    int n = f->options.cells, different = 0, one[2] = {1, 1}, periods[2] = {0, 0};
    double *field = fdtd_gather(f, tile);
    MPI_Comm alone;
    fdtd_tile whole;
    if (!field || n > FDTD_COMPARED_CELLS) {
        free(field);
        return 1;
    }
    MPI_Cart_create(MPI_COMM_SELF, 2, one, periods, 0, &alone);
    fdtd_tile_need(f, &whole, alone);
    for (int step = 1; step <= f->options.steps; step++)
        fdtd_advance(f, &whole, step);
    for (int y = 0; y <= n; y++)
        for (int x = 0; x <= n; x++)
            different += memcmp(&whole.ez[fdtd_tile_index(&whole, x, y)],
                                &field[(size_t)y * (size_t)(n + 1) + (size_t)x], sizeof(double)) != 0;
    fdtd_say(f, " %d of %d elements differ from those of one rank", different, (n + 1) * (n + 1));
    fdtd_tile_fini(&whole);
    MPI_Comm_free(&alone);
    free(field);
    return different == 0;
}

/* ---- a mode of the box ------------------------------------------------------------------------------------------- */

static double fdtd_mode(const fdtd *f, int x, int y)
{
    return sin(fdtd_pi * FDTD_MODE_X * x / f->options.cells) * sin(fdtd_pi * FDTD_MODE_Y * y / f->options.cells);
}

/* The mode sin(3 pi x) sin(2 pi y) oscillates, in the scheme as in nature; the scheme's frequency is known, so the
 * field must be right but for rounding, and near to that of nature. */
static int fdtd_check_mode(const fdtd *f)
{
    int n = f->options.cells;
    double sx = sin(fdtd_pi * FDTD_MODE_X / (2 * n)), sy = sin(fdtd_pi * FDTD_MODE_Y / (2 * n));
    double angle = 2 * asin(fdtd_courant * sqrt(sx * sx + sy * sy)); /* of a step */
    double natural = fdtd_courant * fdtd_pi / n * hypot(FDTD_MODE_X, FDTD_MODE_Y);
    double error = 0, most = 0, apart = fabs(angle / natural - 1);
    fdtd_tile tile;
    fdtd_tile_need(f, &tile, f->comm);
    for (int y = 1; y < n; y++)
        for (int x = 1; x < n; x++)
            if (fdtd_tile_contains(&tile, x, y))
                tile.ez[fdtd_tile_index(&tile, x, y)] = fdtd_mode(f, x, y);
    for (int step = 1; step <= FDTD_MODE_STEPS; step++) {
        fdtd_tile_step_magnetic(&tile, step == 1 ? 0.5 : 1);
        fdtd_tile_step_electric(&tile);
    }
    for (int y = 1; y < n; y++)
        for (int x = 1; x < n; x++)
            if (fdtd_tile_contains(&tile, x, y)) {
                double wanted = cos(angle * FDTD_MODE_STEPS) * fdtd_mode(f, x, y);
                error = fmax(error, fabs(tile.ez[fdtd_tile_index(&tile, x, y)] - wanted));
            }
    fdtd_tile_fini(&tile);
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, f->comm);
    fdtd_say(f, " mode %d,%d after %d steps: error %.2e, frequency off by %.2e", FDTD_MODE_X, FDTD_MODE_Y,
             FDTD_MODE_STEPS, most, apart);
    return most <= fdtd_mode_tolerance && apart <= fdtd_frequency_tolerance;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void fdtd_report(const fdtd *f, double seconds, int is_right)
{
    char size[32];
    snprintf(size, sizeof size, "%dx%d", f->options.cells, f->options.cells);
    app_result result = {.letter = f->options.letter,
                         .size = size,
                         .iterations = f->options.steps,
                         .ranks = f->size,
                         .seconds = seconds,
                         .operations = (double)f->options.cells * f->options.cells * f->options.steps,
                         .type = "cells updated",
                         .is_right = is_right};
    if (f->rank == 0)
        app_report(&result);
}

static int fdtd_run(fdtd *f)
{
    int dims[2] = {f->size, 1}, periods[2] = {0, 0};
    app_animation animation = {.folder = f->options.frames, .file = f->options.animation};
    int is_drawn = f->options.frames || f->options.animation;
    int between = f->options.steps / f->options.frame_count > 1 ? f->options.steps / f->options.frame_count : 1;
    fdtd_tile tile;
    if (f->options.is_parted_2d)
        fdtd_shape(f->size, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &f->comm);
    fdtd_say(f, " FDTD (C): %d x %d cells, %d steps, %d x %d ranks", f->options.cells, f->options.cells,
             f->options.steps, dims[1], dims[0]);
    int is_right = fdtd_check_mode(f);

    fdtd_tile_need(f, &tile, f->comm);
    MPI_Barrier(f->comm);
    double start = MPI_Wtime();
    for (int step = 1; step <= f->options.steps; step++) {
        fdtd_advance(f, &tile, step);
        if (is_drawn && step % between == 0)
            fdtd_draw(f, &tile, &animation);
    }
    MPI_Barrier(f->comm);
    double seconds = MPI_Wtime() - start;
    if (f->rank == 0)
        fdtd_told(f, app_animation_finish(&animation));
    is_right &= fdtd_check_pulse(f, &tile);
    fdtd_report(f, seconds, is_right);
    fdtd_tile_fini(&tile);
    app_animation_fini(&animation);
    MPI_Comm_free(&f->comm);
    return is_right;
}

/* 1, or 0 and a sentence in `why`. Only rank 0 looks at places for pictures. */
static int fdtd_check(const fdtd *f, char why[APP_WHY_MAX])
{
    int shape[2] = {f->size, 1};
    if (f->options.is_parted_2d)
        fdtd_shape(f->size, shape);
    if ((f->options.cells + 1) / shape[0] < 2) {
        snprintf(why, APP_WHY_MAX, "the number of ranks is %d; %d cells a side are too few for it", f->size,
                 f->options.cells);
        return 0;
    }
    return f->rank != 0 || fdtd_options_check_places(&f->options, why);
}

int main(int argc, char **argv)
{
    char why[APP_WHY_MAX] = "";
    fdtd f = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &f.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f.size);
    int is_fine = fdtd_options_read(&f.options, argc, argv, why) && fdtd_check(&f, why), is_right = 0;
    if (!is_fine && f.rank == 0)
        fprintf(stderr, "fdtd: %s\n", why);
    MPI_Bcast(&is_fine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_fine)
        is_right = fdtd_run(&f);
    MPI_Finalize();
    return f.rank == 0 && !is_right;
}
