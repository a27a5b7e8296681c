/* SPDX-License-Identifier: Apache-2.0 */
/* Error handlers, error classes and their texts. */
#include "mpi/face_errhandler.h"

#include "mpi/face_error.h"
#include "mpi/face_file.h"
#include "mpi/face_session.h"
#include "mpi/face_win.h"

#include <stdio.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

static int errhandler_is_predefined(MPI_Errhandler handle)
{
    return handle == MPI_ERRORS_ARE_FATAL || handle == MPI_ERRORS_RETURN || handle == MPI_ERRORS_ABORT;
}

static face_errhandler *errhandler_made(MPI_Errhandler handle)
{
    face_errhandler *made = (face_errhandler *)handle;
    return face_is_object(face_get(), handle) && made->kind == FACE_ERRHANDLER ? made : NULL;
}

void face_errhandler_ref(face_rank *rank, MPI_Errhandler handle)
{
    if (errhandler_is_predefined(handle))
        return;
    pthread_mutex_lock(&rank->lock);
    ((face_errhandler *)handle)->references++;
    pthread_mutex_unlock(&rank->lock);
}

void face_errhandler_unref(face_rank *rank, MPI_Errhandler handle)
{
    if (errhandler_is_predefined(handle))
        return;
    pthread_mutex_lock(&rank->lock);
    int rest = --((face_errhandler *)handle)->references;
    pthread_mutex_unlock(&rank->lock);
    if (rest == 0)
        face_object_destroy(rank, handle);
}

int face_errhandler_is_for(MPI_Errhandler handle, face_subject subject)
{
    face_errhandler *made = errhandler_made(handle);
    return errhandler_is_predefined(handle) || (made && made->subject == subject);
}

const char *face_errhandler_describe(MPI_Errhandler handle, face_subject subject, char *room, size_t room_bytes)
{
    static const char *const subjects[] = {"communicators", "files", "windows", "sessions"};
    face_errhandler *made = errhandler_made(handle);
    if (handle == MPI_ERRHANDLER_NULL)
        return "MPI_ERRHANDLER_NULL";
    if (made)
        snprintf(room, room_bytes, "an error handler for %s, not for %s", subjects[made->subject], subjects[subject]);
    else
        snprintf(room, room_bytes, "%p, which is not an error handler or was freed", (void *)handle);
    return room;
}

int face_errhandler_create(const char *call, face_subject subject, void (*function)(void), MPI_Errhandler *handle_p)
{
    face_errhandler *made = face_object_create(face_get(), FACE_ERRHANDLER, call);
    if (!made)
        return face_fail_early(call, MPI_ERR_NO_MEM, "no memory for an error handler");
    made->references = 1;
    made->subject = subject;
    made->function = function;
    *handle_p = (MPI_Errhandler)made;
    return MPI_SUCCESS;
}

