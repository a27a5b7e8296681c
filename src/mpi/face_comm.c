/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators. */
#include "mpi/face_comm.h"

#include "mpi/face_errhandler.h"
#include "mpi/face_name.h"

#include "dynamic/dynamic.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* The engine has freed the communicator. */
static void comm_free(void *data)
{
    face_comm *comm = data;
    free(comm->name);
    cor_info_destroy(comm->hints);
    if (comm->owner->keys)
        cor_attributes_drop(comm->owner->keys, &comm->attributes);
    face_errhandler_unref(comm->owner, comm->errhandler);
    face_object_destroy(comm->owner, comm);
}

int face_comm_handle(const char *call, face_comm *parent, cor_comm *made, MPI_Comm *handle_p)
{
    if (!made) {
        *handle_p = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    face_comm *comm = face_object_create(parent->owner, FACE_COMM, call);
    if (!comm) {
        cor_comm_unref(made);
        return face_fail(call, parent, MPI_ERR_NO_MEM, "no memory for a communicator handle");
    }
    comm->size = cor_comm_remote_size(made);
    comm->rank = cor_comm_rank(made);
    comm->is_inter = cor_comm_is_inter(made);
    comm->comm = made;
    comm->owner = parent->owner;
    comm->handle = (MPI_Comm)comm;
    comm->errhandler = parent->errhandler;
    face_errhandler_ref(parent->owner, comm->errhandler);
    cor_comm_set_face(made, comm, comm_free);
    *handle_p = comm->handle;
    return MPI_SUCCESS;
}

/* The communicator of a call that ends it, or NULL with the error reported in *error_p. */
static face_comm *comm_ask_end(const char *call, const MPI_Comm *comm, int *error_p)
{
    face_rank *rank = face_open(call);
    face_comm *face = comm ? face_comm_find(rank, *comm) : NULL;
    if (!comm)
        *error_p = face_fail_null(call, NULL, "comm");
    else if (!face)
        *error_p = face_fail_comm(call, "*comm", *comm);
    else if (face == rank->world || face == rank->self)
        *error_p = face_fail(call, face, MPI_ERR_COMM, "*comm is %s, which cannot be freed",
                             face == rank->world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    else
        return face;
    return NULL;
}

static int comm_end(const char *call, face_comm *face, MPI_Comm *comm)
{
    face_rank *rank = face->owner;
    int code = cor_attributes_discard(rank->keys, &face->attributes, face);
    if (code != MPI_SUCCESS)
        return face_fail_callback(call, face, code, "the delete function of an attribute");
    /* An attached buffer belongs to the program again when this returns. */
    cor_buffer_flush(rank->rank, face->comm);
    /* The handle is invalid at once; pending requests keep the object alive. */
    face->kind = FACE_FREE;
    face_check_forget(rank, face);
    if (rank->parent == face->handle)
        rank->parent = MPI_COMM_NULL;
    *comm = MPI_COMM_NULL;
    cor_comm_unref(face->comm);
    return MPI_SUCCESS;
}

COR_API(int, Comm_free, (MPI_Comm * comm))
{
    int error = MPI_SUCCESS;
    face_comm *face = comm_ask_end("MPI_Comm_free", comm, &error);
    return face ? comm_end("MPI_Comm_free", face, comm) : error;
}

COR_API(int, Comm_disconnect, (MPI_Comm * comm))
{
    int error = MPI_SUCCESS;
    face_comm *face = comm_ask_end("MPI_Comm_disconnect", comm, &error);
    if (!face)
        return error;
    int code = cor_comm_settle(face->comm);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_disconnect", face, code, NULL);
    cor_rank *job = cor_dynamic_job_of(face->comm);
    error = comm_end("MPI_Comm_disconnect", face, comm);
    if (error == MPI_SUCCESS && job)
        cor_dynamic_leave(job);
    return error;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

face_comm *face_comm_ask(const char *call, MPI_Comm handle, const char *argument, const void *result, int *error_p)
{
    face_comm *comm = face_comm_find(face_open(call), handle);
    if (!comm)
        *error_p = face_fail_comm(call, "comm", handle);
    else if (!result)
        *error_p = face_fail_null(call, comm, argument);
    return comm && result ? comm : NULL;
}

face_comm *face_comm_ask_intra(const char *call, const char *name, MPI_Comm handle, const char *argument,
                               const void *result, int *error_p)
{
    face_comm *comm = face_comm_find(face_open(call), handle);
    if (!comm)
        *error_p = face_fail_comm(call, name, handle);
    else if (cor_comm_is_inter(comm->comm))
        *error_p = face_fail(call, comm, MPI_ERR_COMM, "%s is an intercommunicator", name);
    else if (!result)
        *error_p = face_fail_null(call, comm, argument);
    else
        return comm;
    return NULL;
}

COR_API(int, Comm_rank, (MPI_Comm comm, int *rank))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_rank", comm, "rank", rank, &error);
    if (face)
        *rank = cor_comm_rank(face->comm);
    return error;
}

COR_API(int, Comm_size, (MPI_Comm comm, int *size))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_size", comm, "size", size, &error);
    if (face)
        *size = cor_comm_size(face->comm);
    return error;
}

COR_API(int, Comm_test_inter, (MPI_Comm comm, int *flag))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_test_inter", comm, "flag", flag, &error);
    if (face)
        *flag = cor_comm_is_inter(face->comm);
    return error;
}

