/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <stdlib.h>

static const double flow_axis_diffusion[] = {0.75, 0.75, 1};

/* Of each unknown: a constant, then the coefficients of x, y, z, x^2, y^2, z^2, ... to the fourth power. */
static const double flow_solution[5][13] = {{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
                                            {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
                                            {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
                                            {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
                                            {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}};

void flow_init(flow_problem *flow, const npb_job *job, int n, double dt)
{
    flow->job = job;
    flow->n = n;
    flow->dt = dt;
    flow->h = 1.0 / (n - 1);
    flow->t1 = 1 / (flow->h * flow->h);
    flow->t2 = 1 / (2 * flow->h);
    flow->fourth = npb_alloc(job, 5 * (size_t)n, sizeof(double));
    for (int g = 1; g < n - 1; g++) {
        double *weights = flow->fourth + 5 * g;
        weights[0] = g >= 3 ? 1 : 0;
        weights[1] = g >= 2 ? -4 : 0;
        weights[2] = g == 1 || g == n - 2 ? 5 : 6;
        weights[3] = g <= n - 3 ? -4 : 0;
        weights[4] = g <= n - 4 ? 1 : 0;
    }
}

void flow_fini(flow_problem *flow)
{
    free(flow->fourth);
}

double flow_diffusion(int axis)
{
    return flow_axis_diffusion[axis];
}

void flow_exact(double x, double y, double z, double *out)
{
    for (int m = 0; m < 5; m++) {
        const double *c = flow_solution[m];
        out[m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10]))) +
                 y * (c[2] + y * (c[5] + y * (c[8] + y * c[11]))) + z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
    }
}