static int errhandler_create_comm(const char *call, MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
{
    return face_errhandler_create(call, FACE_FOR_COMM, (void (*)(void))function, errhandler);
}

FACE_API(Comm_create_errhandler, errhandler_create_comm)

static int errhandler_create_win(const char *call, MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler)
{
    return face_errhandler_create(call, FACE_FOR_WIN, (void (*)(void))function, errhandler);
}

FACE_API(Win_create_errhandler, errhandler_create_win)

static int errhandler_create_file(const char *call, MPI_File_errhandler_function *function, MPI_Errhandler *errhandler)
{
    return face_errhandler_create(call, FACE_FOR_FILE, (void (*)(void))function, errhandler);
}

FACE_API(File_create_errhandler, errhandler_create_file)

static int errhandler_create_session(const char *call, MPI_Session_errhandler_function *function,
                                     MPI_Errhandler *errhandler)
{
    return face_errhandler_create(call, FACE_FOR_SESSION, (void (*)(void))function, errhandler);
}

FACE_API(Session_create_errhandler, errhandler_create_session)

static int errhandler_free(const char *call, MPI_Errhandler *errhandler)
{
    char room[96];
    if (!errhandler_is_predefined(*errhandler) && !errhandler_made(*errhandler))
        return face_fail_early(call, MPI_ERR_ERRHANDLER, "*errhandler is %s",
                               face_errhandler_describe(*errhandler, FACE_FOR_COMM, room, sizeof room));
    face_errhandler_unref(face_get(), *errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

FACE_API(Errhandler_free, errhandler_free)

/* ---- communicators, windows, files and sessions ----------------------------------------------------------------- */

static int errhandler_set(const char *call, face_comm *comm, MPI_Errhandler errhandler)
{
    MPI_Errhandler old = comm->errhandler;
    face_errhandler_ref(comm->owner, errhandler);
    comm->errhandler = errhandler;
    comm->has_own_handler = 1;
    face_errhandler_unref(comm->owner, old);
    return MPI_SUCCESS;
}

FACE_API(Comm_set_errhandler, errhandler_set)

static int errhandler_set_win(const char *call, face_win *win, MPI_Errhandler errhandler)
{
    return errhandler_set(call, &win->as, errhandler);
}

FACE_API(Win_set_errhandler, errhandler_set_win)

/* That of MPI_FILE_NULL hears of errors without a file, and every file has it when it is opened. */
static int errhandler_set_file(const char *call, face_file *file, MPI_Errhandler errhandler)
{
    return errhandler_set(call, face_file_hearer(file), errhandler);
}

FACE_API(File_set_errhandler, errhandler_set_file)

static int errhandler_set_session(const char *call, face_session *session, MPI_Errhandler errhandler)
{
    return errhandler_set(call, face_session_hearer(session), errhandler);
}

FACE_API(Session_set_errhandler, errhandler_set_session)

static int errhandler_get(const char *call, face_comm *comm, MPI_Errhandler *errhandler)
{
    face_errhandler_ref(comm->owner, comm->errhandler);
    *errhandler = comm->errhandler;
    return MPI_SUCCESS;
}

FACE_API(Comm_get_errhandler, errhandler_get)

static int errhandler_get_win(const char *call, face_win *win, MPI_Errhandler *errhandler)
{
    return errhandler_get(call, &win->as, errhandler);
}

FACE_API(Win_get_errhandler, errhandler_get_win)

static int errhandler_get_file(const char *call, face_file *file, MPI_Errhandler *errhandler)
{
    return errhandler_get(call, face_file_hearer(file), errhandler);
}

FACE_API(File_get_errhandler, errhandler_get_file)

static int errhandler_get_session(const char *call, face_session *session, MPI_Errhandler *errhandler)
{
    return errhandler_get(call, face_session_hearer(session), errhandler);
}

FACE_API(Session_get_errhandler, errhandler_get_session)

static int errhandler_call(const char *call, face_comm *comm, int errorcode)
{
    if (face_code_class(comm->owner, errorcode) < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "errorcode is %d, which is not an error code", errorcode);
    face_handle(comm, errorcode);
    return MPI_SUCCESS;
}

FACE_API(Comm_call_errhandler, errhandler_call)

static int errhandler_call_win(const char *call, face_win *win, int errorcode)
{
    return errhandler_call(call, &win->as, errorcode);
}

FACE_API(Win_call_errhandler, errhandler_call_win)

static int errhandler_call_file(const char *call, face_file *file, int errorcode)
{
    return errhandler_call(call, face_file_hearer(file), errorcode);
}

FACE_API(File_call_errhandler, errhandler_call_file)

static int errhandler_call_session(const char *call, face_session *session, int errorcode)
{
    return errhandler_call(call, face_session_hearer(session), errorcode);
}

FACE_API(Session_call_errhandler, errhandler_call_session)

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* These may be called at any time, so there may be no error handler, and then no message either. */
static int errhandler_fail_code(const char *call, int errorcode)
{
    if (!face_is_open(face_get()))
        return MPI_ERR_ARG;
    return face_fail(call, NULL, MPI_ERR_ARG, "errorcode is %d, which is not an error code", errorcode);
}

static int errhandler_class(const char *call, int errorcode, int *errorclass)
{
    int error_class = face_code_class(face_get(), errorcode);
    if (error_class < 0)
        return errhandler_fail_code(call, errorcode);
    *errorclass = error_class;
    return MPI_SUCCESS;
}

FACE_API(Error_class, errhandler_class)

static int errhandler_text(const char *call, int errorcode, char *string, int *resultlen)
{
    face_rank *rank = face_get();
    const char *text = face_class_text(errorcode);
    if (!text && face_code_class(rank, errorcode) < 0)
        return errhandler_fail_code(call, errorcode);
    if (!text) {
        face_code_text(rank, errorcode, string);
        *resultlen = (int)strlen(string);
        return MPI_SUCCESS;
    }
    pthread_mutex_lock(&rank->lock);
    const char *sentence = errorcode < FACE_CLASSES ? rank->sentences[errorcode] : "";
    *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s%s%s", text, sentence[0] ? ": " : "", sentence);
    pthread_mutex_unlock(&rank->lock);
    return MPI_SUCCESS;
}

FACE_API(Error_string, errhandler_text)
