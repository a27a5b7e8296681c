/* SPDX-License-Identifier: Apache-2.0 */
/* Datatypes: commit, copies and the end; sizes and bounds; names and addresses. */
#include "mpi/face_type.h"

#include "mpi/face_attribute.h"
#include "mpi/face_name.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

int face_type_handle(const char *call, const cor_dtype *type, int is_committed, MPI_Datatype *handle_p)
{
    face_type *made = face_object_create(face_get(), FACE_TYPE, call);
    if (!made) {
        cor_dtype_unref(type);
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for a datatype handle");
    }
    made->type = type;
    made->references = 1;
    made->is_committed = is_committed;
    *handle_p = (MPI_Datatype)made;
    return MPI_SUCCESS;
}

int face_type_handle_of(const char *call, const cor_dtype *type, MPI_Datatype *handle_p)
{
    *handle_p = type->is_predefined ? (MPI_Datatype)(uintptr_t)type->number : face_type_fortran(type);
    if (*handle_p != MPI_DATATYPE_NULL)
        return MPI_SUCCESS;
    cor_dtype_ref(type);
    return face_type_handle(call, type, 1, handle_p);
}

void face_type_ref(face_rank *rank, MPI_Datatype handle)
{
    face_type *made = face_type_made(handle);
    if (!made)
        return;
    pthread_mutex_lock(&rank->lock);
    made->references++;
    pthread_mutex_unlock(&rank->lock);
}

void face_type_unref(face_rank *rank, MPI_Datatype handle)
{
    face_type *made = face_type_made(handle);
    if (!made)
        return;
    pthread_mutex_lock(&rank->lock);
    int rest = --made->references;
    pthread_mutex_unlock(&rank->lock);
    if (rest > 0)
        return;
    cor_dtype_unref(made->type);
    free(made->name);
    face_object_destroy(rank, made);
}

static int type_dup(const char *call, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    const cor_dtype *base = face_type_any(oldtype), *type = NULL;
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    type_notes notes;
    type_notes_open(&notes, call, MPI_COMBINER_DUP, 0);
    type_note_type(&notes, base);
    int code = cor_dtype_dup(base, &type);
    int error = type_notes_finish(&notes, code, type, &copy);
    if (error != MPI_SUCCESS)
        return error;
    face_type_made(copy)->is_committed = face_type_find(oldtype) != NULL;
    error = face_type_copy_attributes(call, oldtype, copy);
    if (error != MPI_SUCCESS) {
        face_type_unref(face_get(), copy);
        return error;
    }
    *newtype = copy;
    return MPI_SUCCESS;
}

FACE_API(Type_dup, type_dup)

static int type_commit(const char *call, MPI_Datatype *datatype)
{
    face_type *made = face_type_made(*datatype);
    if (made)
        made->is_committed = 1;
    return MPI_SUCCESS;
}

FACE_API(Type_commit, type_commit)

static int type_free(const char *call, MPI_Datatype *datatype)
{
    face_rank *rank = face_get();
    const cor_dtype *predefined = face_type_predefined(*datatype);
    if (predefined)
        return face_fail(call, NULL, MPI_ERR_TYPE, "*datatype is %s, which cannot be freed", predefined->name);
    face_type *made = face_type_made(*datatype);
    if (face_type_fortran(made->type) == *datatype)
        return face_fail(call, NULL, MPI_ERR_TYPE,
                         "*datatype was made by MPI_Type_create_f90_*, which cannot be freed");
    int error = face_type_discard_attributes(call, *datatype);
    if (error != MPI_SUCCESS)
        return error;
    face_check_forget(rank, made);
    /* An active reduction may have its own reference, for the program's function. */
    face_type_unref(rank, *datatype);
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

FACE_API(Type_free, type_free)

/* ---- sizes and bounds ------------------------------------------------------------------------------------------- */

static int type_size(const char *call, const cor_dtype *datatype, MPI_Count *size)
{
    *size = (MPI_Count)datatype->size;
    return MPI_SUCCESS;
}

FACE_API(Type_size, type_size)
FACE_API(Type_size_x, type_size)

static int type_extent(const char *call, const cor_dtype *datatype, MPI_Count *lb, MPI_Count *extent)
{
    *lb = datatype->lb;
    *extent = datatype->extent;
    return MPI_SUCCESS;
}

FACE_API(Type_get_extent, type_extent)
FACE_API(Type_get_extent_x, type_extent)

static int type_true_extent(const char *call, const cor_dtype *datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
    *true_lb = datatype->true_lb;
    *true_extent = datatype->true_ub - datatype->true_lb;
    return MPI_SUCCESS;
}

FACE_API(Type_get_true_extent, type_true_extent)
FACE_API(Type_get_true_extent_x, type_true_extent)

/* ---- names and addresses ---------------------------------------------------------------------------------------- */

/* Where the name of a datatype is kept. */
static char **type_name_slot(MPI_Datatype handle)
{
    face_type *made = face_type_made(handle);
    return made ? &made->name : &face_get()->type_names[(uintptr_t)handle - COR_DTYPE_FIRST];
}

static int type_set_name(const char *call, MPI_Datatype datatype, const char *type_name)
{
    if (!face_name_set(face_get(), type_name_slot(datatype), type_name))
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for the name");
    return MPI_SUCCESS;
}

FACE_API(Type_set_name, type_set_name)

static int type_get_name(const char *call, MPI_Datatype datatype, char *type_name, int *resultlen)
{
    const cor_dtype *predefined = face_type_predefined(datatype);
    const char *given = predefined ? predefined->name : datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "";
    const char *own = datatype == MPI_DATATYPE_NULL ? NULL : *type_name_slot(datatype);
    *resultlen = face_name_get(face_get(), own, given, type_name);
    return MPI_SUCCESS;
}

FACE_API(Type_get_name, type_get_name)

static int type_address(const char *call, const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

FACE_API(Get_address, type_address)

COR_API(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp))
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

COR_API(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2))
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
