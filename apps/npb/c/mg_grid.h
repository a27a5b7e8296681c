/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This rank's box of one of MG's grids: n1 x n2 x n3 cells and a halo of one cell around them, with the first index
 * fastest. The cube is periodic. Ranks stand in a grid p1 x p2 x p3; p3 grows first, since planes of equal third index
 * lie together in memory.
 */
#ifndef MG_GRID_H
#define MG_GRID_H

#include "npb.h"

typedef struct mg_grid {
    const npb_job *job;
    int n1, n2, n3;
    int m1, m2; /* with the halo */
    size_t plane;
    size_t cells; /* with the halo */
    int side;     /* of the whole grid */
    int ranks[3], place[3], previous[3], next[3];
    double *buffers[4]; /* to the previous, to the next, from the next, from the previous */
} mg_grid;

/* Parted among the ranks, or whole on each of them. */
void mg_grid_init(mg_grid *grid, const npb_job *job, int side, int is_whole);
void mg_grid_fini(mg_grid *grid);
/* Does each rank have two cells or more in every direction? */
int mg_grid_can_part(const npb_job *job, int side);

/* Where a row begins, with its halo. */
static inline size_t mg_grid_row(const mg_grid *grid, int i2, int i3)
{
    return (size_t)i3 * grid->plane + (size_t)i2 * (size_t)grid->m1;
}

/* Where this box begins in the whole grid, along an axis. */
static inline int mg_grid_start(const mg_grid *grid, int axis)
{
    return grid->place[axis] * (grid->side / grid->ranks[axis]);
}

/* Fills the halo from the neighbours, one axis after the other, so that edges and corners come along. */
void mg_grid_fill_halo(const mg_grid *grid, double *u);

/* Brings all ranks' boxes together, into the whole grid on every rank; its halo is left. */
void mg_grid_gather(const mg_grid *grid, const double *own, const mg_grid *whole, double *all);
/* This rank's box, with its halo, of a whole grid that has its own. */
void mg_grid_cut(const mg_grid *grid, const mg_grid *whole, const double *all, double *own);

#endif
