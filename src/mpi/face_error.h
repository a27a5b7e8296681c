/*
 * Errors of the C face. The error code is the error class; the sentence that goes with it is kept per class and
 * handed out by MPI_Error_string.
 *
 * All of these tell the error through the error handler of `comm` (NULL: of MPI_COMM_SELF, where MPI puts what belongs
 * to no communicator) and return the class, if the handler lets the call return at all. A sentence is
 * "<call>: <what is wrong>".
 */
#ifndef COR_MPI_FACE_ERROR_H
#define COR_MPI_FACE_ERROR_H

#include "mpi/face.h"

int face_fail(const char *call, face_comm *comm, int error_class, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* The engine's code, with the sentence the engine left, or the status of a receive that was too short. */
int face_fail_engine(const char *call, face_comm *comm, int code, const cor_status *status) __attribute__((cold));

/* Remember the error of one request among several without calling a handler. */
int face_note_engine(const char *call, int code, const cor_status *status) __attribute__((cold));

/* Arguments that several calls share. */
int face_fail_comm(const char *call, const char *argument, MPI_Comm handle) __attribute__((cold));
int face_fail_type(const char *call, face_comm *comm, const char *argument, MPI_Datatype handle) __attribute__((cold));
int face_fail_request(const char *call, const char *argument, MPI_Request handle) __attribute__((cold));
int face_fail_null(const char *call, face_comm *comm, const char *argument) __attribute__((cold));

/* A function of the standard that is not there yet; and one of the tool interface, which has no handlers. */
int face_unsupported(const char *call, face_comm *comm) __attribute__((cold));
int face_unsupported_quietly(const char *call) __attribute__((cold));

/* Run the handler of `comm` for a class whose sentence is already kept. */
int face_handle(face_comm *comm, int error_class) __attribute__((cold));

/* End the job with one line that names the rank. */
_Noreturn void face_abort(face_rank *rank, int status, const char *reason) __attribute__((cold));

/* The text of a class, or NULL if there is no such class. */
const char *face_class_text(int error_class);

/* The class for an engine code. */
int face_class_of(int code);

#endif
