/* SPDX-License-Identifier: Apache-2.0 */
#include "mg_grid.h"

#include <stdlib.h>
#include <string.h>

enum { GRID_TAG_UP = 10, GRID_TAG_DOWN = 20 };

static int grid_log(const npb_job *job)
{
    int log = 0;
    while (1 << log < job->size)
        log++;
    return log;
}

static int grid_neighbour(const mg_grid *grid, int axis, int step)
{
    int at[3];
    memcpy(at, grid->place, sizeof at);
    at[axis] = (at[axis] + step + grid->ranks[axis]) % grid->ranks[axis];
    return at[0] + grid->ranks[0] * (at[1] + grid->ranks[1] * at[2]);
}

static size_t grid_layer(const mg_grid *grid, int axis)
{
    size_t deep = (size_t)grid->n3 + 2;
    return axis == 0 ? (size_t)grid->m2 * deep : axis == 1 ? (size_t)grid->m1 * deep : grid->plane;
}

void mg_grid_init(mg_grid *grid, const npb_job *job, int side, int is_whole)
{
    int log = is_whole ? 0 : grid_log(job), rank = is_whole ? 0 : job->rank;
    size_t most = 0;
    grid->job = job;
    grid->side = side;
    for (int axis = 0; axis < 3; axis++)
        grid->ranks[axis] = 1 << (log + axis) / 3;
    grid->place[0] = rank % grid->ranks[0];
    grid->place[1] = rank / grid->ranks[0] % grid->ranks[1];
    grid->place[2] = rank / grid->ranks[0] / grid->ranks[1];
    for (int axis = 0; axis < 3; axis++) {
        grid->previous[axis] = grid_neighbour(grid, axis, -1);
        grid->next[axis] = grid_neighbour(grid, axis, 1);
    }
    grid->n1 = side / grid->ranks[0];
    grid->n2 = side / grid->ranks[1];
    grid->n3 = side / grid->ranks[2];
    grid->m1 = grid->n1 + 2;
    grid->m2 = grid->n2 + 2;
    grid->plane = (size_t)grid->m1 * (size_t)grid->m2;
    grid->cells = grid->plane * ((size_t)grid->n3 + 2);
    for (int axis = 0; axis < 3; axis++)
        most = grid_layer(grid, axis) > most ? grid_layer(grid, axis) : most;
    for (int i = 0; i < 4; i++)
        grid->buffers[i] = npb_alloc(job, most, sizeof(double));
}

void mg_grid_fini(mg_grid *grid)
{
    for (int i = 0; i < 4; i++)
        free(grid->buffers[i]);
}

int mg_grid_can_part(const npb_job *job, int side)
{
    return side / (1 << (grid_log(job) + 2) / 3) >= 2;
}

/* ---- the halo ---------------------------------------------------------------------------------------------------- */

/* The layer at a place of an axis, halo included, to a buffer. */
static void grid_pack(const mg_grid *grid, int axis, const double *u, int at, double *buffer)
{
    size_t m1 = (size_t)grid->m1;
    if (axis == 2)
        memcpy(buffer, u + (size_t)at * grid->plane, grid->plane * sizeof(double));
    for (int i3 = 0; axis < 2 && i3 < grid->n3 + 2; i3++) {
        const double *from = u + (size_t)i3 * grid->plane;
        if (axis == 1) {
            memcpy(buffer, from + (size_t)at * m1, m1 * sizeof(double));
            buffer += m1;
        } else {
            for (int i2 = 0; i2 < grid->m2; i2++)
                *buffer++ = from[(size_t)i2 * m1 + (size_t)at];
        }
    }
}

/* And back. */
static void grid_unpack(const mg_grid *grid, int axis, double *u, int at, const double *buffer)
{
    size_t m1 = (size_t)grid->m1;
    if (axis == 2)
        memcpy(u + (size_t)at * grid->plane, buffer, grid->plane * sizeof(double));
    for (int i3 = 0; axis < 2 && i3 < grid->n3 + 2; i3++) {
        double *to = u + (size_t)i3 * grid->plane;
        if (axis == 1) {
            memcpy(to + (size_t)at * m1, buffer, m1 * sizeof(double));
            buffer += m1;
        } else {
            for (int i2 = 0; i2 < grid->m2; i2++)
                to[(size_t)i2 * m1 + (size_t)at] = *buffer++;
        }
    }
}

