/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This rank's part of the fields, with a rim of one cell. The electric field ez stands on the corners of the cells, hx
 * and hy on their edges, and they are half a time step apart. Element (x, y) of the whole square is number
 * fdtd_tile_index.
 *
 * A step needs one column or row of the neighbours: ez of those to the right and above for the magnetic fields, the
 * magnetic fields of those to the left and below for ez. While they are on their way the elements that do not need them
 * are computed. A column is a vector type: its elements lie a row apart.
 */
#ifndef FDTD_TILE_H
#define FDTD_TILE_H

#include <mpi.h>
#include <stddef.h>

typedef struct fdtd_tile {
    MPI_Comm comm;
    int first_x, first_y, width, height, pitch;
    double *ez, *hx, *hy;
    int last; /* place of the far walls */
    double courant;
    int peers[4];
    MPI_Datatype column;
    MPI_Request requests[4];
} fdtd_tile;

/* The square has n cells a side, so n + 1 corners; the walls are places 0 and n, where ez stays 0. The communicator is
 * Cartesian, with y first. 0: out of memory. */
int fdtd_tile_init(fdtd_tile *tile, MPI_Comm comm, int n, double courant);
void fdtd_tile_fini(fdtd_tile *tile);

void fdtd_tile_step_magnetic(fdtd_tile *tile, double part); /* by so large a part of a step */
void fdtd_tile_step_electric(fdtd_tile *tile);

static inline size_t fdtd_tile_index(const fdtd_tile *tile, int x, int y)
{
    return (size_t)(y - tile->first_y + 1) * (size_t)tile->pitch + (size_t)(x - tile->first_x + 1);
}

static inline int fdtd_tile_contains(const fdtd_tile *tile, int x, int y)
{
    return x >= tile->first_x && x < tile->first_x + tile->width && y >= tile->first_y &&
           y < tile->first_y + tile->height;
}

#endif
