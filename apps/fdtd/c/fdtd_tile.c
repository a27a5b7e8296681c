/* SPDX-License-Identifier: Apache-2.0 */
#include "fdtd_tile.h"

#include <stdlib.h>

enum { TILE_LEFT, TILE_RIGHT, TILE_BELOW, TILE_ABOVE };

int fdtd_tile_init(fdtd_tile *tile, MPI_Comm comm, int n, double courant)
{
    int dims[2], periods[2], place[2];
    MPI_Cart_get(comm, 2, dims, periods, place);
    tile->comm = comm;
    tile->courant = courant;
    tile->last = n;
    tile->first_x = (n + 1) * place[1] / dims[1];
    tile->first_y = (n + 1) * place[0] / dims[0];
    tile->width = (n + 1) * (place[1] + 1) / dims[1] - tile->first_x;
    tile->height = (n + 1) * (place[0] + 1) / dims[0] - tile->first_y;
    tile->pitch = tile->width + 2;
    size_t elements = (size_t)tile->pitch * (size_t)(tile->height + 2);
    tile->ez = calloc(elements, sizeof(double));
    tile->hx = calloc(elements, sizeof(double));
    tile->hy = calloc(elements, sizeof(double));
    MPI_Cart_shift(comm, 1, 1, &tile->peers[TILE_LEFT], &tile->peers[TILE_RIGHT]);
    MPI_Cart_shift(comm, 0, 1, &tile->peers[TILE_BELOW], &tile->peers[TILE_ABOVE]);
    MPI_Type_vector(tile->height, 1, tile->pitch, MPI_DOUBLE, &tile->column);
    MPI_Type_commit(&tile->column);
    return tile->ez && tile->hx && tile->hy;
}

void fdtd_tile_fini(fdtd_tile *tile)
{
    MPI_Type_free(&tile->column);
    free(tile->ez);
    free(tile->hx);
    free(tile->hy);
}

/* ---- rims -------------------------------------------------------------------------------------------------------- */

/* Where the column or row at a side begins: of the rim, or the first one inside it. */
static double *tile_edge(const fdtd_tile *tile, double *field, int side, int is_rim)
{
    size_t pitch = (size_t)tile->pitch;
    switch (side) {
    case TILE_LEFT:
        return field + pitch + !is_rim;
    case TILE_RIGHT:
        return field + pitch + (size_t)tile->width + (size_t)is_rim;
    case TILE_BELOW:
        return field + (is_rim ? 0 : pitch) + 1;
    default:
        return field + ((size_t)tile->height + (size_t)is_rim) * pitch + 1;
    }
}

/* Starts to receive a column from one side and a row from another, and to send the same to the opposite ones. */
static void tile_start(fdtd_tile *tile, double *columns, double *rows, int from_side, int from_end)
{
    const int *peers = tile->peers;
    int to_side = from_side ^ 1, to_end = from_end ^ 1;
    MPI_Irecv(tile_edge(tile, columns, from_side, 1), 1, tile->column, peers[from_side], from_side, tile->comm,
              &tile->requests[0]);
    MPI_Irecv(tile_edge(tile, rows, from_end, 1), tile->width, MPI_DOUBLE, peers[from_end], from_end, tile->comm,
              &tile->requests[1]);
    MPI_Isend(tile_edge(tile, columns, to_side, 0), 1, tile->column, peers[to_side], from_side, tile->comm,
              &tile->requests[2]);
    MPI_Isend(tile_edge(tile, rows, to_end, 0), tile->width, MPI_DOUBLE, peers[to_end], from_end, tile->comm,
              &tile->requests[3]);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static int tile_least(int a, int b)
{
    return a < b ? a : b;
}

static void tile_update_magnetic(const fdtd_tile *tile, int x0, int x1, int y0, int y1, double part)
{
    double factor = tile->courant * part;
    int end_x = tile_least(x1, tile->last - tile->first_x); /* hy has one place less along x, */
    int end_y = tile_least(y1, tile->last - tile->first_y); /* hx one less along y */
    for (int y = y0; y < y1; y++) {
        size_t row = (size_t)(y + 1) * (size_t)tile->pitch + 1;
        const double *restrict ez = tile->ez + row, *restrict above = ez + tile->pitch;
        double *restrict hx = tile->hx + row, *restrict hy = tile->hy + row;
        for (int x = x0; y < end_y && x < x1; x++)
            hx[x] -= factor * (above[x] - ez[x]);
        for (int x = x0; x < end_x; x++)
            hy[x] += factor * (ez[x + 1] - ez[x]);
    }
}

static void tile_update_electric(const fdtd_tile *tile, int x0, int x1, int y0, int y1)
{
    double courant = tile->courant;
    int begin_x = x0 > 1 - tile->first_x ? x0 : 1 - tile->first_x;
    int begin_y = y0 > 1 - tile->first_y ? y0 : 1 - tile->first_y;
    int end_x = tile_least(x1, tile->last - tile->first_x);
    int end_y = tile_least(y1, tile->last - tile->first_y);
    for (int y = begin_y; y < end_y; y++) {
        size_t row = (size_t)(y + 1) * (size_t)tile->pitch + 1;
        double *restrict ez = tile->ez + row;
        const double *restrict hx = tile->hx + row, *restrict below = hx - tile->pitch, *restrict hy = tile->hy + row;
        for (int x = begin_x; x < end_x; x++)
            ez[x] += courant * (hy[x] - hy[x - 1] - (hx[x] - below[x]));
    }
}

void fdtd_tile_step_magnetic(fdtd_tile *tile, double part)
{
    int width = tile->width, height = tile->height;
    tile_start(tile, tile->ez, tile->ez, TILE_RIGHT, TILE_ABOVE);
    tile_update_magnetic(tile, 0, width - 1, 0, height - 1, part);
    MPI_Waitall(4, tile->requests, MPI_STATUSES_IGNORE);
    tile_update_magnetic(tile, width - 1, width, 0, height - 1, part);
    tile_update_magnetic(tile, 0, width, height - 1, height, part);
}

void fdtd_tile_step_electric(fdtd_tile *tile)
{
    int width = tile->width, height = tile->height;
    tile_start(tile, tile->hy, tile->hx, TILE_LEFT, TILE_BELOW);
    tile_update_electric(tile, 1, width, 1, height);
    MPI_Waitall(4, tile->requests, MPI_STATUSES_IGNORE);
    tile_update_electric(tile, 0, 1, 1, height);
    tile_update_electric(tile, 0, width, 0, 1);
}