COR_API(int, Comm_remote_size, (MPI_Comm comm, int *size))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_remote_size", comm, "size", size, &error);
    if (!face)
        return error;
    if (!cor_comm_is_inter(face->comm))
        return face_fail("MPI_Comm_remote_size", face, MPI_ERR_COMM, "comm is not an intercommunicator");
    *size = cor_comm_remote_size(face->comm);
    return MPI_SUCCESS;
}

COR_API(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result))
{
    static const int results[] = {
        [COR_IDENT] = MPI_IDENT,
        [COR_CONGRUENT] = MPI_CONGRUENT,
        [COR_SIMILAR] = MPI_SIMILAR,
        [COR_UNEQUAL] = MPI_UNEQUAL,
    };
    face_rank *rank = face_open("MPI_Comm_compare");
    face_comm *first = face_comm_find(rank, comm1);
    face_comm *second = face_comm_find(rank, comm2);
    if (!first)
        return face_fail_comm("MPI_Comm_compare", "comm1", comm1);
    if (!second)
        return face_fail_comm("MPI_Comm_compare", "comm2", comm2);
    if (!result)
        return face_fail_null("MPI_Comm_compare", first, "result");
    *result = results[cor_comm_compare(first->comm, second->comm)];
    return MPI_SUCCESS;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

COR_API(int, Comm_set_name, (MPI_Comm comm, const char *comm_name))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_set_name", comm, "comm_name", comm_name, &error);
    if (face && !face_name_set(face->owner, &face->name, comm_name))
        return face_fail("MPI_Comm_set_name", face, MPI_ERR_NO_MEM, "no memory for the name");
    return error;
}

COR_API(int, Comm_get_name, (MPI_Comm comm, char *comm_name, int *resultlen))
{
    int error = MPI_SUCCESS;
    if (comm == MPI_COMM_NULL)
        return face_name_get_null("MPI_Comm_get_name", "MPI_COMM_NULL", "comm_name", comm_name, resultlen);
    face_comm *face = face_comm_ask("MPI_Comm_get_name", comm, "comm_name", comm_name, &error);
    if (!face)
        return error;
    if (!resultlen)
        return face_fail_null("MPI_Comm_get_name", face, "resultlen");
    const char *given = comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : comm == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
    *resultlen = face_name_get(face->owner, face->name, given, comm_name);
    return MPI_SUCCESS;
}
