/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian topologies. */
#include "mpi/face_topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ----------------------------------------------------------------------------------------------------- */

static int cart_check_dims(const char *call, face_comm *comm, int ndims, const int dims[])
{
    for (int i = 0; i < ndims; i++)
        if (dims[i] <= 0)
            return face_fail(call, comm, MPI_ERR_DIMS, "dims[%d] is %d, but must be 1 or more", i, dims[i]);
    return MPI_SUCCESS;
}

static int cart_create(const char *call, face_comm *comm_old, int ndims, const int dims[], const int periods[],
                       int reorder, MPI_Comm *comm_cart)
{
    (void)reorder; /* no reordering, which MPI allows */
    int error = cart_check_dims(call, comm_old, ndims, dims);
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made = NULL;
    int code = cor_cart_create(comm_old->comm, ndims, dims, periods, &made);
    return face_topology_made(call, comm_old, code, MPI_ERR_DIMS, made, comm_cart);
}

FACE_API(Cart_create, cart_create)

static int cart_sub(const char *call, face_comm *comm, const int remain_dims[], MPI_Comm *newcomm)
{
    if (!remain_dims && cor_cart_dim_count(comm->comm) > 0)
        return face_fail_null(call, comm, "remain_dims");
    cor_comm *made = NULL;
    int code = cor_cart_sub(comm->comm, remain_dims, &made);
    return face_topology_made(call, comm, code, MPI_ERR_DIMS, made, newcomm);
}

FACE_API(Cart_sub, cart_sub)

static int cart_map(const char *call, face_comm *comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    int error = cart_check_dims(call, comm, ndims, dims);
    if (error == MPI_SUCCESS)
        *newrank = cor_cart_map(comm->comm, ndims, dims);
    return error;
}

FACE_API(Cart_map, cart_map)

static int cart_dims_create(const char *call, int nnodes, int ndims, int dims[])
{
    for (int i = 0; i < ndims; i++)
        if (dims[i] < 0)
            return face_fail(call, NULL, MPI_ERR_DIMS, "dims[%d] is %d, but must not be negative", i, dims[i]);
    int code = cor_dims_create(nnodes, ndims, dims);
    if (code == COR_ERR_ARG)
        return face_fail(call, NULL, MPI_ERR_DIMS,
                         "nnodes is %d, which is not a multiple of the dimensions given in dims, or not their product",
                         nnodes);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, NULL, code, NULL);
}

FACE_API(Dims_create, cart_dims_create)

/* ---- questions -------------------------------------------------------------------------------------------------- */

static int cart_get_dim_count(const char *call, face_comm *comm, int *ndims)
{
    *ndims = cor_cart_dim_count(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Cartdim_get, cart_get_dim_count)

/* Is there space for all dimensions? */
static int cart_check_room(const char *call, face_comm *comm, int maxdims, const void *room, const char *name)
{
    int count = cor_cart_dim_count(comm->comm);
    if (maxdims < count)
        return face_fail(call, comm, MPI_ERR_DIMS, "maxdims is %d, but the grid has %d dimensions", maxdims, count);
    return count > 0 && !room ? face_fail_null(call, comm, name) : MPI_SUCCESS;
}

static int cart_get(const char *call, face_comm *comm, int maxdims, int dims[], int periods[], int coords[])
{
    int error = cart_check_room(call, comm, maxdims, dims, "dims")
                    ?: cart_check_room(call, comm, maxdims, periods, "periods")
                    ?: cart_check_room(call, comm, maxdims, coords, "coords");
    if (error != MPI_SUCCESS)
        return error;
    size_t bytes = (size_t)cor_cart_dim_count(comm->comm) * sizeof(int);
    if (bytes) {
        memcpy(dims, cor_cart_dims(comm->comm), bytes);
        memcpy(periods, cor_cart_periods(comm->comm), bytes);
        cor_cart_coords(comm->comm, cor_comm_rank(comm->comm), coords);
    }
    return MPI_SUCCESS;
}

FACE_API(Cart_get, cart_get)

static int cart_coords(const char *call, face_comm *comm, int rank, int maxdims, int coords[])
{
    int error = cart_check_room(call, comm, maxdims, coords, "coords");
    if (error == MPI_SUCCESS)
        cor_cart_coords(comm->comm, rank, coords);
    return error;
}

FACE_API(Cart_coords, cart_coords)

static int cart_rank(const char *call, face_comm *comm, const int coords[], int *rank)
{
    int count = cor_cart_dim_count(comm->comm);
    const int *dims = cor_cart_dims(comm->comm), *periods = cor_cart_periods(comm->comm);
    if (count > 0 && !coords)
        return face_fail_null(call, comm, "coords");
    for (int i = 0; i < count; i++)
        if (!periods[i] && (coords[i] < 0 || coords[i] >= dims[i]))
            return face_fail(call, comm, MPI_ERR_ARG,
                             "coords[%d] is %d, but this dimension is not periodic and goes from 0 to %d", i,
                             coords[i], dims[i] - 1);
    *rank = cor_cart_rank(comm->comm, coords);
    return MPI_SUCCESS;
}

FACE_API(Cart_rank, cart_rank)

static int cart_shift(const char *call, face_comm *comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    int count = cor_cart_dim_count(comm->comm);
    if (direction < 0 || direction >= count)
        return face_fail(call, comm, MPI_ERR_DIMS, "direction is %d, but the grid has %d dimensions", direction,
                         count);
    cor_cart_shift(comm->comm, direction, disp, rank_source, rank_dest);
    return MPI_SUCCESS;
}

FACE_API(Cart_shift, cart_shift)