static void grid_exchange(const mg_grid *grid, int axis, int length, double *u)
{
    int count = (int)grid_layer(grid, axis), previous = grid->previous[axis], next = grid->next[axis];
    double *const *buffers = grid->buffers;
    MPI_Request requests[4];
    MPI_Irecv(buffers[2], count, MPI_DOUBLE, next, GRID_TAG_DOWN + axis, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffers[3], count, MPI_DOUBLE, previous, GRID_TAG_UP + axis, MPI_COMM_WORLD, &requests[1]);
    grid_pack(grid, axis, u, 1, buffers[0]);
    MPI_Isend(buffers[0], count, MPI_DOUBLE, previous, GRID_TAG_DOWN + axis, MPI_COMM_WORLD, &requests[2]);
    grid_pack(grid, axis, u, length, buffers[1]);
    MPI_Isend(buffers[1], count, MPI_DOUBLE, next, GRID_TAG_UP + axis, MPI_COMM_WORLD, &requests[3]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    grid_unpack(grid, axis, u, length + 1, buffers[2]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    grid_unpack(grid, axis, u, 0, buffers[3]);
    MPI_Waitall(2, requests + 2, MPI_STATUSES_IGNORE);
}

void mg_grid_fill_halo(const mg_grid *grid, double *u)
{
    for (int axis = 0; axis < 3; axis++) {
        int length = axis == 0 ? grid->n1 : axis == 1 ? grid->n2 : grid->n3;
        if (grid->ranks[axis] > 1) {
            grid_exchange(grid, axis, length, u);
            continue;
        }
        grid_pack(grid, axis, u, 1, grid->buffers[0]);
        grid_unpack(grid, axis, u, length + 1, grid->buffers[0]);
        grid_pack(grid, axis, u, length, grid->buffers[0]);
        grid_unpack(grid, axis, u, 0, grid->buffers[0]);
    }
}

/* ---- between boxes and the whole grid ---------------------------------------------------------------------------- */

void mg_grid_gather(const mg_grid *grid, const double *own, const mg_grid *whole, double *all)
{
    size_t n1 = (size_t)grid->n1, count = n1 * (size_t)grid->n2 * (size_t)grid->n3;
    double *box = npb_alloc(grid->job, count, sizeof(double));
    double *boxes = npb_alloc(grid->job, count * (size_t)grid->job->size, sizeof(double));
    double *to = box;
    for (int i3 = 1; i3 <= grid->n3; i3++)
        for (int i2 = 1; i2 <= grid->n2; i2++, to += n1)
            memcpy(to, own + mg_grid_row(grid, i2, i3) + 1, n1 * sizeof(double));
    MPI_Allgather(box, (int)count, MPI_DOUBLE, boxes, (int)count, MPI_DOUBLE, MPI_COMM_WORLD);
    const double *from = boxes;
    for (int rank = 0; rank < grid->job->size; rank++) {
        int x = rank % grid->ranks[0] * grid->n1;
        int y = rank / grid->ranks[0] % grid->ranks[1] * grid->n2;
        int z = rank / grid->ranks[0] / grid->ranks[1] * grid->n3;
        for (int i3 = 1; i3 <= grid->n3; i3++)
            for (int i2 = 1; i2 <= grid->n2; i2++, from += n1)
                memcpy(all + mg_grid_row(whole, y + i2, z + i3) + (size_t)x + 1, from, n1 * sizeof(double));
    }
    free(box);
    free(boxes);
}

void mg_grid_cut(const mg_grid *grid, const mg_grid *whole, const double *all, double *own)
{
    int x = mg_grid_start(grid, 0), y = mg_grid_start(grid, 1), z = mg_grid_start(grid, 2);
    for (int i3 = 0; i3 < grid->n3 + 2; i3++)
        for (int i2 = 0; i2 < grid->m2; i2++)
            memcpy(own + mg_grid_row(grid, i2, i3), all + mg_grid_row(whole, y + i2, z + i3) + (size_t)x,
                   (size_t)grid->m1 * sizeof(double));
}
