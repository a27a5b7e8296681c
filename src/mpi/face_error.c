/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_error.h"

#include "mpi/error_classes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *face_class_text(int error_class)
{
    switch (error_class) {
#define ERROR_TEXT_CASE(name, text)                                                                                   \
    case name:                                                                                                        \
        return text;
        FACE_ERROR_CLASSES(ERROR_TEXT_CASE)
    default:
        return NULL;
    }
}

/* Those of files. */
static int error_class_of_file(int code)
{
    switch (code) {
    case COR_ERR_FILE_MODE:
        return MPI_ERR_AMODE;
    case COR_ERR_FILE_NAME:
        return MPI_ERR_BAD_FILE;
    case COR_ERR_FILE_MISSING:
        return MPI_ERR_NO_SUCH_FILE;
    case COR_ERR_FILE_EXISTS:
        return MPI_ERR_FILE_EXISTS;
    case COR_ERR_FILE_ACCESS:
        return MPI_ERR_ACCESS;
    case COR_ERR_FILE_READ_ONLY:
        return MPI_ERR_READ_ONLY;
    case COR_ERR_FILE_IO:
    case COR_ERR_FILE_BUSY:
        return MPI_ERR_IO;
    case COR_ERR_FILE_SPACE:
        return MPI_ERR_NO_SPACE;
    case COR_ERR_FILE_QUOTA:
        return MPI_ERR_QUOTA;
    case COR_ERR_FILE_IN_USE:
        return MPI_ERR_FILE_IN_USE;
    case COR_ERR_FILE_CONVERSION:
        return MPI_ERR_CONVERSION;
    case COR_ERR_FILE_FORMAT:
        return MPI_ERR_UNSUPPORTED_DATAREP;
    case COR_ERR_FILE_LOCKS:
    case COR_ERR_FILE_OPERATION:
        return MPI_ERR_UNSUPPORTED_OPERATION;
    default:
        return MPI_ERR_OTHER;
    }
}

int face_class_of(int code)
{
    switch (code) {
    case COR_OK:
        return MPI_SUCCESS;
    case COR_ERR_ARG:
    case COR_ERR_KNOB:
        return MPI_ERR_ARG;
    case COR_ERR_COUNT:
        return MPI_ERR_COUNT;
    case COR_ERR_TYPE:
        return MPI_ERR_TYPE;
    case COR_ERR_TAG:
        return MPI_ERR_TAG;
    case COR_ERR_RANK:
        return MPI_ERR_RANK;
    case COR_ERR_COMM:
        return MPI_ERR_COMM;
    case COR_ERR_REQUEST:
        return MPI_ERR_REQUEST;
    case COR_ERR_BUFFER:
        return MPI_ERR_BUFFER;
    case COR_ERR_UNSUPPORTED:
        return MPI_ERR_UNSUPPORTED_OPERATION;
    case COR_ERR_INFO:
        return MPI_ERR_INFO;
    case COR_ERR_RMA_SYNC:
        return MPI_ERR_RMA_SYNC;
    case COR_ERR_RMA_RANGE:
        return MPI_ERR_RMA_RANGE;
    case COR_ERR_RMA_ATTACH:
        return MPI_ERR_RMA_ATTACH;
    case COR_ERR_RMA_CONFLICT:
        return MPI_ERR_RMA_CONFLICT;
    case COR_ERR_RMA_ASSERT:
        return MPI_ERR_ASSERT;
    case COR_ERR_RMA_SHARED:
        return MPI_ERR_RMA_SHARED;
    case COR_ERR_TRUNCATE:
        return MPI_ERR_TRUNCATE;
    case COR_ERR_PEER:
        return MPI_ERR_PROC_ABORTED;
    case COR_ERR_MEMORY:
        return MPI_ERR_NO_MEM;
    case COR_ERR_PROTOCOL:
        return MPI_ERR_INTERN;
    case COR_ERR_PORT:
        return MPI_ERR_PORT;
    case COR_ERR_SPAWN:
        return MPI_ERR_SPAWN;
    case COR_ERR_NAME:
        return MPI_ERR_NAME;
    case COR_ERR_SERVICE:
        return MPI_ERR_SERVICE;
    case COR_ERR_NOT_SAME:
        return MPI_ERR_NOT_SAME;
    default:
        return error_class_of_file(code);
    }
}

/* ---- handlers --------------------------------------------------------------------------------------------------- */

void face_abort(face_rank *rank, int status, const char *reason)
{
    cor_rank_abort(rank->rank, status, reason);
    /* It returns only in a team, where the thread that aborted first ends the process; the others wait for that. */
    for (;;)
        pause();
}

/* Why the job ends: the message of a class, or the program's text for a code of its own. */
static const char *error_reason(face_rank *rank, int code, char room[FACE_SENTENCE_BYTES])
{
    if (code >= 0 && code < FACE_CLASSES)
        return rank->sentences[code];
    if (face_class_text(code))
        return face_class_text(code);
    char said[MPI_MAX_ERROR_STRING];
    face_code_text(rank, code, said);
    snprintf(room, FACE_SENTENCE_BYTES, "user-defined error code %d%s%.160s", code, said[0] ? ": " : "", said);
    return room;
}

