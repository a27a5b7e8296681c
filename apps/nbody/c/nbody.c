/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two disc galaxies that meet, by the method of Barnes and Hut and leap-frog steps. In each step the ranks share the
 * bodies out anew along a curve through space, by what their forces cost (nbody_domain.h); every rank gets what its
 * bodies need of the others' (nbody_essential.h), builds the tree of it (nbody_tree.h), and computes the forces on its
 * own bodies. A run is verified by what a closed system conserves, and by forces on some bodies that are summed
 * directly (nbody_check.h). All bits are the same, whatever the number of ranks.
 *
 * Arguments: a class, S by default, then --bodies n --steps n --frames folder --animation file --count frames
 * --snapshot file --restart file. Files and names are those of the Java version.
 */
#include "../../common/c/app_animation.h"
#include "nbody_check.h"
#include "nbody_essential.h"
#include "nbody_galaxies.h"
#include "nbody_options.h"
#include "nbody_snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NBODY_TOLERANCE_STEPS = 200, NBODY_SIDE = 240 /* of a picture */ };

static const double nbody_dt = 0.002;
static const double nbody_theta = 0.5;
static const double nbody_softening = 0.05;
static const double nbody_tolerance = 1e-3; /* of what is conserved, for 200 steps; in proportion for more */
static const double nbody_force_tolerance = 1e-2;
static const double nbody_shown = 3; /* from -3 to 3 */
static const double nbody_brightest = 3;

typedef struct nbody {
    nbody_options options;
    int rank, size;
    nbody_domain domain;
    nbody_tree tree;
    nbody_bodies bodies;
    double *accelerations; /* three for each body here */
    double potential;      /* of this rank's bodies */
    double pairs;
    double received; /* masses of other ranks */
    int64_t first_step;
} nbody;

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static void nbody_kick(nbody *n)
{
    for (int i = 0; i < n->bodies.count; i++)
        for (int axis = 0; axis < 3; axis++)
            n->bodies.all[i].velocity[axis] += nbody_dt / 2 * n->accelerations[3 * i + axis];
}

static void nbody_drift(nbody *n)
{
    for (int i = 0; i < n->bodies.count; i++)
        for (int axis = 0; axis < 3; axis++)
            n->bodies.all[i].place[axis] += nbody_dt * n->bodies.all[i].velocity[axis];
}

