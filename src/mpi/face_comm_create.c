/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators made from others. */
#include "mpi/face_comm.h"

#include "mp/create/comm.h"

#include <string.h>

/* ---- dup -------------------------------------------------------------------------------------------------------- */

int face_comm_copy_attributes(const char *call, face_comm *original, MPI_Comm *copy_p)
{
    face_rank *rank = original->owner;
    face_comm *copy = face_comm_find(rank, *copy_p);
    int code = cor_attributes_copy(rank->keys, &copy->attributes, &original->attributes, original);
    if (code == 0)
        return MPI_SUCCESS;
    /* The error is already reported; the results of the delete functions change nothing. */
    cor_attributes_discard(rank->keys, &copy->attributes, copy);
    copy->kind = FACE_FREE;
    face_check_forget(rank, copy);
    cor_comm_unref(copy->comm);
    *copy_p = MPI_COMM_NULL;
    if (code == COR_ERR_MEMORY)
        return face_fail(call, original, MPI_ERR_NO_MEM, "no memory for an attribute");
    return face_fail_callback(call, original, code, "the copy function of an attribute");
}

/* What the copy gets from the original, and its own hints. */
static int create_inherit(const char *call, face_comm *original, const cor_info *info, MPI_Comm *copy_p)
{
    int error = face_comm_copy_attributes(call, original, copy_p);
    if (error != MPI_SUCCESS || !info)
        return error;
    if (face_comm_take_hints((face_comm *)*copy_p, info) != COR_OK)
        return face_fail(call, original, MPI_ERR_NO_MEM, "no memory for the hints");
    return MPI_SUCCESS;
}

static int create_dup_with_info(const char *call, face_comm *comm, cor_info *info, MPI_Comm *newcomm)
{
    cor_comm *made;
    int code = cor_comm_dup(comm->comm, &made);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    return face_comm_handle(call, comm, made, newcomm) ?: create_inherit(call, comm, info, newcomm);
}

static int create_dup(const char *call, face_comm *comm, MPI_Comm *newcomm)
{
    return create_dup_with_info(call, comm, NULL, newcomm);
}

FACE_API(Comm_dup, create_dup)
FACE_API(Comm_dup_with_info, create_dup_with_info)

/* The attributes are copied now, whatever happens to the original until the request is complete. */
static int create_idup_with_info(const char *call, face_comm *comm, cor_info *info, MPI_Comm *newcomm,
                                 MPI_Request *request)
{
    cor_comm *made;
    cor_request *started;
    int code = cor_comm_idup(comm->comm, &made, &started);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    int error = face_comm_handle(call, comm, made, newcomm) ?: create_inherit(call, comm, info, newcomm);
    if (error == MPI_SUCCESS)
        *request = face_request_new(call, started);
    else
        cor_request_free(&started); /* the other ranks expect this one to go on */
    return error;
}

static int create_idup(const char *call, face_comm *comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return create_idup_with_info(call, comm, NULL, newcomm, request);
}

FACE_API(Comm_idup, create_idup)
FACE_API(Comm_idup_with_info, create_idup_with_info)

/* ---- from groups ------------------------------------------------------------------------------------------------ */

static int create_from_group(const char *call, face_comm *comm, cor_group *group, MPI_Comm *newcomm)
{
    int error = face_group_check(call, comm, group);
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made;
    int code = cor_comm_create(comm->comm, group, &made);
    return code == COR_OK ? face_comm_handle(call, comm, made, newcomm) : face_fail_engine(call, comm, code, NULL);
}

FACE_API(Comm_create, create_from_group)

static int create_by_group(const char *call, face_comm *comm, cor_group *group, int tag, MPI_Comm *newcomm)
{
    int error = face_group_check(call, comm, group);
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made;
    int code = cor_comm_create_group(comm->comm, group, tag, &made);
    return code == COR_OK ? face_comm_handle(call, comm, made, newcomm) : face_fail_engine(call, comm, code, NULL);
}

FACE_API(Comm_create_group, create_by_group)

/* ---- split ------------------------------------------------------------------------------------------------------ */

static int create_split(const char *call, face_comm *comm, int color, int key, MPI_Comm *newcomm)
{
    if (color < 0 && color != MPI_UNDEFINED)
        return face_fail(call, comm, MPI_ERR_ARG, "color is %d, but must be MPI_UNDEFINED or not negative", color);
    cor_comm *made;
    int code = cor_comm_split(comm->comm, color, key, &made);
    return code == COR_OK ? face_comm_handle(call, comm, made, newcomm) : face_fail_engine(call, comm, code, NULL);
}

FACE_API(Comm_split, create_split)

/* Does this type split by shared memory? The other types need not find smaller units, and do not. */
static int create_is_shared(int split_type, const cor_info *info)
{
    if (split_type == MPI_COMM_TYPE_SHARED)
        return 1;
    if (!info || (split_type != MPI_COMM_TYPE_HW_GUIDED && split_type != MPI_COMM_TYPE_RESOURCE_GUIDED))
        return 0;
    const char *type = cor_info_get(info, "mpi_hw_resource_type");
    return type && strcmp(type, "mpi_shared_memory") == 0;
}

static int create_is_split_type(int split_type)
{
    return split_type == MPI_UNDEFINED || split_type == MPI_COMM_TYPE_SHARED ||
           split_type == MPI_COMM_TYPE_HW_UNGUIDED || split_type == MPI_COMM_TYPE_HW_GUIDED ||
           split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
}

static int create_split_type(const char *call, face_comm *comm, int split_type, int key, cor_info *info,
                             MPI_Comm *newcomm)
{
    if (!create_is_split_type(split_type))
        return face_fail(call, comm, MPI_ERR_ARG,
                         "split_type is %d, which is neither MPI_UNDEFINED nor one of MPI_COMM_TYPE_*", split_type);
    cor_comm *made;
    int colour = create_is_shared(split_type, info) ? 0 : COR_UNDEFINED;
    int code = cor_comm_split_host(comm->comm, colour, key, &made);
    return code == COR_OK ? face_comm_handle(call, comm, made, newcomm) : face_fail_engine(call, comm, code, NULL);
}

FACE_API(Comm_split_type, create_split_type)
