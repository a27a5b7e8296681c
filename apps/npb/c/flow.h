/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SP, BT and LU solve: a flow with five unknowns (density, three momenta, energy) in a cube of n points a side,
 * with a known solution, which is a polynomial. Constants, and that solution.
 */
#ifndef FLOW_H
#define FLOW_H

#include "npb.h"

#define FLOW_C1 1.4
#define FLOW_C2 0.4
#define FLOW_C3C4 0.1
#define FLOW_C1C5 1.96
#define FLOW_C1345 (FLOW_C1C5 * FLOW_C3C4)
#define FLOW_CON43 (4.0 / 3)
#define FLOW_DISSIPATION 0.25

typedef struct flow_problem {
    const npb_job *job;
    int n;
    double dt, h;
    double t1; /* weight of second differences */
    double t2; /* weight of first differences */
    /* Fourth differences at each point of an axis: weights of the points at -2, -1, 0, 1, 2; five a point. */
    double *fourth;
} flow_problem;

void flow_init(flow_problem *flow, const npb_job *job, int n, double dt);
void flow_fini(flow_problem *flow);

/* The coefficient of artificial diffusion, the same for all unknowns. */
double flow_diffusion(int axis);
/* The solution at a point, into five elements. */
void flow_exact(double x, double y, double z, double *out);

#endif
