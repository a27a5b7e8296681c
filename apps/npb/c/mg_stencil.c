/* SPDX-License-Identifier: Apache-2.0 */
#include "mg_stencil.h"

static void stencil_add_up(const mg_stencil *stencil, const double *row, const mg_grid *grid)
{
    double *restrict faces = stencil->faces, *restrict edges = stencil->edges;
    ptrdiff_t m1 = grid->m1, plane = (ptrdiff_t)grid->plane;
    for (ptrdiff_t i = 0; i < m1; i++) {
        faces[i] = row[i - m1] + row[i + m1] + row[i - plane] + row[i + plane];
        edges[i] = row[i - m1 - plane] + row[i + m1 - plane] + row[i - m1 + plane] + row[i + m1 + plane];
    }
}

void mg_stencil_residual(const mg_stencil *stencil, const mg_grid *grid, const double *u, const double *v, double *r)
{
    const double *restrict faces = stencil->faces, *restrict edges = stencil->edges;
    double a0 = stencil->a0, a2 = stencil->a2, a3 = stencil->a3;
    for (int i3 = 1; i3 <= grid->n3; i3++)
        for (int i2 = 1; i2 <= grid->n2; i2++) {
            size_t row = mg_grid_row(grid, i2, i3);
            const double *ur = u + row, *vr = v + row;
            double *rr = r + row;
            stencil_add_up(stencil, ur, grid);
            for (int i = 1; i <= grid->n1; i++)
                rr[i] = vr[i] - a0 * ur[i] - a2 * (edges[i] + faces[i - 1] + faces[i + 1]) -
                        a3 * (edges[i - 1] + edges[i + 1]);
        }
    mg_grid_fill_halo(grid, r);
}

void mg_stencil_smooth(const mg_stencil *stencil, const mg_grid *grid, const double *r, double *u)
{
    const double *restrict faces = stencil->faces, *restrict edges = stencil->edges;
    double c0 = stencil->c0, c1 = stencil->c1, c2 = stencil->c2;
    for (int i3 = 1; i3 <= grid->n3; i3++)
        for (int i2 = 1; i2 <= grid->n2; i2++) {
            size_t row = mg_grid_row(grid, i2, i3);
            const double *restrict rr = r + row;
            double *restrict ur = u + row;
            stencil_add_up(stencil, rr, grid);
            for (int i = 1; i <= grid->n1; i++)
                ur[i] += c0 * rr[i] + c1 * (rr[i - 1] + rr[i + 1] + faces[i]) +
                         c2 * (edges[i] + faces[i - 1] + faces[i + 1]);
        }
    mg_grid_fill_halo(grid, u);
}

void mg_stencil_restrict(const mg_stencil *stencil, const mg_grid *fine, const double *r, const mg_grid *coarse,
                         double *s)
{
    const double *restrict faces = stencil->faces, *restrict edges = stencil->edges;
    for (int j3 = 1; j3 <= coarse->n3; j3++)
        for (int j2 = 1; j2 <= coarse->n2; j2++) {
            double *restrict to = s + mg_grid_row(coarse, j2, j3);
            const double *restrict row = r + mg_grid_row(fine, 2 * j2, 2 * j3);
            stencil_add_up(stencil, row, fine);
            for (int j = 1; j <= coarse->n1; j++) {
                int i = 2 * j;
                to[j] = 0.5 * row[i] + 0.25 * (row[i - 1] + row[i + 1] + faces[i]) +
                        0.125 * (faces[i - 1] + faces[i + 1] + edges[i]) + 0.0625 * (edges[i - 1] + edges[i + 1]);
            }
        }
}

void mg_stencil_interpolate(const mg_grid *coarse, const double *z, const mg_grid *fine, double *u)
{
    for (int j3 = 0; j3 <= coarse->n3; j3++)
        for (int j2 = 0; j2 <= coarse->n2; j2++) {
            const double *near = z + mg_grid_row(coarse, j2, j3), *up = near + coarse->m1;
            const double *back = near + coarse->plane, *both = back + coarse->m1;
            double *restrict to = u + mg_grid_row(fine, 2 * j2, 2 * j3), *restrict to_up = to + fine->m1;
            double *restrict to_back = to + fine->plane, *restrict to_both = to_back + fine->m1;
            double here = near[0], here_up = here + up[0], here_back = here + back[0];
            double here_all = here_up + back[0] + both[0];
            for (int j = 0; j <= coarse->n1; j++) {
                double next = near[j + 1], next_up = next + up[j + 1], next_back = next + back[j + 1];
                double next_all = next_up + back[j + 1] + both[j + 1];
                int i = 2 * j;
                to[i] += here;
                to[i + 1] += 0.5 * (here + next);
                to_up[i] += 0.5 * here_up;
                to_up[i + 1] += 0.25 * (here_up + next_up);
                to_back[i] += 0.5 * here_back;
                to_back[i + 1] += 0.25 * (here_back + next_back);
                to_both[i] += 0.25 * here_all;
                to_both[i + 1] += 0.125 * (here_all + next_all);
                here = next;
                here_up = next_up;
                here_back = next_back;
                here_all = next_all;
            }
        }
}
