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
static int create_inherit(const char *call, face_comm *original, MPI_Info info, MPI_Comm *copy_p)
{
    int error = face_comm_copy_attributes(call, original, copy_p);
    if (error != MPI_SUCCESS || info == MPI_INFO_NULL)
        return error;
    if (face_comm_take_hints((face_comm *)*copy_p, face_info_find(original->owner, info)) != COR_OK)
        return face_fail(call, original, MPI_ERR_NO_MEM, "no memory for the hints");
    return MPI_SUCCESS;
}

static int create_dup(const char *call, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask(call, comm, "newcomm", newcomm, &error);
    if (!face || !face_info_is_usable(call, face, info, &error))
        return error;
    cor_comm *made;
    int code = cor_comm_dup(face->comm, &made);
    if (code != COR_OK)
        return face_fail_engine(call, face, code, NULL);
    return face_comm_handle(call, face, made, newcomm) ?: create_inherit(call, face, info, newcomm);
}

COR_API(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm))
{
    return create_dup("MPI_Comm_dup", comm, MPI_INFO_NULL, newcomm);
}

COR_API(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm))
{
    return create_dup("MPI_Comm_dup_with_info", comm, info, newcomm);
}

/* The attributes are copied now, whatever happens to the original until the request is complete. */
static int create_idup(const char *call, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask(call, comm, "newcomm", newcomm, &error);
    if (!face || !face_info_is_usable(call, face, info, &error))
        return error;
    if (!request)
        return face_fail_null(call, face, "request");
    cor_comm *made;
    cor_request *started;
    int code = cor_comm_idup(face->comm, &made, &started);
    if (code != COR_OK)
        return face_fail_engine(call, face, code, NULL);
    error = face_comm_handle(call, face, made, newcomm) ?: create_inherit(call, face, info, newcomm);
    if (error == MPI_SUCCESS)
        *request = face_request_new(call, started);
    else
        cor_request_free(&started); /* the other ranks expect this one to go on */
    return error;
}

COR_API(int, Comm_idup, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request))
{
    return create_idup("MPI_Comm_idup", comm, MPI_INFO_NULL, newcomm, request);
}

COR_API(int, Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request))
{
    return create_idup("MPI_Comm_idup_with_info", comm, info, newcomm, request);
}

/* ---- from groups ------------------------------------------------------------------------------------------------ */

/* The group of a call, whose members must be members of the communicator, or NULL with the error reported in *error_p.
 */
static cor_group *create_group(const char *call, face_comm *comm, MPI_Group handle, int *error_p)
{
    cor_group *group = face_group_find(comm->owner, handle);
    if (!group) {
        *error_p = face_fail_group(call, "group", handle);
        return NULL;
    }
    const cor_group *all = cor_comm_group(comm->comm);
    for (int i = 0; i < group->size; i++)
        if (cor_group_find(all, group, i) == COR_UNDEFINED) {
            *error_p = face_fail(call, comm, MPI_ERR_GROUP, "rank %d of group is not in the communicator", i);
            return NULL;
        }
    return group;
}

COR_API(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_create", comm, "newcomm", newcomm, &error);
    cor_group *members = face ? create_group("MPI_Comm_create", face, group, &error) : NULL;
    if (!members)
        return error;
    cor_comm *made;
    int code = cor_comm_create(face->comm, members, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_create", face, code, NULL);
    return face_comm_handle("MPI_Comm_create", face, made, newcomm);
}

COR_API(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra("MPI_Comm_create_group", "comm", comm, "newcomm", newcomm, &error);
    cor_group *members = face ? create_group("MPI_Comm_create_group", face, group, &error) : NULL;
    if (!members)
        return error;
    if (tag < 0)
        return face_fail("MPI_Comm_create_group", face, MPI_ERR_TAG, "tag is %d, but must be 0..%d", tag, COR_TAG_MAX);
    cor_comm *made;
    int code = cor_comm_create_group(face->comm, members, tag, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_create_group", face, code, NULL);
    return face_comm_handle("MPI_Comm_create_group", face, made, newcomm);
}

/* ---- split ------------------------------------------------------------------------------------------------------ */

COR_API(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_split", comm, "newcomm", newcomm, &error);
    if (!face)
        return error;
    if (color < 0 && color != MPI_UNDEFINED)
        return face_fail("MPI_Comm_split", face, MPI_ERR_ARG, "color is %d, but must be MPI_UNDEFINED or not negative",
                         color);
    cor_comm *made;
    int code = cor_comm_split(face->comm, color, key, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_split", face, code, NULL);
    return face_comm_handle("MPI_Comm_split", face, made, newcomm);
}

/* Does this type split by shared memory? The other types need not find smaller units, and do not. */
static int create_is_shared(face_rank *rank, int split_type, MPI_Info handle)
{
    if (split_type == MPI_COMM_TYPE_SHARED)
        return 1;
    if (handle == MPI_INFO_NULL ||
        (split_type != MPI_COMM_TYPE_HW_GUIDED && split_type != MPI_COMM_TYPE_RESOURCE_GUIDED))
        return 0;
    const char *type = cor_info_get(face_info_find(rank, handle), "mpi_hw_resource_type");
    return type && strcmp(type, "mpi_shared_memory") == 0;
}

static int create_is_split_type(int split_type)
{
    return split_type == MPI_UNDEFINED || split_type == MPI_COMM_TYPE_SHARED ||
           split_type == MPI_COMM_TYPE_HW_UNGUIDED || split_type == MPI_COMM_TYPE_HW_GUIDED ||
           split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
}

COR_API(int, Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_split_type", comm, "newcomm", newcomm, &error);
    if (!face || !face_info_is_usable("MPI_Comm_split_type", face, info, &error))
        return error;
    if (!create_is_split_type(split_type))
        return face_fail("MPI_Comm_split_type", face, MPI_ERR_ARG,
                         "split_type is %d, which is neither MPI_UNDEFINED nor one of MPI_COMM_TYPE_*", split_type);
    cor_comm *made;
    int colour = create_is_shared(face->owner, split_type, info) ? 0 : COR_UNDEFINED;
    int code = cor_comm_split_host(face->comm, colour, key, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_split_type", face, code, NULL);
    return face_comm_handle("MPI_Comm_split_type", face, made, newcomm);
}
