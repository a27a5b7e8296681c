/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_cells.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_TAG_UP = 10, CELLS_TAG_DOWN = 20 };

static void cells_place(flow_cells *cells, int number, int matrix_numbers, int has_sound)
{
    const flow_problem *flow = cells->flow;
    int side = cells->side, a = flow->job->rank % side, b = flow->job->rank / side;
    int place[3] = {(a + number) % side, (b - number + side) % side, number}, start[3], size[3];
    for (int axis = 0; axis < 3; axis++) {
        start[axis] = flow->n * place[axis] / side;
        size[axis] = flow->n * (place[axis] + 1) / side - start[axis];
        cells->at[axis][place[axis]] = &cells->boxes[number];
    }
    flow_box_init(&cells->boxes[number], flow, start, size, matrix_numbers, has_sound);
}

static void cells_set_neighbours(flow_cells *cells)
{
    int side = cells->side, a = cells->flow->job->rank % side, b = cells->flow->job->rank / side;
    int a_next = (a + 1) % side, a_previous = (a - 1 + side) % side;
    int b_next = (b + 1) % side, b_previous = (b - 1 + side) % side;
    cells->next[0] = a_next + side * b;
    cells->previous[0] = a_previous + side * b;
    cells->next[1] = a + side * b_next;
    cells->previous[1] = a + side * b_previous;
    cells->next[2] = a_previous + side * b_next;
    cells->previous[2] = a_next + side * b_previous;
}

/* The cells that send up their axis are all but the last; down, all but the first. */
static int cells_halo_count(const flow_cells *cells, int way)
{
    int axis = way / 2, count = 0;
    for (int place = way % 2; place < cells->side - 1 + way % 2; place++)
        count += 5 * FLOW_HALO * flow_box_layer(cells->at[axis][place], axis);
    return count;
}

void flow_cells_init(flow_cells *cells, const flow_problem *flow, int matrix_numbers, int has_sound)
{
    const npb_job *job = flow->job;
    memset(cells, 0, sizeof *cells);
    cells->flow = flow;
    cells->side = 1;
    while (cells->side * cells->side < job->size)
        cells->side++;
    cells->boxes = npb_alloc(job, (size_t)cells->side, sizeof *cells->boxes);
    for (int axis = 0; axis < 3; axis++)
        cells->at[axis] = npb_alloc(job, (size_t)cells->side, sizeof *cells->at[axis]);
    for (int number = 0; number < cells->side; number++)
        cells_place(cells, number, matrix_numbers, has_sound);
    cells_set_neighbours(cells);
    for (int way = 0; way < 6; way++) {
        size_t count = (size_t)cells_halo_count(cells, way);
        cells->out[way] = npb_alloc(job, count, sizeof(double));
        cells->in[way] = npb_alloc(job, count, sizeof(double));
    }
}

void flow_cells_fini(flow_cells *cells)
{
    for (int way = 0; way < 6; way++) {
        free(cells->out[way]);
        free(cells->in[way]);
    }
    for (int number = 0; number < cells->side; number++)
        flow_box_fini(&cells->boxes[number]);
    for (int axis = 0; axis < 3; axis++)
        free(cells->at[axis]);
    free(cells->boxes);
}

void flow_cells_set_initial(flow_cells *cells)
{
    for (int number = 0; number < cells->side; number++)
        flow_box_set_initial(&cells->boxes[number]);
}

/* ---- the halos of the unknowns ----------------------------------------------------------------------------------- */

static void cells_pack(flow_cells *cells, int axis)
{
    double *up = cells->out[2 * axis], *down = cells->out[2 * axis + 1];
    for (int place = 0; place < cells->side; place++) {
        flow_box *box = cells->at[axis][place];
        if (place < cells->side - 1)
            up = flow_box_pack(box, axis, box->size[axis] - FLOW_HALO, FLOW_HALO, box->u, 5, up);
        if (place > 0)
            down = flow_box_pack(box, axis, 0, FLOW_HALO, box->u, 5, down);
    }
}

static void cells_unpack(flow_cells *cells, int axis)
{
    const double *from_next = cells->in[2 * axis], *from_previous = cells->in[2 * axis + 1];
    for (int place = 0; place < cells->side; place++) {
        flow_box *box = cells->at[axis][place];
        if (place < cells->side - 1)
            from_next = flow_box_unpack(box, axis, box->size[axis], FLOW_HALO, box->u, 5, from_next);
        if (place > 0)
            from_previous = flow_box_unpack(box, axis, -FLOW_HALO, FLOW_HALO, box->u, 5, from_previous);
    }
}

static void cells_exchange(flow_cells *cells)
{
    MPI_Request requests[12];
    if (cells->side == 1)
        return;
    for (int axis = 0; axis < 3; axis++) {
        int up = 2 * axis, down = 2 * axis + 1;
        MPI_Irecv(cells->in[up], cells_halo_count(cells, up), MPI_DOUBLE, cells->next[axis], CELLS_TAG_DOWN + axis,
                  MPI_COMM_WORLD, &requests[up]);
        MPI_Irecv(cells->in[down], cells_halo_count(cells, down), MPI_DOUBLE, cells->previous[axis],
                  CELLS_TAG_UP + axis, MPI_COMM_WORLD, &requests[down]);
    }
    for (int axis = 0; axis < 3; axis++) {
        int up = 2 * axis, down = 2 * axis + 1;
        cells_pack(cells, axis);
        MPI_Isend(cells->out[up], cells_halo_count(cells, up), MPI_DOUBLE, cells->next[axis], CELLS_TAG_UP + axis,
                  MPI_COMM_WORLD, &requests[6 + up]);
        MPI_Isend(cells->out[down], cells_halo_count(cells, down), MPI_DOUBLE, cells->previous[axis],
                  CELLS_TAG_DOWN + axis, MPI_COMM_WORLD, &requests[6 + down]);
    }
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    for (int axis = 0; axis < 3; axis++)
        cells_unpack(cells, axis);
}

void flow_cells_compute_rhs(flow_cells *cells)
{
    cells_exchange(cells);
    for (int number = 0; number < cells->side; number++)
        flow_box_compute_rhs(&cells->boxes[number], cells->flow->dt);
}
