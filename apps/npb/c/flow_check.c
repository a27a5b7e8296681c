/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_check.h"

#include <math.h>
#include <stdio.h>

static const double check_tolerance = 1e-8;

void flow_check_norms(const flow_box *boxes, int count, double norms[FLOW_NORMS])
{
    const flow_problem *flow = boxes->flow;
    double own[FLOW_NORMS] = {0};
    for (int i = 0; i < count; i++)
        flow_box_add_squares(&boxes[i], own);
    MPI_Allreduce(own, norms, FLOW_NORMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < FLOW_NORMS; m++)
        norms[m] = sqrt(norms[m] / pow(flow->n - 2, 3)) / (m < 5 ? 1 : flow->dt);
}

int flow_check_matches(const npb_job *job, const double norms[FLOW_NORMS], const double references[FLOW_NORMS])
{
    int is_right = 1;
    char what[32];
    for (int m = 0; m < 5; m++) {
        snprintf(what, sizeof what, "residual %d", m + 1);
        is_right &= npb_matches(job, what, norms[5 + m], references[m], check_tolerance);
    }
    for (int m = 0; m < 5; m++) {
        snprintf(what, sizeof what, "error %d", m + 1);
        is_right &= npb_matches(job, what, norms[m], references[5 + m], check_tolerance);
    }
    return is_right;
}
