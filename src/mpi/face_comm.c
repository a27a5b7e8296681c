/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators. */
#include "mpi/face_comm.h"

#include "mpi/face_errhandler.h"
#include "mpi/face_name.h"
#include "mpi/face_session.h"

#include "dynamic/dynamic.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

void face_comm_free(void *data)
{
    face_comm *comm = data;
    pthread_mutex_lock(&comm->owner->lock);
    cor_list_remove(&comm->in_scope);
    pthread_mutex_unlock(&comm->owner->lock);
    free(comm->name);
    cor_info_destroy(comm->hints);
    if (comm->owner->keys)
        cor_attributes_drop(comm->owner->keys, &comm->attributes);
    face_errhandler_unref(comm->owner, comm->errhandler);
    face_object_destroy(comm->owner, comm);
}

int face_comm_handle(const char *call, face_comm *parent, cor_comm *made, MPI_Comm *handle_p)
{
    return face_comm_handle_in(call, parent, parent->scope, made, handle_p);
}

int face_comm_handle_in(const char *call, face_comm *parent, face_scope *scope, cor_comm *made, MPI_Comm *handle_p)
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
    cor_comm_set_session(made, scope->session);
    cor_comm_set_face(made, comm, face_comm_free);
    face_scope_add(scope, comm);
    *handle_p = comm->handle;
    return MPI_SUCCESS;
}

/* The predefined ones cannot be freed. */
static int comm_check_end(const char *call, face_comm *face)
{
    face_rank *rank = face->owner;
    if (face != &rank->world_comm && face != &rank->self_comm)
        return MPI_SUCCESS;
    return face_fail(call, face, MPI_ERR_COMM, "*comm is %s, which cannot be freed",
                     face == &rank->world_comm ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
}

static int comm_end(const char *call, face_comm *face, MPI_Comm *comm)
{
    face_rank *rank = face->owner;
    int code = cor_attributes_discard(rank->keys, &face->attributes, face);
    if (code != MPI_SUCCESS)
        return face_fail_callback(call, face, code, "the delete function of an attribute");
    /* An attached buffer belongs to the program again when this returns. */
    cor_buffer_end(rank->rank, face->comm);
    /* The handle is invalid at once; pending requests keep the object alive. */
    face->kind = FACE_FREE;
    face_check_forget(rank, face);
    if (rank->parent == face->handle)
        rank->parent = MPI_COMM_NULL;
    *comm = MPI_COMM_NULL;
    cor_comm_unref(face->comm);
    return MPI_SUCCESS;
}

static int comm_free_handle(const char *call, MPI_Comm *comm)
{
    face_comm *face = face_comm_find(face_get(), *comm);
    return comm_check_end(call, face) ?: comm_end(call, face, comm);
}

FACE_API(Comm_free, comm_free_handle)

static int comm_disconnect(const char *call, MPI_Comm *comm)
{
    face_comm *face = face_comm_find(face_get(), *comm);
    int error = comm_check_end(call, face);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_comm_settle(face->comm);
    if (code != COR_OK)
        return face_fail_engine(call, face, code, NULL);
    cor_rank *job = cor_dynamic_job_of(face->comm);
    error = comm_end(call, face, comm);
    if (error == MPI_SUCCESS && job)
        cor_dynamic_leave(job);
    return error;
}

FACE_API(Comm_disconnect, comm_disconnect)

/* ---- questions -------------------------------------------------------------------------------------------------- */

static int comm_rank(const char *call, face_comm *comm, int *rank)
{
    *rank = cor_comm_rank(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Comm_rank, comm_rank)

static int comm_size(const char *call, face_comm *comm, int *size)
{
    *size = cor_comm_size(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Comm_size, comm_size)

static int comm_test_inter(const char *call, face_comm *comm, int *flag)
{
    *flag = cor_comm_is_inter(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Comm_test_inter, comm_test_inter)

static int comm_remote_size(const char *call, face_comm *comm, int *size)
{
    *size = cor_comm_remote_size(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Comm_remote_size, comm_remote_size)

static int comm_compare(const char *call, face_comm *comm1, face_comm *comm2, int *result)
{
    static const int results[] = {
        [COR_IDENT] = MPI_IDENT,
        [COR_CONGRUENT] = MPI_CONGRUENT,
        [COR_SIMILAR] = MPI_SIMILAR,
        [COR_UNEQUAL] = MPI_UNEQUAL,
    };
    *result = results[cor_comm_compare(comm1->comm, comm2->comm)];
    return MPI_SUCCESS;
}

FACE_API(Comm_compare, comm_compare)

/* ---- names ------------------------------------------------------------------------------------------------------ */

static int comm_set_name(const char *call, face_comm *comm, const char *comm_name)
{
    if (!face_name_set(comm->owner, &comm->name, comm_name))
        return face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for the name");
    return MPI_SUCCESS;
}

FACE_API(Comm_set_name, comm_set_name)

static int comm_get_name(const char *call, face_comm *comm, char *comm_name, int *resultlen)
{
    const char *given = comm && comm->handle == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
                        : comm && comm->handle == MPI_COMM_SELF ? "MPI_COMM_SELF"
                        : comm                                  ? ""
                                                                : "MPI_COMM_NULL";
    *resultlen = face_name_get(face_get(), comm ? comm->name : NULL, given, comm_name);
    return MPI_SUCCESS;
}

FACE_API(Comm_get_name, comm_get_name)
