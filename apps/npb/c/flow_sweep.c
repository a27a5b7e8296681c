/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_sweep.h"

#include <stdlib.h>

enum { SWEEP_TAG_FORWARD = 30, SWEEP_TAG_BACK = 40 };

void flow_sweep_init(flow_sweep *sweep, flow_cells *cells, int depth, int numbers)
{
    int most = 0;
    for (int number = 0; number < cells->side; number++)
        for (int axis = 0; axis < 3; axis++) {
            int layer = flow_box_layer(&cells->boxes[number], axis);
            most = layer > most ? layer : most;
        }
    size_t count = (size_t)depth * (size_t)(numbers + 5) * (size_t)most;
    *sweep = (flow_sweep){cells, depth, numbers, npb_alloc(cells->flow->job, count, sizeof(double)),
                          npb_alloc(cells->flow->job, count, sizeof(double))};
}

void flow_sweep_fini(flow_sweep *sweep)
{
    free(sweep->out);
    free(sweep->in);
}

static void sweep_receive(const flow_sweep *sweep, int axis, const flow_box *box, int numbers, int source, int tag,
                          MPI_Request *request)
{
    MPI_Irecv(sweep->in, sweep->depth * numbers * flow_box_layer(box, axis), MPI_DOUBLE, source, tag + axis,
              MPI_COMM_WORLD, request);
}

static void sweep_send(const flow_sweep *sweep, int axis, const double *end, int destination, int tag,
                       MPI_Request *request)
{
    MPI_Isend(sweep->out, (int)(end - sweep->out), MPI_DOUBLE, destination, tag + axis, MPI_COMM_WORLD, request);
}

static void sweep_forward(const flow_sweep *sweep, int axis, flow_sweep_fn eliminate)
{
    flow_cells *cells = sweep->cells;
    MPI_Request arriving = MPI_REQUEST_NULL, sent = MPI_REQUEST_NULL;
    int last = cells->side - 1, depth = sweep->depth, numbers = sweep->numbers;
    for (int stage = 0; stage <= last; stage++) {
        flow_box *box = cells->at[axis][stage];
        if (stage > 0) {
            MPI_Wait(&arriving, MPI_STATUS_IGNORE);
            const double *in = flow_box_unpack(box, axis, -depth, depth, box->matrix, numbers, sweep->in);
            flow_box_unpack(box, axis, -depth, depth, box->rhs, 5, in);
        }
        if (stage < last)
            sweep_receive(sweep, axis, cells->at[axis][stage + 1], numbers + 5, cells->previous[axis],
                          SWEEP_TAG_FORWARD, &arriving);
        eliminate(axis, box);
        if (stage < last) {
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
            int first = box->size[axis] - depth;
            double *out = flow_box_pack(box, axis, first, depth, box->matrix, numbers, sweep->out);
            out = flow_box_pack(box, axis, first, depth, box->rhs, 5, out);
            sweep_send(sweep, axis, out, cells->next[axis], SWEEP_TAG_FORWARD, &sent);
        }
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void sweep_back(const flow_sweep *sweep, int axis, flow_sweep_fn substitute)
{
    flow_cells *cells = sweep->cells;
    MPI_Request arriving = MPI_REQUEST_NULL, sent = MPI_REQUEST_NULL;
    int last = cells->side - 1, depth = sweep->depth;
    for (int stage = last; stage >= 0; stage--) {
        flow_box *box = cells->at[axis][stage];
        if (stage < last) {
            MPI_Wait(&arriving, MPI_STATUS_IGNORE);
            flow_box_unpack(box, axis, box->size[axis], depth, box->rhs, 5, sweep->in);
        }
        if (stage > 0)
            sweep_receive(sweep, axis, cells->at[axis][stage - 1], 5, cells->next[axis], SWEEP_TAG_BACK, &arriving);
        substitute(axis, box);
        if (stage > 0) {
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
            double *out = flow_box_pack(box, axis, 0, depth, box->rhs, 5, sweep->out);
            sweep_send(sweep, axis, out, cells->previous[axis], SWEEP_TAG_BACK, &sent);
        }
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

void flow_sweep_run(const flow_sweep *sweep, int axis, flow_sweep_fn eliminate, flow_sweep_fn substitute)
{
    sweep_forward(sweep, axis, eliminate);
    sweep_back(sweep, axis, substitute);
}
