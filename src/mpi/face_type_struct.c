/* SPDX-License-Identifier: Apache-2.0 */
/* The constructor that has a type for every block. */
#include "mpi/face_type.h"

#include <stdio.h>
#include <stdlib.h>

/* The types of an array argument, to be freed; NULL with the error reported in *error_p. */
static const cor_dtype **struct_types(const char *call, const MPI_Datatype *handles, size_t count, int *error_p)
{
    char name[48];
    const cor_dtype **types = malloc((count + 1) * sizeof(*types));
    *error_p = MPI_SUCCESS;
    if (!types) {
        *error_p = face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for %zu datatypes", count);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        types[i] = face_type_any(handles[i]);
        if (!types[i]) {
            snprintf(name, sizeof name, "array_of_types[%zu]", i);
            *error_p = face_fail_type(call, NULL, name, handles[i]);
            free(types);
            return NULL;
        }
    }
    return types;
}

static int struct_make(type_notes *notes, MPI_Count count, const size_t *lengths, const ptrdiff_t *displacements,
                       const MPI_Datatype *handles, MPI_Datatype *newtype)
{
    int error;
    const cor_dtype **types = struct_types(notes->call, handles, (size_t)count, &error), *type = NULL;
    if (!types)
        return error;
    type_note_count(notes, count);
    for (MPI_Count i = 0; i < count; i++)
        type_note_count(notes, (int64_t)lengths[i]);
    for (MPI_Count i = 0; i < count; i++)
        type_note_address(notes, displacements[i]);
    for (MPI_Count i = 0; i < count; i++)
        type_note_type(notes, types[i]);
    int code = cor_dtype_struct((size_t)count, lengths, displacements, types, &type);
    free(types);
    return type_notes_finish(notes, code, type, newtype);
}

static int struct_create(const face_form *form, MPI_Count count, const face_array *lengths,
                         const face_array *displacements, const MPI_Datatype types[], MPI_Datatype *newtype)
{
    int error;
    size_t *sizes = type_array_copy(form->name, lengths, (size_t)count, 0, &error);
    if (!sizes)
        return error;
    ptrdiff_t *places = type_array_copy(form->name, displacements, (size_t)count, 1, &error);
    if (places) {
        type_notes notes;
        type_notes_open(&notes, form->name, MPI_COMBINER_STRUCT, form->is_large);
        error = struct_make(&notes, count, sizes, places, types, newtype);
    }
    free(sizes);
    free(places);
    return error;
}

FACE_API(Type_create_struct, struct_create)
