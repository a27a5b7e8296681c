/* Communicators. */
#include "mpi/face_errhandler.h"

#include "coll/coll.h"
#include "mpi/face_error.h"
#include "mpi/face_name.h"

#include <stdlib.h>

/* ---- life
 * ----------------------------------------------------------------------------------------------------------- */

/* The engine has let go of the communicator. */
static void comm_free(void *data)
{
    face_comm *comm = data;
    free(comm->name);
    face_errhandler_unref(comm->owner, comm->errhandler);
    face_object_destroy(comm->owner, comm);
}

/* A handle for a new communicator with the error handler of its parent; frees `made` when memory is out. */
static int comm_handle(const char *call, face_comm *parent, cor_comm *made, MPI_Comm *handle_p)
{
    face_comm *comm = face_object_create(parent->owner, FACE_COMM);
    if (!comm) {
        cor_comm_unref(made);
        return face_fail(call, parent, MPI_ERR_NO_MEM, "no memory for a communicator handle");
    }
    comm->size = cor_comm_size(made);
    comm->comm = made;
    comm->owner = parent->owner;
    comm->handle = (MPI_Comm)comm;
    comm->errhandler = parent->errhandler;
    face_errhandler_ref(parent->owner, comm->errhandler);
    cor_comm_set_face(made, comm, comm_free);
    *handle_p = comm->handle;
    return MPI_SUCCESS;
}

