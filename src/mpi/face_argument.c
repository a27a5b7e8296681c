/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about wrong arguments, by the kind of the argument. */
#include "mpi/face_errhandler.h"
#include "mpi/face_error.h"

#include <stdio.h>

/* ---- handles ---------------------------------------------------------------------------------------------------- */

enum { ARGUMENT_HANDLE_MAX = 128 };

/* What an invalid handle is instead of `kind`: the null handle of that kind, or something else. */
static const char *argument_describe(const void *handle, const void *null, const char *null_name, const char *kind,
                                     char room[ARGUMENT_HANDLE_MAX])
{
    face_rank *rank = face_get();
    if (handle == null)
        return null_name;
    if (!handle)
        snprintf(room, ARGUMENT_HANDLE_MAX, "not %s but a NULL pointer", kind);
    else if ((uintptr_t)handle <= FACE_RESERVED_MAX)
        snprintf(room, ARGUMENT_HANDLE_MAX, "not %s but the predefined handle 0x%x of another kind", kind,
                 (unsigned)(uintptr_t)handle);
    else if (rank->is_checked && !face_store_owns(rank, handle) && !cor_rank_owns_request(rank->rank, handle))
        snprintf(room, ARGUMENT_HANDLE_MAX, "not %s but %p, which is not a handle of this rank", kind, handle);
    else
        snprintf(room, ARGUMENT_HANDLE_MAX, "not %s but %p, which was freed or is a handle of another kind", kind,
                 handle);
    return room;
}

int face_fail_comm(const char *call, face_comm *comm, const char *argument, MPI_Comm handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
        return face_fail(
            call, comm, MPI_ERR_COMM,
            "%s is %s, which exists from MPI_Init to MPI_Finalize only: make a communicator of a group of "
            "the session, by MPI_Comm_create_from_group",
            argument, handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    return face_fail(call, comm, MPI_ERR_COMM, "%s is %s", argument,
                     argument_describe(handle, MPI_COMM_NULL, "MPI_COMM_NULL", "a communicator", room));
}

int face_fail_type(const char *call, face_comm *comm, const char *argument, MPI_Datatype handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    if (face_type_made(handle))
        return face_fail(call, comm, MPI_ERR_TYPE, "%s has not been committed with MPI_Type_commit", argument);
    return face_fail(call, comm, MPI_ERR_TYPE, "%s is %s", argument,
                     argument_describe(handle, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", "a datatype", room));
}

int face_fail_request(const char *call, const char *argument, MPI_Request handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    return face_fail(call, NULL, MPI_ERR_REQUEST, "%s is %s", argument,
                     argument_describe(handle, MPI_REQUEST_NULL, "MPI_REQUEST_NULL", "a request", room));
}

int face_fail_win(const char *call, const char *argument, MPI_Win handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    return face_fail(call, NULL, MPI_ERR_WIN, "%s is %s", argument,
                     argument_describe(handle, MPI_WIN_NULL, "MPI_WIN_NULL", "a window", room));
}

int face_fail_file(const char *call, const char *argument, MPI_File handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    return face_fail(call, &face_get()->no_file, MPI_ERR_FILE, "%s is %s", argument,
                     argument_describe(handle, MPI_FILE_NULL, "MPI_FILE_NULL", "a file", room));
}

int face_fail_session(const char *call, const char *argument, MPI_Session handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    return face_fail_early(call, MPI_ERR_SESSION, "%s is %s", argument,
                           argument_describe(handle, MPI_SESSION_NULL, "MPI_SESSION_NULL", "a session", room));
}

int face_fail_group(const char *call, face_comm *comm, const char *argument, MPI_Group handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    return face_fail(call, comm, MPI_ERR_GROUP, "%s is %s", argument,
                     argument_describe(handle, MPI_GROUP_NULL, "MPI_GROUP_NULL", "a group", room));
}

int face_fail_op(const char *call, face_comm *comm, const char *argument, MPI_Op handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    return face_fail(call, comm, MPI_ERR_OP, "%s is %s", argument,
                     argument_describe(handle, MPI_OP_NULL, "MPI_OP_NULL", "an operator", room));
}

int face_fail_info(const char *call, face_comm *comm, const char *argument, MPI_Info handle)
{
    char room[ARGUMENT_HANDLE_MAX];
    const char *what = argument_describe(handle, MPI_INFO_NULL, "MPI_INFO_NULL", "an info", room);
    if (comm)
        return face_fail(call, comm, MPI_ERR_INFO, "%s is %s", argument, what);
    return face_fail_early(call, MPI_ERR_INFO, "%s is %s", argument, what);
}

int face_fail_errhandler(const char *call, face_comm *comm, const char *argument, MPI_Errhandler handle,
                         face_subject subject)
{
    char room[96];
    return face_fail(call, comm, MPI_ERR_ERRHANDLER, "%s is %s", argument,
                     face_errhandler_describe(handle, subject, room, sizeof room));
}

int face_fail_inter(const char *call, face_comm *comm, const char *argument)
{
    return face_fail(call, comm, MPI_ERR_COMM, "%s is an intercommunicator", argument);
}

int face_fail_intra(const char *call, face_comm *comm, const char *argument)
{
    return face_fail(call, comm, MPI_ERR_COMM, "%s is not an intercommunicator", argument);
}

/* ---- pointers --------------------------------------------------------------------------------------------------- */

int face_fail_null(const char *call, face_comm *comm, const char *argument)
{
    return face_fail(call, comm, MPI_ERR_ARG, "%s is a NULL pointer", argument);
}

int face_fail_early_null(const char *call, const char *argument)
{
    return face_fail_early(call, MPI_ERR_ARG, "%s is a NULL pointer", argument);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

int face_fail_negative(const char *call, face_comm *comm, int error_class, const char *argument, MPI_Count value)
{
    return face_fail(call, comm, error_class, "%s is %lld, but must not be negative", argument, (long long)value);
}

int face_fail_early_negative(const char *call, int error_class, const char *argument, MPI_Count value)
{
    return face_fail_early(call, error_class, "%s is %lld, but must not be negative", argument, (long long)value);
}

int face_fail_not_positive(const char *call, face_comm *comm, int error_class, const char *argument, MPI_Count value)
{
    return face_fail(call, comm, error_class, "%s is %lld, but must be 1 or more", argument, (long long)value);
}

int face_fail_rank(const char *call, face_comm *comm, int error_class, const char *argument, int rank)
{
    const char *place = comm->kind == FACE_WIN ? "window" : "communicator";
    if (comm->size == 1)
        return face_fail(call, comm, error_class, "%s is %d, but the %s has 1 rank (0)", argument, rank, place);
    return face_fail(call, comm, error_class, "%s is %d, but the %s has %d ranks (0..%d)", argument, rank, place,
                     comm->size, comm->size - 1);
}

int face_fail_tag(const char *call, face_comm *comm, int error_class, const char *argument, int tag)
{
    return face_fail(call, comm, error_class, "%s is %d, but must be 0..%d", argument, tag, COR_TAG_MAX);
}