/* Shares the bodies out, and computes what acts on those of this rank. */
static void nbody_compute_forces(nbody *n)
{
    nbody_masses masses;
    nbody_domain_divide(&n->domain, &n->bodies);
    nbody_masses_init(&masses, &n->bodies);
    nbody_essential_gather(&n->domain, &n->tree, &masses);
    n->received += masses.count - n->bodies.count;
    nbody_tree_build(&n->tree, &masses, n->domain.corner, n->domain.size);
    free(n->accelerations);
    n->accelerations = nbody_alloc(3 * (size_t)n->bodies.count, sizeof *n->accelerations);
    n->potential = 0;
    for (int i = 0; i < n->bodies.count; i++) {
        nbody_body *body = &n->bodies.all[i];
        double out[4];
        int cost = nbody_tree_act(&n->tree, body->place, out);
        memcpy(n->accelerations + (size_t)i * 3, out, 3 * sizeof out[0]);
        n->potential += 0.5 * body->mass * out[3];
        body->cost = cost;
        n->pairs += cost;
    }
    nbody_masses_fini(&masses);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The places were fine at the start: the disk is full, or they are gone. */
static void nbody_told(int is_written)
{
    if (is_written)
        return;
    fprintf(stderr, "nbody NBody: a file cannot be written: %s\n", strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* How many bodies are in each column of space, seen from above. */
static void nbody_draw(const nbody *n, app_animation *animation)
{
    double *own = nbody_alloc(2 * (size_t)NBODY_SIDE * NBODY_SIDE, sizeof *own), *sum = own + NBODY_SIDE * NBODY_SIDE;
    for (int i = 0; i < n->bodies.count; i++) {
        double x = floor((n->bodies.all[i].place[0] / nbody_shown + 1) * NBODY_SIDE / 2);
        double y = floor((n->bodies.all[i].place[1] / nbody_shown + 1) * NBODY_SIDE / 2);
        if (x >= 0 && x < NBODY_SIDE && y >= 0 && y < NBODY_SIDE)
            own[(int)y * NBODY_SIDE + (int)x] += 1;
    }
    MPI_Reduce(own, sum, NBODY_SIDE * NBODY_SIDE, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (n->rank == 0)
        nbody_told(app_animation_add(animation, sum, NBODY_SIDE, nbody_brightest));
    free(own);
}

static void nbody_write(const nbody *n, const app_animation *animation)
{
    if (n->rank == 0)
        nbody_told(app_animation_finish(animation));
    if (!n->options.snapshot)
        return;
    int numbers = 0;
    double *data =
        nbody_domain_gather(&n->domain, (const double *)n->bodies.all, NBODY_NUMBERS * n->bodies.count, &numbers);
    nbody_bodies whole = {(nbody_body *)data, numbers / NBODY_NUMBERS};
    if (n->rank == 0)
        nbody_told(nbody_snapshot_write(n->options.snapshot, n->first_step + n->options.steps, &whole));
    free(data);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Seconds of the slowest rank; valid on rank 0. */
static double nbody_steps(nbody *n, app_animation *animation)
{
    int is_drawn = n->options.frames || n->options.animation;
    int between = n->options.steps / n->options.frame_count > 1 ? n->options.steps / n->options.frame_count : 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double started = MPI_Wtime(), most = 0;
    for (int i = 1; i <= n->options.steps; i++) {
        nbody_kick(n);
        nbody_drift(n);
        nbody_compute_forces(n);
        nbody_kick(n);
        if (is_drawn && i % between == 0)
            nbody_draw(n, animation);
    }
    double seconds = MPI_Wtime() - started;
    MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

/* Of the tree's forces, beside those of all bodies. */
static double nbody_force_error(const nbody *n)
{
    nbody_masses own;
    int numbers;
    nbody_masses_init(&own, &n->bodies);
    double *all = nbody_domain_gather(&n->domain, (const double *)own.all, NBODY_MASS_NUMBERS * own.count, &numbers);
    double error = nbody_check_forces(&n->bodies, n->accelerations, (const nbody_mass *)all,
                                      numbers / NBODY_MASS_NUMBERS, nbody_softening);
    nbody_masses_fini(&own);
    free(all);
    return error;
}

static int nbody_compare(const nbody *n, const nbody_conserved *before, const nbody_conserved *after,
                         double force_error)
{
    nbody_change change = nbody_check_change(before, after);
    double tolerance = nbody_tolerance * fmax(1, (double)n->options.steps / NBODY_TOLERANCE_STEPS);
    if (n->rank == 0)
        printf(" energy was %.8e and changed by %.2e, momentum by %.2e, angular momentum by %.2e; forces are off by "
               "%.2e\n",
               before->energy, change.energy, change.momentum, change.angular, force_error);
    return change.energy <= tolerance && change.momentum <= tolerance && change.angular <= tolerance &&
           force_error <= nbody_force_tolerance;
}

static void nbody_title(const nbody *n, const char *size)
{
    if (n->rank != 0)
        return;
    printf("\n\n Galaxies (C) -- NBody Benchmark\n\n");
    printf(" Size: %s  (class %c)\n", size, n->options.letter);
    printf(" Iterations: %d\n", n->options.steps);
    printf(" Number of processes: %d\n\n", n->size);
}

static void nbody_report(const nbody *n, const char *size, double seconds, int is_right)
{
    double own[2] = {n->pairs, n->received}, total[2];
    uint64_t fingerprint = nbody_check_fingerprint(&n->bodies);
    MPI_Reduce(own, total, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (n->rank != 0)
        return;
    printf(" a rank got %.0f masses of others a step\n", total[1] / n->size / n->options.steps);
    printf(" Fingerprint %016" PRIx64 " after step %" PRId64 "\n\n\n NBody Benchmark Completed.\n", fingerprint,
           n->first_step + n->options.steps);
    app_report(&(app_result){.letter = n->options.letter,
                             .size = size,
                             .iterations = n->options.steps,
                             .ranks = n->size,
                             .seconds = seconds,
                             .operations = total[0],
                             .type = "pairs of masses",
                             .is_right = is_right});
}

static int nbody_run(nbody *n)
{
    app_animation animation = {.folder = n->options.frames, .file = n->options.animation, .is_glowing = 1};
    char size[32];
    int count = n->bodies.count;
    MPI_Bcast(&n->first_step, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(size, sizeof size, "%d", count);
    nbody_title(n, size);
    nbody_tree_init(&n->tree, nbody_theta, nbody_softening);

    nbody_compute_forces(n);
    nbody_conserved before = nbody_check_conserved(&n->bodies, n->potential);
    double force_error = nbody_force_error(n);
    n->pairs = n->received = 0;
    double seconds = nbody_steps(n, &animation);
    nbody_conserved after = nbody_check_conserved(&n->bodies, n->potential);
    int is_right = nbody_compare(n, &before, &after, force_error);
    nbody_write(n, &animation);
    nbody_report(n, size, seconds, is_right);

    nbody_tree_fini(&n->tree);
    app_animation_fini(&animation);
    free(n->accelerations);
    return is_right;
}

/* Rank 0 looks at files, and has all bodies at first. 0: `why` has the sentence for the user. */
static int nbody_prepare(nbody *n, char why[APP_WHY_MAX])
{
    if (n->rank != 0)
        return 1;
    if (!nbody_options_check_places(&n->options, why))
        return 0;
    if (n->options.restart)
        return nbody_snapshot_read(n->options.restart, &n->first_step, &n->bodies, why);
    n->bodies = nbody_galaxies_make(n->options.bodies, nbody_softening);
    return 1;
}

int main(int argc, char **argv)
{
    char why[APP_WHY_MAX] = "";
    nbody n = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &n.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n.size);
    nbody_domain_init(&n.domain, n.rank, n.size);
    int is_fine = nbody_options_read(&n.options, argc, argv, why) && nbody_prepare(&n, why), is_right = 0;
    if (!is_fine && n.rank == 0)
        fprintf(stderr, "nbody NBody: %s\n", why);
    MPI_Bcast(&is_fine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_fine)
        is_right = nbody_run(&n);
    nbody_domain_fini(&n.domain);
    free(n.bodies.all);
    MPI_Finalize();
    return n.rank == 0 && !is_right;
}
