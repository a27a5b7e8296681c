/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of datatypes, each with its form for large counts. */
#include "mpi/face_type.h"

#include <stdlib.h>

/* ---- contiguous ------------------------------------------------------------------------------------------------- */

static int make_contiguous(const face_form *form, MPI_Count count, const cor_dtype *oldtype, MPI_Datatype *newtype)
{
    const cor_dtype *type = NULL;
    type_notes notes;
    type_notes_open(&notes, form->name, MPI_COMBINER_CONTIGUOUS, form->is_large);
    type_note_count(&notes, count);
    type_note_type(&notes, oldtype);
    int code = cor_dtype_contiguous((size_t)count, oldtype, &type);
    return type_notes_finish(&notes, code, type, newtype);
}

FACE_API(Type_contiguous, make_contiguous)

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

/* The stride counts elements, or bytes. */
static int make_vector(const face_form *form, MPI_Count count, MPI_Count length, MPI_Count stride,
                       const cor_dtype *oldtype, MPI_Datatype *newtype, int is_bytes)
{
    const cor_dtype *type = NULL;
    type_notes notes;
    type_notes_open(&notes, form->name, is_bytes ? MPI_COMBINER_HVECTOR : MPI_COMBINER_VECTOR, form->is_large);
    type_note_count(&notes, count);
    type_note_count(&notes, length);
    if (is_bytes)
        type_note_address(&notes, stride);
    else
        type_note_count(&notes, stride);
    type_note_type(&notes, oldtype);
    int code = is_bytes ? cor_dtype_hvector((size_t)count, (size_t)length, stride, oldtype, &type)
                        : cor_dtype_vector((size_t)count, (size_t)length, stride, oldtype, &type);
    return type_notes_finish(&notes, code, type, newtype);
}

FACE_API(Type_vector, make_vector, 0)
FACE_API(Type_create_hvector, make_vector, 1)

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void make_note_places(type_notes *notes, size_t count, const ptrdiff_t *places, int is_bytes)
{
    for (size_t i = 0; i < count; i++)
        if (is_bytes)
            type_note_address(notes, places[i]);
        else
            type_note_count(notes, places[i]);
}

/* Displacements count elements, or bytes. */
static int make_indexed(const face_form *form, MPI_Count count, const face_array *lengths,
                        const face_array *displacements, const cor_dtype *oldtype, MPI_Datatype *newtype, int is_bytes)
{
    int error;
    const cor_dtype *type = NULL;
    size_t *sizes = type_array_copy(form->name, lengths, (size_t)count, 0, &error);
    if (!sizes)
        return error;
    ptrdiff_t *places = type_array_copy(form->name, displacements, (size_t)count, 1, &error);
    if (!places) {
        free(sizes);
        return error;
    }
    type_notes notes;
    type_notes_open(&notes, form->name, is_bytes ? MPI_COMBINER_HINDEXED : MPI_COMBINER_INDEXED, form->is_large);
    type_note_count(&notes, count);
    for (MPI_Count i = 0; i < count; i++)
        type_note_count(&notes, (int64_t)sizes[i]);
    make_note_places(&notes, (size_t)count, places, is_bytes);
    type_note_type(&notes, oldtype);
    int code = is_bytes ? cor_dtype_hindexed((size_t)count, sizes, places, oldtype, &type)
                        : cor_dtype_indexed((size_t)count, sizes, places, oldtype, &type);
    free(sizes);
    free(places);
    return type_notes_finish(&notes, code, type, newtype);
}

FACE_API(Type_indexed, make_indexed, 0)
FACE_API(Type_create_hindexed, make_indexed, 1)

/* ---- blocks of one length --------------------------------------------------------------------------------------- */

static int make_blocks(const face_form *form, MPI_Count count, MPI_Count length, const face_array *displacements,
                       const cor_dtype *oldtype, MPI_Datatype *newtype, int is_bytes)
{
    int error;
    const cor_dtype *type = NULL;
    ptrdiff_t *places = type_array_copy(form->name, displacements, (size_t)count, 1, &error);
    if (!places)
        return error;
    type_notes notes;
    type_notes_open(&notes, form->name, is_bytes ? MPI_COMBINER_HINDEXED_BLOCK : MPI_COMBINER_INDEXED_BLOCK,
                    form->is_large);
    type_note_count(&notes, count);
    type_note_count(&notes, length);
    make_note_places(&notes, (size_t)count, places, is_bytes);
    type_note_type(&notes, oldtype);
    int code = is_bytes ? cor_dtype_hindexed_block((size_t)count, (size_t)length, places, oldtype, &type)
                        : cor_dtype_indexed_block((size_t)count, (size_t)length, places, oldtype, &type);
    free(places);
    return type_notes_finish(&notes, code, type, newtype);
}

FACE_API(Type_create_indexed_block, make_blocks, 0)
FACE_API(Type_create_hindexed_block, make_blocks, 1)

/* ---- resized ---------------------------------------------------------------------------------------------------- */

static int make_resized(const face_form *form, const cor_dtype *oldtype, MPI_Count lb, MPI_Count extent,
                        MPI_Datatype *newtype)
{
    const cor_dtype *type = NULL;
    type_notes notes;
    type_notes_open(&notes, form->name, MPI_COMBINER_RESIZED, form->is_large);
    type_note_address(&notes, lb);
    type_note_address(&notes, extent);
    type_note_type(&notes, oldtype);
    int code = cor_dtype_resized(oldtype, lb, extent, &type);
    return type_notes_finish(&notes, code, type, newtype);
}

FACE_API(Type_create_resized, make_resized)
