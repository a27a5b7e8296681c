/* SPDX-License-Identifier: Apache-2.0 */
/* Datatypes: commit, copies and the end; sizes and bounds; names and addresses. */
#include "mpi/face_type.h"

#include "mpi/face_attribute.h"
#include "mpi/face_name.h"

#include <limits.h>
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

COR_API(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    face_rank *rank = face_open("MPI_Type_dup");
    const cor_dtype *base = face_type_any(oldtype), *type = NULL;
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    if (!base)
        return face_fail_type("MPI_Type_dup", NULL, "oldtype", oldtype);
    if (!newtype)
        return face_fail_null("MPI_Type_dup", NULL, "newtype");
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_dup", MPI_COMBINER_DUP, 0);
    type_note_type(&notes, base);
    int code = cor_dtype_dup(base, &type);
    int error = type_notes_finish(&notes, code, type, &copy);
    if (error != MPI_SUCCESS)
        return error;
    face_type_made(copy)->is_committed = face_type_find(oldtype) != NULL;
    error = face_type_copy_attributes("MPI_Type_dup", oldtype, copy);
    if (error != MPI_SUCCESS) {
        face_type_unref(rank, copy);
        return error;
    }
    *newtype = copy;
    return MPI_SUCCESS;
}

COR_API(int, Type_commit, (MPI_Datatype * datatype))
{
    face_open("MPI_Type_commit");
    if (!datatype)
        return face_fail_null("MPI_Type_commit", NULL, "datatype");
    if (!face_type_any(*datatype))
        return face_fail_type("MPI_Type_commit", NULL, "*datatype", *datatype);
    face_type *made = face_type_made(*datatype);
    if (made)
        made->is_committed = 1;
    return MPI_SUCCESS;
}

COR_API(int, Type_free, (MPI_Datatype * datatype))
{
    face_rank *rank = face_open("MPI_Type_free");
    if (!datatype)
        return face_fail_null("MPI_Type_free", NULL, "datatype");
    const cor_dtype *predefined = face_type_predefined(*datatype);
    if (predefined)
        return face_fail("MPI_Type_free", NULL, MPI_ERR_TYPE, "*datatype is %s, which cannot be freed",
                         predefined->name);
    face_type *made = face_type_made(*datatype);
    if (!made)
        return face_fail_type("MPI_Type_free", NULL, "*datatype", *datatype);
    if (face_type_fortran(made->type) == *datatype)
        return face_fail("MPI_Type_free", NULL, MPI_ERR_TYPE,
                         "*datatype was made by MPI_Type_create_f90_*, which cannot be freed");
    int error = face_type_discard_attributes("MPI_Type_free", *datatype);
    if (error != MPI_SUCCESS)
        return error;
    face_check_forget(rank, made);
    /* An active reduction may have its own reference, for the program's function. */
    face_type_unref(rank, *datatype);
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* ---- sizes and bounds ------------------------------------------------------------------------------------------- */

/* The datatype of a question with one or two results, or NULL with the error reported in *error_p. */
static const cor_dtype *type_ask(const char *call, MPI_Datatype handle, const char *first, const void *first_p,
                                 const char *second, const void *second_p, int *error_p)
{
    face_open(call);
    const cor_dtype *type = face_type_any(handle);
    *error_p = MPI_SUCCESS;
    if (!type)
        *error_p = face_fail_type(call, NULL, "datatype", handle);
    else if (!first_p || !second_p)
        *error_p = face_fail_null(call, NULL, first_p ? second : first);
    return type && first_p && second_p ? type : NULL;
}

COR_API(int, Type_size, (MPI_Datatype datatype, int *size))
{
    int error;
    const cor_dtype *type = type_ask("MPI_Type_size", datatype, "size", size, "size", size, &error);
    if (type)
        *size = type->size <= INT_MAX ? (int)type->size : MPI_UNDEFINED;
    return error;
}

static int type_size(const char *call, MPI_Datatype datatype, MPI_Count *size)
{
    int error;
    const cor_dtype *type = type_ask(call, datatype, "size", size, "size", size, &error);
    if (type)
        *size = (MPI_Count)type->size;
    return error;
}

COR_API(int, Type_size_c, (MPI_Datatype datatype, MPI_Count *size))
{
    return type_size("MPI_Type_size_c", datatype, size);
}

COR_API(int, Type_size_x, (MPI_Datatype datatype, MPI_Count *size))
{
    return type_size("MPI_Type_size_x", datatype, size);
}

COR_API(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent))
{
    int error;
    const cor_dtype *type = type_ask("MPI_Type_get_extent", datatype, "lb", lb, "extent", extent, &error);
    if (type) {
        *lb = type->lb;
        *extent = type->extent;
    }
    return error;
}

static int type_extent(const char *call, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    int error;
    const cor_dtype *type = type_ask(call, datatype, "lb", lb, "extent", extent, &error);
    if (type) {
        *lb = type->lb;
        *extent = type->extent;
    }
    return error;
}

COR_API(int, Type_get_extent_c, (MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent))
{
    return type_extent("MPI_Type_get_extent_c", datatype, lb, extent);
}

COR_API(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent))
{
    return type_extent("MPI_Type_get_extent_x", datatype, lb, extent);
}

COR_API(int, Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent))
{
    int error;
    const cor_dtype *type =
        type_ask("MPI_Type_get_true_extent", datatype, "true_lb", true_lb, "true_extent", true_extent, &error);
    if (type) {
        *true_lb = type->true_lb;
        *true_extent = type->true_ub - type->true_lb;
    }
    return error;
}

static int type_true_extent(const char *call, MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
    int error;
    const cor_dtype *type = type_ask(call, datatype, "true_lb", true_lb, "true_extent", true_extent, &error);
    if (type) {
        *true_lb = type->true_lb;
        *true_extent = type->true_ub - type->true_lb;
    }
    return error;
}

COR_API(int, Type_get_true_extent_c, (MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent))
{
    return type_true_extent("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}

COR_API(int, Type_get_true_extent_x, (MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent))
{
    return type_true_extent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}

/* ---- names and addresses ---------------------------------------------------------------------------------------- */

/* Where the name of a datatype is kept. */
static char **type_name_slot(MPI_Datatype handle)
{
    face_type *made = face_type_made(handle);
    return made ? &made->name : &face_get()->type_names[(uintptr_t)handle - COR_DTYPE_FIRST];
}

COR_API(int, Type_set_name, (MPI_Datatype datatype, const char *type_name))
{
    int error;
    if (type_ask("MPI_Type_set_name", datatype, "type_name", type_name, "", datatype, &error) &&
        !face_name_set(face_get(), type_name_slot(datatype), type_name))
        return face_fail("MPI_Type_set_name", NULL, MPI_ERR_NO_MEM, "no memory for the name");
    return error;
}

COR_API(int, Type_get_name, (MPI_Datatype datatype, char *type_name, int *resultlen))
{
    int error;
    if (datatype == MPI_DATATYPE_NULL)
        return face_name_get_null("MPI_Type_get_name", "MPI_DATATYPE_NULL", "type_name", type_name, resultlen);
    const cor_dtype *predefined = face_type_predefined(datatype);
    if (type_ask("MPI_Type_get_name", datatype, "type_name", type_name, "resultlen", resultlen, &error))
        *resultlen =
            face_name_get(face_get(), *type_name_slot(datatype), predefined ? predefined->name : "", type_name);
    return error;
}

COR_API(int, Get_address, (const void *location, MPI_Aint *address))
{
    if (!address)
        return face_fail_null("MPI_Get_address", NULL, "address");
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

COR_API(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp))
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

COR_API(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2))
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