COR_API(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm))
{
    face_comm *face = face_comm_find(face_open("MPI_Comm_dup"), comm);
    if (!face)
        return face_fail_comm("MPI_Comm_dup", "comm", comm);
    if (!newcomm)
        return face_fail_null("MPI_Comm_dup", face, "newcomm");
    cor_comm *made;
    int code = cor_comm_dup(face->comm, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_dup", face, code, NULL);
    return comm_handle("MPI_Comm_dup", face, made, newcomm);
}

COR_API(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm))
{
    face_comm *face = face_comm_find(face_open("MPI_Comm_split"), comm);
    if (!face)
        return face_fail_comm("MPI_Comm_split", "comm", comm);
    if (!newcomm)
        return face_fail_null("MPI_Comm_split", face, "newcomm");
    if (color < 0 && color != MPI_UNDEFINED)
        return face_fail("MPI_Comm_split", face, MPI_ERR_ARG, "color is %d, but must be MPI_UNDEFINED or not negative",
                         color);
    cor_comm *made;
    int code = cor_comm_split(face->comm, color, key, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_split", face, code, NULL);
    if (made)
        return comm_handle("MPI_Comm_split", face, made, newcomm);
    *newcomm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

COR_API(int, Comm_free, (MPI_Comm * comm))
{
    face_rank *rank = face_open("MPI_Comm_free");
    if (!comm)
        return face_fail_null("MPI_Comm_free", NULL, "comm");
    face_comm *face = face_comm_find(rank, *comm);
    if (!face)
        return face_fail_comm("MPI_Comm_free", "*comm", *comm);
    if (face == rank->world || face == rank->self)
        return face_fail("MPI_Comm_free", face, MPI_ERR_COMM, "*comm is %s, which cannot be freed",
                         face == rank->world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    /* The handle is void at once; pending requests keep what is behind it. */
    face->kind = FACE_FREE;
    *comm = MPI_COMM_NULL;
    cor_comm_unref(face->comm);
    return MPI_SUCCESS;
}

/* ---- questions
 * ------------------------------------------------------------------------------------------------------ */

/* The communicator of a call that gives one int, or NULL with *error_p told. */
static face_comm *comm_ask(const char *call, MPI_Comm handle, const char *argument, const void *result, int *error_p)
{
    face_comm *comm = face_comm_find(face_open(call), handle);
    if (!comm)
        *error_p = face_fail_comm(call, "comm", handle);
    else if (!result)
        *error_p = face_fail_null(call, comm, argument);
    return comm && result ? comm : NULL;
}

COR_API(int, Comm_rank, (MPI_Comm comm, int *rank))
{
    int error = MPI_SUCCESS;
    face_comm *face = comm_ask("MPI_Comm_rank", comm, "rank", rank, &error);
    if (face)
        *rank = cor_comm_rank(face->comm);
    return error;
}

COR_API(int, Comm_size, (MPI_Comm comm, int *size))
{
    int error = MPI_SUCCESS;
    face_comm *face = comm_ask("MPI_Comm_size", comm, "size", size, &error);
    if (face)
        *size = face->size;
    return error;
}

COR_API(int, Comm_test_inter, (MPI_Comm comm, int *flag))
{
    int error = MPI_SUCCESS;
    if (comm_ask("MPI_Comm_test_inter", comm, "flag", flag, &error))
        *flag = 0;
    return error;
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

/* ---- names
 * ---------------------------------------------------------------------------------------------------------- */

COR_API(int, Comm_set_name, (MPI_Comm comm, const char *comm_name))
{
    int error = MPI_SUCCESS;
    face_comm *face = comm_ask("MPI_Comm_set_name", comm, "comm_name", comm_name, &error);
    if (face && !face_name_set(face->owner, &face->name, comm_name))
        return face_fail("MPI_Comm_set_name", face, MPI_ERR_NO_MEM, "no memory for the name");
    return error;
}

COR_API(int, Comm_get_name, (MPI_Comm comm, char *comm_name, int *resultlen))
{
    int error = MPI_SUCCESS;
    face_comm *face = comm_ask("MPI_Comm_get_name", comm, "comm_name", comm_name, &error);
    if (!face)
        return error;
    if (!resultlen)
        return face_fail_null("MPI_Comm_get_name", face, "resultlen");
    const char *given = comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : comm == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
    *resultlen = face_name_get(face->owner, face->name, given, comm_name);
    return MPI_SUCCESS;
}

/* ---- attributes
 * ------------------------------------------------------------------------------------------------------ */

/* The predefined attribute, or NULL if it is not set; *known_p says whether the key exists at all. */
static int *comm_attribute(face_attributes *attributes, int keyval, int *known_p)
{
    *known_p = 1;
    switch (keyval) {
    case MPI_TAG_UB:
        return &attributes->tag_ub;
    case MPI_IO:
        return &attributes->io;
    case MPI_HOST:
        return &attributes->host;
    case MPI_WTIME_IS_GLOBAL:
        return &attributes->wtime_is_global;
    case MPI_UNIVERSE_SIZE:
        return &attributes->universe_size;
    case MPI_LASTUSEDCODE:
        return &attributes->last_used_code;
    case MPI_APPNUM: /* set only where the launcher tells it */
        return NULL;
    default:
        *known_p = 0;
        return NULL;
    }
}

static int comm_get_attribute(const char *call, MPI_Comm handle, int keyval, void *value_p, int *flag)
{
    int error = MPI_SUCCESS, is_known;
    face_comm *comm = comm_ask(call, handle, "attribute_val", value_p, &error);
    if (!comm)
        return error;
    if (!flag)
        return face_fail_null(call, comm, "flag");
    int *value = comm_attribute(&comm->owner->attributes, keyval, &is_known);
    if (!is_known)
        return face_fail(call, comm, MPI_ERR_KEYVAL, "the attribute key is %d, which is none of the predefined ones",
                         keyval);
    *flag = value != NULL;
    if (value)
        *(int **)value_p = value;
    return MPI_SUCCESS;
}

COR_API(int, Comm_get_attr, (MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag))
{
    return comm_get_attribute("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

COR_API(int, Attr_get, (MPI_Comm comm, int keyval, void *attribute_val, int *flag))
{
    return comm_get_attribute("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

/* ---- the barrier
 * ----------------------------------------------------------------------------------------------------- */

COR_API(int, Barrier, (MPI_Comm comm))
{
    face_comm *face = face_comm_find(face_get(), comm);
    if (COR_UNLIKELY(!face))
        return face_fail_comm("MPI_Barrier", "comm", comm);
    int code = cor_barrier(face->comm);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine("MPI_Barrier", face, code, NULL);
    return MPI_SUCCESS;
}
