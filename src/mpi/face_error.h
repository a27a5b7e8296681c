/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of the C face. The error code is the error class; the last message of each class is stored and returned by
 * MPI_Error_string.
 *
 * All of these call the error handler of `comm`, a communicator or the first part of a window (face_win) or file
 * (face_file), and return the class, if the handler returns. NULL: errors without a communicator, which MPI 4.0 raises
 * on MPI_COMM_SELF, older versions on MPI_COMM_WORLD. If a program has set a handler on MPI_COMM_WORLD and none on
 * MPI_COMM_SELF, the older rule applies. A message is "<call>: <what is wrong>".
 */
#ifndef COR_MPI_FACE_ERROR_H
#define COR_MPI_FACE_ERROR_H

#include "mpi/face.h"

int face_fail(const char *call, face_comm *comm, int error_class, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* Store the message and return the class; no handler is called. */
int face_note(const char *call, int error_class, const char *format, ...) __attribute__((cold, format(printf, 3, 4)));

/* An engine code, with the engine's message, or the status of a receive that was too short. */
int face_fail_engine(const char *call, face_comm *comm, int code, const cor_status *status) __attribute__((cold));

/* Store the error of one request among several, without calling a handler; and of another one with an error of the
 * same class, whose status is at `place`: the message of the class has both, if they differ and fit. */
int face_note_status(const char *call, const cor_status *status) __attribute__((cold));
void face_note_another(const cor_status *status, int place) __attribute__((cold));

/* ---- wrong arguments (face_argument.c) --------------------------------------------------------------------------- */

/* A handle of no object. */
int face_fail_comm(const char *call, face_comm *comm, const char *argument, MPI_Comm handle) __attribute__((cold));
int face_fail_type(const char *call, face_comm *comm, const char *argument, MPI_Datatype handle) __attribute__((cold));
int face_fail_request(const char *call, const char *argument, MPI_Request handle) __attribute__((cold));
int face_fail_win(const char *call, const char *argument, MPI_Win handle) __attribute__((cold));
int face_fail_file(const char *call, const char *argument, MPI_File handle) __attribute__((cold));
int face_fail_group(const char *call, face_comm *comm, const char *argument, MPI_Group handle) __attribute__((cold));
int face_fail_op(const char *call, face_comm *comm, const char *argument, MPI_Op handle) __attribute__((cold));
/* This one at any time. */
int face_fail_session(const char *call, const char *argument, MPI_Session handle) __attribute__((cold));
/* With comm NULL it may also be called before MPI_Init or after MPI_Finalize, when there is no handler. */
int face_fail_info(const char *call, face_comm *comm, const char *argument, MPI_Info handle) __attribute__((cold));
/* One that is not for this subject, or none. */
int face_fail_errhandler(const char *call, face_comm *comm, const char *argument, MPI_Errhandler handle,
                         face_subject subject) __attribute__((cold));

/* An intercommunicator where the call needs an intracommunicator, and the reverse. */
int face_fail_inter(const char *call, face_comm *comm, const char *argument) __attribute__((cold));
int face_fail_intra(const char *call, face_comm *comm, const char *argument) __attribute__((cold));

int face_fail_null(const char *call, face_comm *comm, const char *argument) __attribute__((cold));
int face_fail_early_null(const char *call, const char *argument) __attribute__((cold)); /* at any time */

/* Numbers beyond the bounds of their kind. */
int face_fail_early_negative(const char *call, int error_class, const char *argument, MPI_Count value)
    __attribute__((cold, noinline));
int face_fail_negative(const char *call, face_comm *comm, int error_class, const char *argument, MPI_Count value)
    __attribute__((cold));
int face_fail_not_positive(const char *call, face_comm *comm, int error_class, const char *argument, MPI_Count value)
    __attribute__((cold));
int face_fail_rank(const char *call, face_comm *comm, int error_class, const char *argument, int rank)
    __attribute__((cold));
int face_fail_tag(const char *call, face_comm *comm, int error_class, const char *argument, int tag)
    __attribute__((cold));

/* ---- other errors ------------------------------------------------------------------------------------------------ */

/* For calls that are allowed at any time: without a handler only the class is returned. */
int face_fail_early(const char *call, int error_class, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* A function of the program, `what`, returned an error code, which is passed on. */
int face_fail_callback(const char *call, face_comm *comm, int code, const char *what) __attribute__((cold));
int face_note_callback(const char *call, int code, const char *what) __attribute__((cold)); /* no handler yet */

/* Call the handler of `comm` for a code: a class whose message is already stored, or one that the program added. */
int face_handle(face_comm *comm, int code) __attribute__((cold));
/* The communicator whose handler is called: `comm`, or for NULL as described above. */
face_comm *face_handler_comm(face_comm *comm) __attribute__((cold));
/* The same for any handler; the program's gets `handle_p`, the object it is attached to. */
int face_run_handler(MPI_Errhandler handler, void *handle_p, int code) __attribute__((cold));
static inline int face_handler_is_fatal(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
}

/* End the job with a message that names the rank. */
_Noreturn void face_abort(face_rank *rank, int status, const char *reason) __attribute__((cold));

/* The text of a class, or NULL if there is no such class. */
const char *face_class_text(int error_class);

/* The class a code belongs to, a class itself or one that the program added; -1 if there is no such code. */
int face_code_class(face_rank *rank, int code);
/* The program's text for a code that it added, truncated to MPI_MAX_ERROR_STRING; "" if there is none. */
void face_code_text(face_rank *rank, int code, char *out);

/* The class for an engine code. */
int face_class_of(int code);

#endif
