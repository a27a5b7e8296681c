/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of datatypes, each with its form for large counts. */
#include "mpi/face_type.h"

#include <stdlib.h>

/* The arguments that all constructors of one base have. NULL with the error reported in *error_p if one is invalid. */
static const cor_dtype *make_base(const char *call, MPI_Count count, MPI_Datatype oldtype, const MPI_Datatype *newtype,
                                  int *error_p)
{
    face_open(call);
    const cor_dtype *base = face_type_any(oldtype);
    *error_p = MPI_SUCCESS;
    if (count < 0)
        *error_p = face_fail(call, NULL, MPI_ERR_COUNT, "count is %lld, but must not be negative", (long long)count);
    else if (!base)
        *error_p = face_fail_type(call, NULL, "oldtype", oldtype);
    else if (!newtype)
        *error_p = face_fail_null(call, NULL, "newtype");
    return count >= 0 && newtype ? base : NULL;
}

static int make_is_length_wrong(const char *call, MPI_Count length, int *error_p)
{
    if (length < 0)
        *error_p =
            face_fail(call, NULL, MPI_ERR_ARG, "blocklength is %lld, but must not be negative", (long long)length);
    return length < 0;
}

/* ---- contiguous ------------------------------------------------------------------------------------------------- */

static int make_contiguous(const char *call, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype,
                           int is_large)
{
    int error;
    const cor_dtype *base = make_base(call, count, oldtype, newtype, &error), *type = NULL;
    if (!base)
        return error;
    type_notes notes;
    type_notes_open(&notes, call, MPI_COMBINER_CONTIGUOUS, is_large);
    type_note_count(&notes, count);
    type_note_type(&notes, base);
    int code = cor_dtype_contiguous((size_t)count, base, &type);
    return type_notes_finish(&notes, code, type, newtype);
}

COR_API(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return make_contiguous("MPI_Type_contiguous", count, oldtype, newtype, 0);
}

