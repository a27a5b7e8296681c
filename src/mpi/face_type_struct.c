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

static int struct_check(const char *call, MPI_Count count, const type_array *lengths, const type_array *displacements,
                        const MPI_Datatype *handles, MPI_Datatype *newtype, int is_large)
{
    int error;
    face_open(call);
    if (count < 0)
        return face_fail(call, NULL, MPI_ERR_COUNT, "count is %lld, but must not be negative", (long long)count);
    if (count > 0 && !handles)
        return face_fail_null(call, NULL, "array_of_types");
    if (!newtype)
        return face_fail_null(call, NULL, "newtype");
    size_t *sizes = type_array_copy(call, lengths, (size_t)count, 0, &error);
    if (!sizes)
        return error;
    ptrdiff_t *places = type_array_copy(call, displacements, (size_t)count, 1, &error);
    if (places) {
        type_notes notes;
        type_notes_open(&notes, call, MPI_COMBINER_STRUCT, is_large);
        error = struct_make(&notes, count, sizes, places, handles, newtype);
    }
    free(sizes);
    free(places);
    return error;
}

COR_API(int, Type_create_struct,
        (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
         const MPI_Datatype array_of_types[], MPI_Datatype *newtype))
{
    return struct_check(
        "MPI_Type_create_struct", count, &(type_array){"array_of_blocklengths", array_of_blocklengths, 0},
        &(type_array){"array_of_displacements", array_of_displacements, 1}, array_of_types, newtype, 0);
}

COR_API(int, Type_create_struct_c,
        (MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[],
         const MPI_Datatype array_of_types[], MPI_Datatype *newtype))
{
    return struct_check(
        "MPI_Type_create_struct_c", count, &(type_array){"array_of_blocklengths", array_of_blocklengths, 1},
        &(type_array){"array_of_displacements", array_of_displacements, 1}, array_of_types, newtype, 1);
}
