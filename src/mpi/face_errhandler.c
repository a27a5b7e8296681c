/* SPDX-License-Identifier: Apache-2.0 */
/* Error handlers, error classes and their texts. */
#include "mpi/face_errhandler.h"

#include "mpi/face_error.h"

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

int face_errhandler_create(const char *call, face_subject subject, const char *name, void (*function)(void),
                           MPI_Errhandler *handle_p)
{
    if (!function || !handle_p)
        return face_fail_early(call, MPI_ERR_ARG, "%s is a NULL pointer", function ? "errhandler" : name);
    face_errhandler *made = face_object_create(face_get(), FACE_ERRHANDLER, call);
    if (!made)
        return face_fail_early(call, MPI_ERR_NO_MEM, "no memory for an error handler");
    made->references = 1;
    made->subject = subject;
    made->function = function;
    *handle_p = (MPI_Errhandler)made;
    return MPI_SUCCESS;
}

COR_API(int, Comm_create_errhandler, (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler *errhandler))
{
    face_open("MPI_Comm_create_errhandler");
    return face_errhandler_create("MPI_Comm_create_errhandler", FACE_FOR_COMM, "comm_errhandler_fn",
                                  (void (*)(void))comm_errhandler_fn, errhandler);
}

COR_API(int, Session_create_errhandler,
        (MPI_Session_errhandler_function * session_errhandler_fn, MPI_Errhandler *errhandler))
{
    return face_errhandler_create("MPI_Session_create_errhandler", FACE_FOR_SESSION, "session_errhandler_fn",
                                  (void (*)(void))session_errhandler_fn, errhandler);
}

COR_API(int, Errhandler_free, (MPI_Errhandler * errhandler))
{
    char room[96];
    if (!errhandler)
        return face_fail_early("MPI_Errhandler_free", MPI_ERR_ARG, "errhandler is a NULL pointer");
    if (!errhandler_is_predefined(*errhandler) && !errhandler_made(*errhandler))
        return face_fail_early("MPI_Errhandler_free", MPI_ERR_ERRHANDLER, "*errhandler is %s",
                               face_errhandler_describe(*errhandler, FACE_FOR_COMM, room, sizeof room));
    face_errhandler_unref(face_get(), *errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* ---- communicators ---------------------------------------------------------------------------------------------- */

COR_API(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler))
{
    face_rank *rank = face_open("MPI_Comm_set_errhandler");
    face_comm *face = face_comm_find(rank, comm);
    if (!face)
        return face_fail_comm("MPI_Comm_set_errhandler", "comm", comm);
    char room[96];
    if (!face_errhandler_is_for(errhandler, FACE_FOR_COMM))
        return face_fail("MPI_Comm_set_errhandler", face, MPI_ERR_ERRHANDLER, "errhandler is %s",
                         face_errhandler_describe(errhandler, FACE_FOR_COMM, room, sizeof room));
    MPI_Errhandler old = face->errhandler;
    face_errhandler_ref(rank, errhandler);
    face->errhandler = errhandler;
    face->has_own_handler = 1;
    face_errhandler_unref(rank, old);
    return MPI_SUCCESS;
}

COR_API(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler))
{
    face_rank *rank = face_open("MPI_Comm_get_errhandler");
    face_comm *face = face_comm_find(rank, comm);
    if (!face)
        return face_fail_comm("MPI_Comm_get_errhandler", "comm", comm);
    if (!errhandler)
        return face_fail_null("MPI_Comm_get_errhandler", face, "errhandler");
    face_errhandler_ref(rank, face->errhandler);
    *errhandler = face->errhandler;
    return MPI_SUCCESS;
}

COR_API(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode))
{
    face_comm *face = face_comm_find(face_open("MPI_Comm_call_errhandler"), comm);
    if (!face)
        return face_fail_comm("MPI_Comm_call_errhandler", "comm", comm);
    if (face_code_class(face->owner, errorcode) < 0)
        return face_fail("MPI_Comm_call_errhandler", face, MPI_ERR_ARG, "errorcode is %d, which is not an error code",
                         errorcode);
    face_handle(face, errorcode);
    return MPI_SUCCESS;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* These may be called at any time, so there may be no error handler. */
static int errhandler_fail_text(const char *call, const char *what)
{
    return face_state_of(face_get()) == FACE_OPEN ? face_fail(call, NULL, MPI_ERR_ARG, "%s", what) : MPI_ERR_ARG;
}

static int errhandler_fail_code(const char *call, int errorcode)
{
    char what[64];
    snprintf(what, sizeof what, "errorcode is %d, which is not an error code", errorcode);
    return errhandler_fail_text(call, what);
}

COR_API(int, Error_class, (int errorcode, int *errorclass))
{
    if (!errorclass)
        return errhandler_fail_text("MPI_Error_class", "errorclass is a NULL pointer");
    int error_class = face_code_class(face_get(), errorcode);
    if (error_class < 0)
        return errhandler_fail_code("MPI_Error_class", errorcode);
    *errorclass = error_class;
    return MPI_SUCCESS;
}

COR_API(int, Error_string, (int errorcode, char *string, int *resultlen))
{
    face_rank *rank = face_get();
    const char *text = face_class_text(errorcode);
    if (!string)
        return errhandler_fail_text("MPI_Error_string", "string is a NULL pointer");
    if (!resultlen)
        return errhandler_fail_text("MPI_Error_string", "resultlen is a NULL pointer");
    if (!text && face_code_class(rank, errorcode) < 0)
        return errhandler_fail_code("MPI_Error_string", errorcode);
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
