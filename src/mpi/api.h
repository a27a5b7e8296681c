/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a function of MPI is defined: the parameters are in functions.tsv, the body is written by hand, and
 * FACE_API(Comm_rank, comm_rank) makes of both PMPI_Comm_rank and its weak second name MPI_Comm_rank, so that a tool
 * can interpose its own MPI_Comm_rank. The library itself calls neither. A function with large counts is made of the
 * same body.
 *
 * The body is called with the name of the function that was called, its arguments, and the arguments that follow the
 * body in FACE_API. It returns an error class, already reported (face_error.h). Its arguments are as the program passed
 * them, except:
 *   - a number that is an int in one function and large in the other: an MPI_Count;
 *   - an array of such numbers: a face_array;
 *   - a result of that kind: a pointer to an MPI_Count, NULL where the program passed NULL. It becomes the program's
 *     result after MPI_SUCCESS, and MPI_UNDEFINED where an int cannot hold it.
 *
 * Flags in functions.tsv:
 *   checked  every argument is checked by its kind before the body is called. Instead of the handles of communicators,
 *            groups, datatypes, operators, infos, windows and files the body gets their objects (NULL for
 *            MPI_INFO_NULL and MPI_FILE_NULL). Errors go to the window or file, or to the first communicator, among
 *            the arguments; those of the functions of files without one go to MPI_FILE_NULL. Conditions on several
 *            arguments are left to the body
 *   early    the function may be called at any time, also before MPI_Init
 *   form     a face_form comes first, and info and request of collective operations are in it
 *
 * COR_API(double, Wtime, (void)) { ... } defines a function without all of this.
 */
#ifndef COR_MPI_API_H
#define COR_MPI_API_H

/* The library exports exactly what mpi.h declares. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include "mpi_entries.h"

#include <limits.h>
#include <stddef.h>

#define COR_API(type, name, parameters)                                                                               \
    __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));                                   \
    type PMPI_##name parameters

#define FACE_API(name, ...) FACE_API_##name(__VA_ARGS__)

typedef enum face_way { FACE_RUN, FACE_START, FACE_INIT } face_way; /* blocking, non-blocking, persistent */

/* Which of the functions over one body was called. */
typedef struct face_form {
    const char *name;
    face_way way;
    int is_large;
    MPI_Info info;        /* FACE_INIT */
    MPI_Request *request; /* FACE_START and FACE_INIT */
} face_form;

/* An array argument: of ints, or of MPI_Aint or MPI_Count, which both have 8 bytes. */
typedef struct face_array {
    const char *name;
    const void *values;
    int is_wide;
} face_array;

static inline int64_t face_array_at(const face_array *array, size_t i)
{
    return array->is_wide ? ((const int64_t *)array->values)[i] : ((const int *)array->values)[i];
}

/* A large result for a function with ints. */
static inline int face_to_int(MPI_Count value)
{
    return value <= INT_MAX ? (int)value : MPI_UNDEFINED;
}

#endif
