/* Error handlers as communicators hold them: a reference each. Predefined ones are left alone. */
#ifndef COR_MPI_FACE_ERRHANDLER_H
#define COR_MPI_FACE_ERRHANDLER_H

#include "mpi/face.h"

void face_errhandler_ref(face_rank *rank, MPI_Errhandler handle);
void face_errhandler_unref(face_rank *rank, MPI_Errhandler handle);

#endif