COR_API(int, Type_contiguous_c, (MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return make_contiguous("MPI_Type_contiguous_c", count, oldtype, newtype, 1);
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

/* The stride counts elements, or bytes. */
static int make_vector(const char *call, MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype *newtype, int is_bytes, int is_large)
{
    int error;
    const cor_dtype *base = make_base(call, count, oldtype, newtype, &error), *type = NULL;
    if (!base || make_is_length_wrong(call, length, &error))
        return error;
    type_notes notes;
    type_notes_open(&notes, call, is_bytes ? MPI_COMBINER_HVECTOR : MPI_COMBINER_VECTOR, is_large);
    type_note_count(&notes, count);
    type_note_count(&notes, length);
    if (is_bytes)
        type_note_address(&notes, stride);
    else
        type_note_count(&notes, stride);
    type_note_type(&notes, base);
    int code = is_bytes ? cor_dtype_hvector((size_t)count, (size_t)length, stride, base, &type)
                        : cor_dtype_vector((size_t)count, (size_t)length, stride, base, &type);
    return type_notes_finish(&notes, code, type, newtype);
}

COR_API(int, Type_vector, (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return make_vector("MPI_Type_vector", count, blocklength, stride, oldtype, newtype, 0, 0);
}

COR_API(int, Type_vector_c,
        (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return make_vector("MPI_Type_vector_c", count, blocklength, stride, oldtype, newtype, 0, 1);
}

COR_API(int, Type_create_hvector,
        (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return make_vector("MPI_Type_create_hvector", count, blocklength, stride, oldtype, newtype, 1, 0);
}

COR_API(int, Type_create_hvector_c,
        (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return make_vector("MPI_Type_create_hvector_c", count, blocklength, stride, oldtype, newtype, 1, 1);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Displacements count elements, or bytes. */
static int make_indexed(type_notes *notes, MPI_Count count, const type_array *lengths, const type_array *displacements,
                        MPI_Datatype oldtype, MPI_Datatype *newtype, int is_bytes)
{
    int error;
    const cor_dtype *base = make_base(notes->call, count, oldtype, newtype, &error), *type = NULL;
    if (!base)
        return error;
    size_t *sizes = type_array_copy(notes->call, lengths, (size_t)count, 0, &error);
    if (!sizes)
        return error;
    ptrdiff_t *places = type_array_copy(notes->call, displacements, (size_t)count, 1, &error);
    if (!places) {
        free(sizes);
        return error;
    }
    type_note_count(notes, count);
    for (MPI_Count i = 0; i < count; i++)
        type_note_count(notes, (int64_t)sizes[i]);
    for (MPI_Count i = 0; i < count; i++)
        if (is_bytes)
            type_note_address(notes, places[i]);
        else
            type_note_count(notes, places[i]);
    type_note_type(notes, base);
    int code = is_bytes ? cor_dtype_hindexed((size_t)count, sizes, places, base, &type)
                        : cor_dtype_indexed((size_t)count, sizes, places, base, &type);
    free(sizes);
    free(places);
    return type_notes_finish(notes, code, type, newtype);
}

static const char make_lengths[] = "array_of_blocklengths", make_displacements[] = "array_of_displacements";

COR_API(int, Type_indexed,
        (int count, const int array_of_blocklengths[], const int array_of_displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_indexed", MPI_COMBINER_INDEXED, 0);
    return make_indexed(&notes, count, &(type_array){make_lengths, array_of_blocklengths, 0},
                        &(type_array){make_displacements, array_of_displacements, 0}, oldtype, newtype, 0);
}

COR_API(int, Type_indexed_c,
        (MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[],
         MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_indexed_c", MPI_COMBINER_INDEXED, 1);
    return make_indexed(&notes, count, &(type_array){make_lengths, array_of_blocklengths, 1},
                        &(type_array){make_displacements, array_of_displacements, 1}, oldtype, newtype, 0);
}

COR_API(int, Type_create_hindexed,
        (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_create_hindexed", MPI_COMBINER_HINDEXED, 0);
    return make_indexed(&notes, count, &(type_array){make_lengths, array_of_blocklengths, 0},
                        &(type_array){make_displacements, array_of_displacements, 1}, oldtype, newtype, 1);
}

COR_API(int, Type_create_hindexed_c,
        (MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[],
         MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_create_hindexed_c", MPI_COMBINER_HINDEXED, 1);
    return make_indexed(&notes, count, &(type_array){make_lengths, array_of_blocklengths, 1},
                        &(type_array){make_displacements, array_of_displacements, 1}, oldtype, newtype, 1);
}

/* ---- blocks of one length --------------------------------------------------------------------------------------- */

static int make_blocks(type_notes *notes, MPI_Count count, MPI_Count length, const type_array *displacements,
                       MPI_Datatype oldtype, MPI_Datatype *newtype, int is_bytes)
{
    int error;
    const cor_dtype *base = make_base(notes->call, count, oldtype, newtype, &error), *type = NULL;
    if (!base || make_is_length_wrong(notes->call, length, &error))
        return error;
    ptrdiff_t *places = type_array_copy(notes->call, displacements, (size_t)count, 1, &error);
    if (!places)
        return error;
    type_note_count(notes, count);
    type_note_count(notes, length);
    for (MPI_Count i = 0; i < count; i++)
        if (is_bytes)
            type_note_address(notes, places[i]);
        else
            type_note_count(notes, places[i]);
    type_note_type(notes, base);
    int code = is_bytes ? cor_dtype_hindexed_block((size_t)count, (size_t)length, places, base, &type)
                        : cor_dtype_indexed_block((size_t)count, (size_t)length, places, base, &type);
    free(places);
    return type_notes_finish(notes, code, type, newtype);
}

COR_API(int, Type_create_indexed_block,
        (int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_create_indexed_block", MPI_COMBINER_INDEXED_BLOCK, 0);
    return make_blocks(&notes, count, blocklength, &(type_array){make_displacements, array_of_displacements, 0},
                       oldtype, newtype, 0);
}

COR_API(int, Type_create_indexed_block_c,
        (MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_create_indexed_block_c", MPI_COMBINER_INDEXED_BLOCK, 1);
    return make_blocks(&notes, count, blocklength, &(type_array){make_displacements, array_of_displacements, 1},
                       oldtype, newtype, 0);
}

COR_API(int, Type_create_hindexed_block,
        (int count, int blocklength, const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_create_hindexed_block", MPI_COMBINER_HINDEXED_BLOCK, 0);
    return make_blocks(&notes, count, blocklength, &(type_array){make_displacements, array_of_displacements, 1},
                       oldtype, newtype, 1);
}

COR_API(int, Type_create_hindexed_block_c,
        (MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    type_notes notes;
    type_notes_open(&notes, "MPI_Type_create_hindexed_block_c", MPI_COMBINER_HINDEXED_BLOCK, 1);
    return make_blocks(&notes, count, blocklength, &(type_array){make_displacements, array_of_displacements, 1},
                       oldtype, newtype, 1);
}

/* ---- resized ---------------------------------------------------------------------------------------------------- */

static int make_resized(const char *call, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype,
                        int is_large)
{
    int error;
    const cor_dtype *base = make_base(call, 0, oldtype, newtype, &error), *type = NULL;
    if (!base)
        return error;
    type_notes notes;
    type_notes_open(&notes, call, MPI_COMBINER_RESIZED, is_large);
    type_note_address(&notes, lb);
    type_note_address(&notes, extent);
    type_note_type(&notes, base);
    int code = cor_dtype_resized(base, lb, extent, &type);
    return type_notes_finish(&notes, code, type, newtype);
}

COR_API(int, Type_create_resized, (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype))
{
    return make_resized("MPI_Type_create_resized", oldtype, lb, extent, newtype, 0);
}

COR_API(int, Type_create_resized_c, (MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype))
{
    return make_resized("MPI_Type_create_resized_c", oldtype, lb, extent, newtype, 1);
}
