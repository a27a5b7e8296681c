/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian grids: ranks in row-major order. */
#include "mp/create/comm.h"
#include "mp/mp_state.h"
#include "mp/topology_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

/* How many ranks the grid has; more than any communicator where that is too many. */
static long cart_size(int dim_count, const int *dims)
{
    long size = 1;
    for (int i = 0; i < dim_count; i++) {
        size *= dims[i];
        if (size > INT32_MAX)
            return (long)INT32_MAX + 1;
    }
    return size;
}

static void cart_coords(int dim_count, const int *dims, int rank, int *coords)
{
    for (int i = dim_count - 1; i >= 0; i--) {
        coords[i] = rank % dims[i];
        rank /= dims[i];
    }
}

static int cart_rank(const cor_topology *grid, const int *coords)
{
    int rank = 0;
    for (int i = 0; i < grid->dim_count; i++) {
        int at = coords[i], length = grid->dims[i];
        if (at < 0 || at >= length) {
            if (!grid->periods[i])
                return COR_PROC_NULL;
            at %= length;
            at += at < 0 ? length : 0;
        }
        rank = rank * length + at;
    }
    return rank;
}

/* The rank that is `distance` further along `dim`. */
static int cart_step(const cor_topology *grid, int rank, int dim, long distance)
{
    long length = grid->dims[dim], stride = 1;
    for (int i = dim + 1; i < grid->dim_count; i++)
        stride *= grid->dims[i];
    long at = rank / stride % length, to = at + distance;
    if (to < 0 || to >= length) {
        if (!grid->periods[dim])
            return COR_PROC_NULL;
        to %= length;
        to += to < 0 ? length : 0;
    }
    return rank + (int)((to - at) * stride);
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

static cor_topology *cart_make(int rank, int dim_count, const int *dims, const int *periods)
{
    cor_topology *grid = cor_topology_make(COR_TOPOLOGY_CART, 4 * (size_t)dim_count);
    if (!grid)
        return NULL;
    int *neighbours = grid->numbers + 2 * (size_t)dim_count;
    grid->dim_count = dim_count;
    grid->dims = grid->numbers;
    grid->periods = grid->numbers + dim_count;
    for (int i = 0; i < dim_count; i++) {
        grid->dims[i] = dims[i];
        grid->periods[i] = periods[i] != 0;
    }
    for (int i = 0; i < dim_count; i++) {
        neighbours[2 * i] = cart_step(grid, rank, i, -1);
        neighbours[2 * i + 1] = cart_step(grid, rank, i, 1);
    }
    grid->sources = grid->destinations = (cor_neighbours){.count = 2 * dim_count, .ranks = neighbours};
    return grid;
}

/* Hang a grid on what a split made, if it made anything for this rank. */
static int cart_attach(cor_comm *parent, cor_comm *made, int dim_count, const int *dims, const int *periods)
{
    if (!made)
        return COR_OK;
    cor_topology *grid = cart_make(made->rank, dim_count, dims, periods);
    if (!grid) {
        cor_comm_unref(made);
        return cor_topology_no_memory(parent);
    }
    cor_topology_attach(made, grid);
    return COR_OK;
}

int cor_cart_create(cor_comm *comm, int dim_count, const int *dims, const int *periods, cor_comm **cart_p)
{
    long size = cart_size(dim_count, dims);
    if (size > comm->size)
        return cor_fault_set(
            comm->owner->fault, COR_ERR_ARG, "the grid has %s%ld positions, but the communicator has %d ranks",
            size > INT32_MAX ? "more than " : "", size > INT32_MAX ? (long)INT32_MAX : size, comm->size);
    cor_comm *made;
    int rc = cor_comm_split(comm, comm->rank < size ? 0 : COR_UNDEFINED, 0, &made);
    if (rc == COR_OK)
        rc = cart_attach(comm, made, dim_count, dims, periods);
    if (rc == COR_OK)
        *cart_p = made;
    return rc;
}

int cor_cart_sub(cor_comm *cart, const int *remain, cor_comm **sub_p)
{
    const cor_topology *grid = cart->topology;
    int *numbers = malloc(((size_t)grid->dim_count * 3 + 1) * sizeof *numbers);
    if (!numbers)
        return cor_topology_no_memory(cart);
    int *coords = numbers, *dims = numbers + grid->dim_count, *periods = dims + grid->dim_count;
    int colour = 0, count = 0;
    cart_coords(grid->dim_count, grid->dims, cart->rank, coords);
    /* Which of the others' places it is says which grid; the order of ranks stays. */
    for (int i = 0; i < grid->dim_count; i++) {
        if (remain[i]) {
            dims[count] = grid->dims[i];
            periods[count++] = grid->periods[i];
        } else {
            colour = colour * grid->dims[i] + coords[i];
        }
    }
    cor_comm *made;
    int rc = cor_comm_split(cart, colour, cart->rank, &made);
    if (rc == COR_OK)
        rc = cart_attach(cart, made, count, dims, periods);
    if (rc == COR_OK)
        *sub_p = made;
    free(numbers);
    return rc;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

int cor_cart_dim_count(const cor_comm *cart)
{
    return cart->topology->dim_count;
}

const int *cor_cart_dims(const cor_comm *cart)
{
    return cart->topology->dims;
}

const int *cor_cart_periods(const cor_comm *cart)
{
    return cart->topology->periods;
}

void cor_cart_coords(const cor_comm *cart, int rank, int *coords)
{
    cart_coords(cart->topology->dim_count, cart->topology->dims, rank, coords);
}

int cor_cart_rank(const cor_comm *cart, const int *coords)
{
    return cart_rank(cart->topology, coords);
}

void cor_cart_shift(const cor_comm *cart, int dim, int distance, int *source_p, int *dest_p)
{
    *source_p = cart_step(cart->topology, cart->rank, dim, -(long)distance);
    *dest_p = cart_step(cart->topology, cart->rank, dim, distance);
}

int cor_cart_map(const cor_comm *comm, int dim_count, const int *dims)
{
    return comm->rank < cart_size(dim_count, dims) ? comm->rank : COR_UNDEFINED;
}
