/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MG: V-cycles of a multigrid method for Poisson's equation on a periodic cube, with 27-point stencils.
 *
 * Each rank has a box of the cube, with a halo one cell wide that is exchanged with six neighbours after every stencil,
 * on every grid from the finest down: large messages, then ever smaller ones (mg_grid.h). The coarsest grids, on which
 * a rank would have a single cell in some direction, are gathered, and every rank computes all of them.
 */
#include "mg_charges.h"
#include "mg_stencil.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MG_LEVELS = 10 };

static const int mg_log_sides[] = {5, 7, 8, 8, 9};
static const int mg_iterations[] = {4, 4, 4, 20, 20};
static const double mg_norms[] = {0.5307707005734e-04, 0.6467329375339e-05, 0.2433365309069e-05, 0.1800564401355e-05,
                                  0.5706732285740e-06};
static const double mg_tolerance = 1e-8;

/* Weights of a cell, of those that share a face (0 in the first), an edge, and a corner with it (0 in the others). */
static const double mg_operator[] = {-8.0 / 3, 1.0 / 6, 1.0 / 12};
static const double mg_smoother[] = {-3.0 / 8, 1.0 / 32, -1.0 / 64};
static const double mg_smoother_large[] = {-3.0 / 17, 1.0 / 33, -1.0 / 61};

typedef struct mg {
    npb_job *job;
    int top;    /* the finest grid has 2^top cells a side */
    int shared; /* grids up to this one are whole on every rank */
    mg_grid grids[MG_LEVELS];
    double *u[MG_LEVELS], *r[MG_LEVELS], *v;
    mg_grid part; /* this rank's box of the finest grid that is whole everywhere */
    double *part_cells;
    mg_stencil stencil;
} mg;

static void mg_init(mg *m, npb_job *job)
{
    const double *smoother = job->index < 3 ? mg_smoother : mg_smoother_large;
    memset(m, 0, sizeof *m);
    m->job = job;
    m->top = mg_log_sides[job->index];
    for (int level = m->top; level >= 1; level--) {
        int is_whole = !mg_grid_can_part(job, 1 << level);
        if (is_whole && m->shared == 0)
            m->shared = level;
        mg_grid_init(&m->grids[level], job, 1 << level, is_whole);
        m->u[level] = npb_alloc(job, m->grids[level].cells, sizeof(double));
        m->r[level] = npb_alloc(job, m->grids[level].cells, sizeof(double));
    }
    if (m->shared > 0) {
        mg_grid_init(&m->part, job, 1 << m->shared, 0);
        m->part_cells = npb_alloc(job, m->part.cells, sizeof(double));
    }
    m->v = npb_alloc(job, m->grids[m->top].cells, sizeof(double));
    size_t longest = (size_t)m->grids[m->top].m1;
    m->stencil = (mg_stencil){npb_alloc(job, longest, sizeof(double)),
                              npb_alloc(job, longest, sizeof(double)),
                              mg_operator[0],
                              mg_operator[1],
                              mg_operator[2],
                              smoother[0],
                              smoother[1],
                              smoother[2]};
}

static void mg_fini(mg *m)
{
    for (int level = 1; level <= m->top; level++) {
        free(m->u[level]);
        free(m->r[level]);
        mg_grid_fini(&m->grids[level]);
    }
    mg_grid_fini(&m->part);
    free(m->part_cells);
    free(m->v);
    free(m->stencil.faces);
    free(m->stencil.edges);
}

static void mg_zero(const mg *m, int level)
{
    memset(m->u[level], 0, m->grids[level].cells * sizeof(double));
}

static void mg_residual(const mg *m)
{
    mg_stencil_residual(&m->stencil, &m->grids[m->top], m->u[m->top], m->v, m->r[m->top]);
}

