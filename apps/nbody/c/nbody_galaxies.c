/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_galaxies.h"

#include <math.h>
#include <stdint.h>

static const double galaxies_pi = 3.14159265358979323846;
static const double galaxies_centre = 0.5; /* mass of the middle body of a galaxy of mass 1 */
static const double galaxies_radius = 1;
static const double galaxies_smoothed = 0.05; /* no body is nearer to the middle */
static const uint64_t galaxies_seed = 20150611;

typedef struct galaxies_galaxy {
    double tilt; /* about the x axis */
    double place[3], speed[3];
} galaxies_galaxy;

/* ---- the random numbers that the documentation of java.util.Random defines --------------------------------------- */

typedef struct galaxies_random {
    uint64_t state;
    double kept; /* the second of a pair of deviates */
    int has_kept;
} galaxies_random;

static const uint64_t galaxies_factor = UINT64_C(0x5deece66d);

static galaxies_random galaxies_random_of(uint64_t seed)
{
    return (galaxies_random){.state = (seed ^ galaxies_factor) & ((UINT64_C(1) << 48) - 1)};
}

static uint64_t galaxies_bits(galaxies_random *random, int bits)
{
    random->state = (random->state * galaxies_factor + 0xb) & ((UINT64_C(1) << 48) - 1);
    return random->state >> (48 - bits);
}

/* From 0 to 1. */
static double galaxies_number(galaxies_random *random)
{
    uint64_t high = galaxies_bits(random, 26);
    return (double)((high << 27) + galaxies_bits(random, 27)) * 0x1p-53;
}

/* A normal deviate, by the polar method. */
static double galaxies_deviate(galaxies_random *random)
{
    double x, y, square;
    if (random->has_kept) {
        random->has_kept = 0;
        return random->kept;
    }
    do {
        x = 2 * galaxies_number(random) - 1;
        y = 2 * galaxies_number(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    random->kept = y * factor;
    random->has_kept = 1;
    return x * factor;
}

/* ---- galaxies ---------------------------------------------------------------------------------------------------- */

/* Turned about the x axis, and moved. */
static void galaxies_put(double to[3], const double vector[3], double tilt, const double offset[3])
{
    to[0] = vector[0] + offset[0];
    to[1] = vector[1] * cos(tilt) - vector[2] * sin(tilt) + offset[1];
    to[2] = vector[1] * sin(tilt) + vector[2] * cos(tilt) + offset[2];
}

static void galaxies_fill(nbody_body *bodies, int count, galaxies_random *random, double softening,
                          const galaxies_galaxy *galaxy)
{
    double light = (1 - galaxies_centre) / (count > 2 ? count - 1 : 1);
    for (int i = 0; i < count; i++) {
        double radius = 0, height = 0;
        if (i > 0)
            radius = galaxies_smoothed + (galaxies_radius - galaxies_smoothed) * sqrt(galaxies_number(random));
        double angle = 2 * galaxies_pi * galaxies_number(random);
        if (i > 0)
            height = 0.02 * galaxies_deviate(random);
        double inside =
            galaxies_centre + (1 - galaxies_centre) * radius * radius / (galaxies_radius * galaxies_radius);
        double soft = radius * radius + softening * softening;
        double turn = radius * sqrt(inside / (soft * sqrt(soft)));
        double at[] = {radius * cos(angle), radius * sin(angle), height};
        double moves[] = {-turn * sin(angle), turn * cos(angle), 0};
        galaxies_put(bodies[i].place, at, galaxy->tilt, galaxy->place);
        galaxies_put(bodies[i].velocity, moves, galaxy->tilt, galaxy->speed);
        bodies[i].mass = i == 0 ? galaxies_centre : light;
    }
}

nbody_bodies nbody_galaxies_make(int count, double softening)
{
    static const galaxies_galaxy both[] = {{0, {-1.6, -0.6, 0}, {0.45, 0.1, 0}}, {1, {1.6, 0.6, 0}, {-0.45, -0.1, 0}}};
    nbody_bodies bodies = {nbody_alloc((size_t)count, sizeof *bodies.all), count};
    galaxies_random random = galaxies_random_of(galaxies_seed);
    int half = count / 2;
    galaxies_fill(bodies.all, half, &random, softening, &both[0]);
    galaxies_fill(bodies.all + half, count - half, &random, softening, &both[1]);
    for (int i = 0; i < count; i++) {
        bodies.all[i].cost = 1;
        bodies.all[i].name = i;
    }
    return bodies;
}
