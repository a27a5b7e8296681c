/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solves systems along all lines of one axis, through the cells of all ranks: elimination from the first cells to the
 * last, then substitution back. What a cell leaves to the next one goes into that one's halo, so that neither step
 * knows where a cell ends. While a rank works on a cell, what it needs for the next one may arrive.
 */
#ifndef FLOW_SWEEP_H
#define FLOW_SWEEP_H

#include "flow_cells.h"

typedef struct flow_sweep {
    flow_cells *cells;
    int depth;   /* layers that the next cell needs */
    int numbers; /* a point, of the eliminated matrix */
    double *out, *in;
} flow_sweep;

/* What is done to one cell. */
typedef void (*flow_sweep_fn)(int axis, flow_box *box);

void flow_sweep_init(flow_sweep *sweep, flow_cells *cells, int depth, int numbers);
void flow_sweep_fini(flow_sweep *sweep);
void flow_sweep_run(const flow_sweep *sweep, int axis, flow_sweep_fn eliminate, flow_sweep_fn substitute);

#endif
