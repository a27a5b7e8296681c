/* SPDX-License-Identifier: Apache-2.0 */
/* The four stencils of MG. Each adds up the neighbours of a whole row once, those that share a face or an edge across
 * the row's direction, and uses these sums for three cells. */
#ifndef MG_STENCIL_H
#define MG_STENCIL_H

#include "mg_grid.h"

typedef struct mg_stencil {
    double *faces; /* of each cell of a row: the four neighbours above, below, before and behind it */
    double *edges; /* the four in between */
    double a0, a2, a3;
    double c0, c1, c2;
} mg_stencil;

/* r = v - A u; r and v may be the same. */
void mg_stencil_residual(const mg_stencil *stencil, const mg_grid *grid, const double *u, const double *v, double *r);
/* u = u + C r. */
void mg_stencil_smooth(const mg_stencil *stencil, const mg_grid *grid, const double *r, double *u);
/* The coarse cell i lies on the fine cell 2 i, and gets a weighted mean of the 27 around it; its halo is left. */
void mg_stencil_restrict(const mg_stencil *stencil, const mg_grid *fine, const double *r, const mg_grid *coarse,
                         double *s);
/* Adds to each fine cell the mean of the coarse ones around it, in the halo too. */
void mg_stencil_interpolate(const mg_grid *coarse, const double *z, const mg_grid *fine, double *u);

#endif
