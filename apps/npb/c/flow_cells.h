/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cube among q^2 ranks, for solvers that sweep along lines in all three directions: it is cut into q^3 cells, of
 * which each rank has q, so placed that each layer of cells across any axis has one of every rank. Whatever the axis,
 * all ranks then work at every stage of a sweep. All cells of a rank have their next neighbours along an axis on one
 * other rank.
 */
#ifndef FLOW_CELLS_H
#define FLOW_CELLS_H

#include "flow_box.h"

typedef struct flow_cells {
    const flow_problem *flow;
    int side; /* q */
    flow_box *boxes;
    int next[3], previous[3]; /* ranks */
    flow_box **at[3];         /* this rank's cell at each place of an axis */
    double *out[6], *in[6];   /* to the next and the previous rank of each axis; from the next and the previous */
} flow_cells;

void flow_cells_init(flow_cells *cells, const flow_problem *flow, int matrix_numbers, int has_sound);
void flow_cells_fini(flow_cells *cells);

void flow_cells_set_initial(flow_cells *cells);
/* Fills the halos of the unknowns, with one message to each of the six neighbours, and computes the right-hand side. */
void flow_cells_compute_rhs(flow_cells *cells);

#endif
