/* SPDX-License-Identifier: Apache-2.0 */
#include "lu_surface.h"

/* How many of the wall's squares meet in a point, along one direction. */
static int surface_weight(int g, int first, int last)
{
    return g < first || g > last ? 0 : g == first || g == last ? 1 : 2;
}

static double surface_pressure(const double *u)
{
    return FLOW_C2 * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

double lu_surface_integral(const flow_box *box)
{
    int n = box->flow->n, first[] = {1, 1, 2}, last[] = {n - 2, n - 3, n - 2};
    double own = 0, all = 0;
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = 0; j < box->size[1]; j++)
            for (int i = 0; i < box->size[0]; i++) {
                int g[] = {box->start[0] + i, box->start[1] + j, k}, weight = 0;
                for (int axis = 0; axis < 3; axis++) {
                    int b = (axis + 1) % 3, c = (axis + 2) % 3;
                    if (g[axis] == first[axis] || g[axis] == last[axis])
                        weight += surface_weight(g[b], first[b], last[b]) * surface_weight(g[c], first[c], last[c]);
                }
                if (weight > 0)
                    own += weight * surface_pressure(box->u + 5 * flow_box_index(box, i, j, k));
            }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return 0.25 * all * box->flow->h * box->flow->h;
}
