/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian topologies. */
#include "mpi/face_topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ----------------------------------------------------------------------------------------------------- */

/* Dimensions and whether they are periodic (NULL where a call has no such argument: then `dims` stands in). */
static int cart_check_dims(const char *call, face_comm *comm, int ndims, const int dims[], const int periods[])
{
    if (ndims < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "ndims is %d, but must not be negative", ndims);
    if (ndims > 0 && (!dims || !periods))
        return face_fail_null(call, comm, dims ? "periods" : "dims");
    for (int i = 0; i < ndims; i++)
        if (dims[i] <= 0)
            return face_fail(call, comm, MPI_ERR_DIMS, "dims[%d] is %d, but must be 1 or more", i, dims[i]);
    return MPI_SUCCESS;
}

COR_API(int, Cart_create,
        (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart))
{
    (void)reorder; /* no reordering, which MPI allows */
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra("MPI_Cart_create", "comm_old", comm_old, "comm_cart", comm_cart, &error);
    if (face)
        error = cart_check_dims("MPI_Cart_create", face, ndims, dims, periods);
    if (!face || error != MPI_SUCCESS)
        return error;
    cor_comm *made = NULL;
    int code = cor_cart_create(face->comm, ndims, dims, periods, &made);
    return face_topology_made("MPI_Cart_create", face, code, MPI_ERR_DIMS, made, comm_cart);
}

COR_API(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Cart_sub", comm, COR_TOPOLOGY_CART, &error);
    if (!face)
        return error;
    if (!remain_dims && cor_cart_dim_count(face->comm) > 0)
        return face_fail_null("MPI_Cart_sub", face, "remain_dims");
    if (!newcomm)
        return face_fail_null("MPI_Cart_sub", face, "newcomm");
    cor_comm *made = NULL;
    int code = cor_cart_sub(face->comm, remain_dims, &made);
    return face_topology_made("MPI_Cart_sub", face, code, MPI_ERR_DIMS, made, newcomm);
}

COR_API(int, Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra("MPI_Cart_map", "comm", comm, "newrank", newrank, &error);
    if (!face)
        return error;
    error = cart_check_dims("MPI_Cart_map", face, ndims, dims, periods);
    if (error == MPI_SUCCESS)
        *newrank = cor_cart_map(face->comm, ndims, dims);
    return error;
}

COR_API(int, Dims_create, (int nnodes, int ndims, int dims[]))
{
    face_open("MPI_Dims_create");
    if (nnodes <= 0)
        return face_fail("MPI_Dims_create", NULL, MPI_ERR_ARG, "nnodes is %d, but must be 1 or more", nnodes);
    if (ndims < 0)
        return face_fail("MPI_Dims_create", NULL, MPI_ERR_ARG, "ndims is %d, but must not be negative", ndims);
    if (ndims > 0 && !dims)
        return face_fail_null("MPI_Dims_create", NULL, "dims");
    for (int i = 0; i < ndims; i++)
        if (dims[i] < 0)
            return face_fail("MPI_Dims_create", NULL, MPI_ERR_DIMS, "dims[%d] is %d, but must not be negative", i,
                             dims[i]);
    int code = cor_dims_create(nnodes, ndims, dims);
    if (code == COR_ERR_ARG)
        return face_fail("MPI_Dims_create", NULL, MPI_ERR_DIMS,
                         "nnodes is %d, which is not a multiple of the dimensions given in dims, or not their product",
                         nnodes);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine("MPI_Dims_create", NULL, code, NULL);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

COR_API(int, Cartdim_get, (MPI_Comm comm, int *ndims))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Cartdim_get", comm, COR_TOPOLOGY_CART, &error);
    if (!face)
        return error;
    if (!ndims)
        return face_fail_null("MPI_Cartdim_get", face, "ndims");
    *ndims = cor_cart_dim_count(face->comm);
    return MPI_SUCCESS;
}

/* Is there space for all dimensions? */
static int cart_check_room(const char *call, face_comm *comm, int maxdims, const void *room, const char *name)
{
    int count = cor_cart_dim_count(comm->comm);
    if (maxdims < count)
        return face_fail(call, comm, MPI_ERR_DIMS, "maxdims is %d, but the grid has %d dimensions", maxdims, count);
    return count > 0 && !room ? face_fail_null(call, comm, name) : MPI_SUCCESS;
}

COR_API(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Cart_get", comm, COR_TOPOLOGY_CART, &error);
    if (!face)
        return error;
    error = cart_check_room("MPI_Cart_get", face, maxdims, dims, "dims")
                ?: cart_check_room("MPI_Cart_get", face, maxdims, periods, "periods")
                ?: cart_check_room("MPI_Cart_get", face, maxdims, coords, "coords");
    if (error != MPI_SUCCESS)
        return error;
    size_t bytes = (size_t)cor_cart_dim_count(face->comm) * sizeof(int);
    if (bytes) {
        memcpy(dims, cor_cart_dims(face->comm), bytes);
        memcpy(periods, cor_cart_periods(face->comm), bytes);
        cor_cart_coords(face->comm, cor_comm_rank(face->comm), coords);
    }
    return MPI_SUCCESS;
}

COR_API(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Cart_coords", comm, COR_TOPOLOGY_CART, &error);
    if (!face)
        return error;
    if (rank < 0 || rank >= face->size)
        return face_fail("MPI_Cart_coords", face, MPI_ERR_RANK, "rank is %d, but the grid has %d ranks (0..%d)", rank,
                         face->size, face->size - 1);
    error = cart_check_room("MPI_Cart_coords", face, maxdims, coords, "coords");
    if (error == MPI_SUCCESS)
        cor_cart_coords(face->comm, rank, coords);
    return error;
}

COR_API(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Cart_rank", comm, COR_TOPOLOGY_CART, &error);
    if (!face)
        return error;
    int count = cor_cart_dim_count(face->comm);
    const int *dims = cor_cart_dims(face->comm), *periods = cor_cart_periods(face->comm);
    if ((count > 0 && !coords) || !rank)
        return face_fail_null("MPI_Cart_rank", face, rank ? "coords" : "rank");
    for (int i = 0; i < count; i++)
        if (!periods[i] && (coords[i] < 0 || coords[i] >= dims[i]))
            return face_fail("MPI_Cart_rank", face, MPI_ERR_ARG,
                             "coords[%d] is %d, but this dimension is not periodic and goes from 0 to %d", i,
                             coords[i], dims[i] - 1);
    *rank = cor_cart_rank(face->comm, coords);
    return MPI_SUCCESS;
}

COR_API(int, Cart_shift, (MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Cart_shift", comm, COR_TOPOLOGY_CART, &error);
    if (!face)
        return error;
    int count = cor_cart_dim_count(face->comm);
    if (direction < 0 || direction >= count)
        return face_fail("MPI_Cart_shift", face, MPI_ERR_DIMS, "direction is %d, but the grid has %d dimensions",
                         direction, count);
    if (!rank_source || !rank_dest)
        return face_fail_null("MPI_Cart_shift", face, rank_source ? "rank_dest" : "rank_source");
    cor_cart_shift(face->comm, direction, disp, rank_source, rank_dest);
    return MPI_SUCCESS;
}
