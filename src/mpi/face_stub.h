/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The behaviour of functions of the standard that are not implemented yet (stubs.awk makes a stub of each).
 *
 * The first call of each function by a rank writes one line to stderr that names the rank and the function, so that a
 * program that ignores return codes does not silently succeed. Where the error handler ends the job, its line replaces
 * this one.
 *
 * `number` counts the stubs. All of these may be called at any time, also before MPI_Init.
 */
#ifndef COR_MPI_FACE_STUB_H
#define COR_MPI_FACE_STUB_H

#include "mpi/face_error.h"

/* MPI_ERR_UNSUPPORTED_OPERATION, through the error handler of `comm` as in face_error.h. */
int face_unsupported(const char *call, int number, face_comm *comm) __attribute__((cold));

#endif
