/* SPDX-License-Identifier: Apache-2.0 */
/* Names of communicators and datatypes: truncated to MPI's limit, guarded by the rank's lock. A null handle has its
 * own name, which cannot be changed. */
#ifndef COR_MPI_FACE_NAME_H
#define COR_MPI_FACE_NAME_H

#include "mpi/face.h"

/* Replace *name_p. 0 when memory is out. */
int face_name_set(face_rank *rank, char **name_p, const char *name);

/* Copy `name`, or `given` where none was set, to the user's MPI_MAX_OBJECT_NAME bytes. Returns its length. */
int face_name_get(face_rank *rank, const char *name, const char *given, char *out);

#endif
