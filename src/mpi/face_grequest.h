/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generalized requests inside the calls that complete requests. While a rank has none, a call pays one load for them.
 *
 * A completed one is not freed by the engine, because the program's functions must run first, without any lock: the
 * call records which requests are generalized before it completes them, and ends each that was completed.
 */
#ifndef COR_MPI_FACE_GREQUEST_H
#define COR_MPI_FACE_GREQUEST_H

#include "mpi/face_error.h"

/* The requests of a call that are generalized; all the others are NULL. */
typedef struct face_generals {
    cor_request **requests; /* NULL: none is */
} face_generals;

/* relaxed: a request was made before it is waited for, by this thread or one it has synchronised with since. */
static inline int face_has_generals(face_rank *rank)
{
    return atomic_load_explicit(&rank->general_count, memory_order_relaxed) != 0;
}

/* MPI_SUCCESS, or the error, already reported. */
int face_generals_note(const char *call, face_rank *rank, int count, const MPI_Request requests[],
                       face_generals *generals_p);
void face_generals_free(face_generals *generals);

/* Is it generalized? */
int face_request_is_general(face_rank *rank, MPI_Request handle);

/* A completed one: query the status, call the program's free function, and free it. Returns the program's code, not
 * yet reported. */
int face_general_end(cor_request *request, MPI_Status *status);
/* Only query the status. */
int face_general_query(cor_request *request, MPI_Status *status);
/* MPI_Request_free and MPI_Cancel. */
int face_general_free(const char *call, cor_request *request);
int face_general_cancel(const char *call, cor_request *request);

#endif
