/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the datatype functions. */
#ifndef COR_MPI_FACE_TYPE_H
#define COR_MPI_FACE_TYPE_H

#include "mpi/face_error.h"

/* A handle that takes over the reference to `type`; or the error, reported, and the reference released. */
int face_type_handle(const char *call, const cor_dtype *type, int is_committed, MPI_Datatype *handle_p);
/* A handle that the program gets for a type that exists: what is predefined as it is, for others a new one. */
int face_type_handle_of(const char *call, const cor_dtype *type, MPI_Datatype *handle_p);
/* Reference and release a handle. Predefined ones are not counted. */
void face_type_ref(face_rank *rank, MPI_Datatype handle);
void face_type_unref(face_rank *rank, MPI_Datatype handle);

/* ---- what a constructor was called with (face_type_notes.c) ----------------------------------------------------- */

/*
 * The arguments of a constructor, recorded in their order for MPI_Type_get_contents, as they are checked. Those of
 * constructors with large counts are all large numbers, except for a few that stay ints. Nothing fails before
 * finish().
 */
typedef struct type_notes {
    const char *call;
    int is_large; /* is it a constructor with large counts? */
    int is_out_of_memory;
    cor_recipe recipe; /* its arrays are the notes' own */
    size_t integer_room, address_room, large_room, type_room;
} type_notes;

void type_notes_open(type_notes *notes, const char *call, int combiner, int is_large);
void type_note_int(type_notes *notes, int value);         /* an int also among large counts */
void type_note_count(type_notes *notes, int64_t value);   /* int or MPI_Count */
void type_note_address(type_notes *notes, int64_t value); /* MPI_Aint or MPI_Count */
void type_note_type(type_notes *notes, const cor_dtype *type);
/* The constructor returned `code` and, if that is COR_OK, `type`: give it the notes and a handle. Closes the notes.
 * MPI_SUCCESS or the error, reported. */
int type_notes_finish(type_notes *notes, int code, const cor_dtype *type, MPI_Datatype *handle_p);

/* ---- arrays of numbers (face_type_notes.c) ---------------------------------------------------------------------- */

/* `count` values as size_t or ptrdiff_t, which have 8 bytes too, to be freed. NULL with the error reported in
 * *error_p: a NULL array, no memory, or a value below 0 if that is wrong. */
void *type_array_copy(const char *call, const face_array *array, size_t count, int is_signed, int *error_p);

/* ---- handles of types that are found again (face_type_fortran.c) ------------------------------------------------ */

/* The handle of a type that MPI_Type_create_f90_* made, or MPI_DATATYPE_NULL. */
MPI_Datatype face_type_fortran(const cor_dtype *type);

#endif
