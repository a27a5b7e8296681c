/* SPDX-License-Identifier: Apache-2.0 */
/* Error handlers are referenced by communicators, windows and files. Predefined ones are not counted. */
#ifndef COR_MPI_FACE_ERRHANDLER_H
#define COR_MPI_FACE_ERRHANDLER_H

#include "mpi/face.h"

void face_errhandler_ref(face_rank *rank, MPI_Errhandler handle);
void face_errhandler_unref(face_rank *rank, MPI_Errhandler handle);

/* A handler of the program; allowed at any time. */
int face_errhandler_create(const char *call, face_subject subject, void (*function)(void), MPI_Errhandler *handle_p);
/* May it be attached to this subject? */
int face_errhandler_is_for(MPI_Errhandler handle, face_subject subject);
/* Describe, for an error message, a handle that may not be attached to the subject. */
const char *face_errhandler_describe(MPI_Errhandler handle, face_subject subject, char *room, size_t room_bytes);

#endif