int face_run_handler(MPI_Errhandler handler, void *handle_p, int code)
{
    face_rank *rank = face_get();
    char room[FACE_SENTENCE_BYTES];
    if (handler == MPI_ERRORS_RETURN)
        return code;
    if (face_handler_is_fatal(handler))
        face_abort(rank, code, error_reason(rank, code, room));
    const face_errhandler *made = (face_errhandler *)handler;
    int passed = code;
    switch (made->subject) {
    case FACE_FOR_COMM:
        ((MPI_Comm_errhandler_function *)made->function)(handle_p, &passed);
        break;
    case FACE_FOR_FILE:
        ((MPI_File_errhandler_function *)made->function)(handle_p, &passed);
        break;
    case FACE_FOR_WIN:
        ((MPI_Win_errhandler_function *)made->function)(handle_p, &passed);
        break;
    case FACE_FOR_SESSION:
        ((MPI_Session_errhandler_function *)made->function)(handle_p, &passed);
        break;
    }
    return code;
}

face_comm *face_handler_comm(face_comm *comm)
{
    if (comm)
        return comm;
    /* Not by the pointers: MPI_Finalize may have come since the call began. */
    face_rank *rank = face_get();
    return rank->world_comm.has_own_handler && !rank->self_comm.has_own_handler ? &rank->world_comm : &rank->self_comm;
}

int face_handle(face_comm *comm, int code)
{
    face_comm *hearer = face_handler_comm(comm);
    MPI_Comm handle = hearer->handle;
    return face_run_handler(hearer->errhandler, &handle, code);
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

/* A message of limited length; a truncated one ends with "...". */
static void error_cut(char *sentence, int bytes)
{
    static const char more[] = "...";
    if (bytes >= FACE_SENTENCE_BYTES)
        memcpy(sentence + FACE_SENTENCE_BYTES - sizeof more, more, sizeof more);
}

static void error_keep(const char *call, int error_class, const char *format, va_list arguments)
{
    face_rank *rank = face_get();
    pthread_mutex_lock(&rank->lock);
    char *sentence = rank->sentences[error_class];
    int length = snprintf(sentence, FACE_SENTENCE_BYTES, "%s: ", call);
    length += vsnprintf(sentence + length, FACE_SENTENCE_BYTES - (size_t)length, format, arguments);
    error_cut(sentence, length);
    pthread_mutex_unlock(&rank->lock);
}

int face_note(const char *call, int error_class, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_keep(call, error_class, format, arguments);
    va_end(arguments);
    return error_class;
}

int face_fail(const char *call, face_comm *comm, int error_class, const char *format, ...)
{
    face_rank *rank = face_get();
    if (!face_is_open(rank))
        face_not_open(rank, call);
    va_list arguments;
    va_start(arguments, format);
    error_keep(call, error_class, format, arguments);
    va_end(arguments);
    return face_handle(comm, error_class);
}

int face_fail_early(const char *call, int error_class, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_keep(call, error_class, format, arguments);
    va_end(arguments);
    return face_is_open(face_get()) ? face_handle(NULL, error_class) : error_class;
}

int face_note_callback(const char *call, int code, const char *what)
{
    if (code > 0 && code < FACE_CLASSES)
        face_note(call, code, "%s returned this error", what);
    return code;
}

int face_fail_callback(const char *call, face_comm *comm, int code, const char *what)
{
    return face_handle(comm, face_note_callback(call, code, what));
}

/* The message for an engine code, without the call. */
static const char *error_engine(int code, const cor_status *status, const cor_fault *fault,
                                char room[FACE_SENTENCE_BYTES])
{
    /* A collective operation has no message envelope: its own error message is used. */
    if (code != COR_ERR_TRUNCATE || !status || status->source < 0)
        return fault && fault->code == code && fault->text[0] ? fault->text : cor_error_text(code);
    snprintf(room, FACE_SENTENCE_BYTES,
             "message of %zu bytes from rank %d with tag %d is longer than the receive buffer of %zu bytes",
             status->message_bytes, status->source, status->tag, status->bytes);
    return room;
}

int face_fail_engine(const char *call, face_comm *comm, int code, const cor_status *status)
{
    char room[FACE_SENTENCE_BYTES];
    cor_fault fault;
    if (comm && comm->comm) /* MPI_FILE_NULL has none */
        cor_comm_name_loss(comm->comm);
    cor_rank_copy_fault(face_get()->rank, &fault);
    const char *sentence = error_engine(code, status, &fault, room);
    int error_class = face_note(call, face_class_of(code), "%s", sentence);
    if (code == COR_ERR_PEER)
        cor_rank_defer(face_get()->rank);
    return face_handle(comm, error_class);
}

/* The message's own failure, or the rank's last one. */
static void error_fault(const cor_status *status, cor_fault *copy)
{
    if (status->fault)
        *copy = *status->fault;
    else
        cor_rank_copy_fault(face_get()->rank, copy);
}

int face_note_status(const char *call, const cor_status *status)
{
    char room[FACE_SENTENCE_BYTES];
    cor_fault fault;
    error_fault(status, &fault);
    int error_class =
        face_note(call, face_class_of(status->error), "%s", error_engine(status->error, status, &fault, room));
    if (status->error == COR_ERR_PEER)
        cor_rank_defer(face_get()->rank);
    return error_class;
}

void face_note_another(const cor_status *status, int place)
{
    face_rank *rank = face_get();
    char room[FACE_SENTENCE_BYTES];
    cor_fault fault;
    error_fault(status, &fault);
    const char *sentence = error_engine(status->error, status, &fault, room);
    pthread_mutex_lock(&rank->lock);
    char *told = rank->sentences[face_class_of(status->error)];
    int length = (int)strlen(told);
    if (!strstr(told, sentence))
        length += snprintf(told + length, (size_t)(FACE_SENTENCE_BYTES - length), "; array_of_statuses[%d]: %s", place,
                           sentence);
    error_cut(told, length);
    pthread_mutex_unlock(&rank->lock);
}