static void mg_restrict(const mg *m, int level)
{
    double *coarse = m->r[level - 1];
    if (level == m->shared + 1 && m->shared > 0) {
        mg_stencil_restrict(&m->stencil, &m->grids[level], m->r[level], &m->part, m->part_cells);
        mg_grid_gather(&m->part, m->part_cells, &m->grids[level - 1], coarse);
    } else {
        mg_stencil_restrict(&m->stencil, &m->grids[level], m->r[level], &m->grids[level - 1], coarse);
    }
    mg_grid_fill_halo(&m->grids[level - 1], coarse);
}

static void mg_interpolate(const mg *m, int level)
{
    if (level == m->shared + 1 && m->shared > 0) {
        mg_grid_cut(&m->part, &m->grids[level - 1], m->u[level - 1], m->part_cells);
        mg_stencil_interpolate(&m->part, m->part_cells, &m->grids[level], m->u[level]);
    } else {
        mg_stencil_interpolate(&m->grids[level - 1], m->u[level - 1], &m->grids[level], m->u[level]);
    }
}

/* One V-cycle: residuals down to the coarsest grid, corrections up. */
static void mg_cycle(const mg *m)
{
    for (int level = m->top; level > 1; level--)
        mg_restrict(m, level);
    mg_zero(m, 1);
    mg_stencil_smooth(&m->stencil, &m->grids[1], m->r[1], m->u[1]);
    for (int level = 2; level < m->top; level++) {
        mg_zero(m, level);
        mg_interpolate(m, level);
        mg_stencil_residual(&m->stencil, &m->grids[level], m->u[level], m->r[level], m->r[level]);
        mg_stencil_smooth(&m->stencil, &m->grids[level], m->r[level], m->u[level]);
    }
    mg_interpolate(m, m->top);
    mg_residual(m);
    mg_stencil_smooth(&m->stencil, &m->grids[m->top], m->r[m->top], m->u[m->top]);
}

/* The L2 norm of the finest residual. */
static double mg_norm(const mg *m)
{
    const mg_grid *grid = &m->grids[m->top];
    double own = 0, all = 0;
    for (int i3 = 1; i3 <= grid->n3; i3++)
        for (int i2 = 1; i2 <= grid->n2; i2++) {
            const double *row = m->r[m->top] + mg_grid_row(grid, i2, i3);
            for (int i = 1; i <= grid->n1; i++)
                own += row[i] * row[i];
        }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all / pow(1 << m->top, 3));
}

static void mg_run(npb_job *job)
{
    int iterations = mg_iterations[job->index], side = 1 << mg_log_sides[job->index];
    char size[48];
    mg_charges charges;
    mg m;
    snprintf(size, sizeof size, "%dx%dx%d", side, side, side);
    npb_title(job, size, iterations);
    mg_init(&m, job);

    mg_charges_init(&charges, job, &m.grids[m.top]);
    mg_charges_put(&charges, m.v);
    mg_residual(&m);
    mg_cycle(&m); /* touches all memory and warms up; not timed */
    mg_zero(&m, m.top);
    mg_charges_put(&charges, m.v);

    npb_timer_start(job);
    mg_residual(&m);
    mg_norm(&m);
    for (int i = 0; i < iterations; i++) {
        mg_cycle(&m);
        mg_residual(&m);
    }
    double norm = mg_norm(&m);
    double seconds = npb_timer_stop(job);

    int is_right = npb_matches(job, "L2 norm", norm, mg_norms[job->index], mg_tolerance);
    npb_report(job, size, iterations, seconds, 58.0 * iterations * side * side * side, "floating point", is_right);
    mg_fini(&m);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "MG", &argc, &argv);
    if (job.is_fine) { /* the finest grid has two cells a rank in every direction, at least */
        int log_most = 3 * (mg_log_sides[job.index] - 1);
        npb_accepts_power_of_two(&job, 1 << (log_most < 15 ? log_most : 15));
    }
    if (job.is_fine)
        mg_run(&job);
    return npb_end(&job);
}
