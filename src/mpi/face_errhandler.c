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

static int errhandler_fail(const char *call, face_comm *comm, const char *argument, MPI_Errhandler handle)
{
    if (handle == MPI_ERRHANDLER_NULL)
        return face_fail(call, comm, MPI_ERR_ERRHANDLER, "%s is MPI_ERRHANDLER_NULL", argument);
    return face_fail(call, comm, MPI_ERR_ERRHANDLER, "%s is %p, which is no error handler or was freed", argument,
                     (void *)handle);
}

COR_API(int, Comm_create_errhandler, (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler *errhandler))
{
    face_rank *rank = face_open("MPI_Comm_create_errhandler");
    if (!comm_errhandler_fn)
        return face_fail_null("MPI_Comm_create_errhandler", NULL, "comm_errhandler_fn");
    if (!errhandler)
        return face_fail_null("MPI_Comm_create_errhandler", NULL, "errhandler");
    face_errhandler *made = face_object_create(rank, FACE_ERRHANDLER, "MPI_Comm_create_errhandler");
    if (!made)
        return face_fail("MPI_Comm_create_errhandler", NULL, MPI_ERR_NO_MEM, "no memory for an error handler");
    made->references = 1;
    made->function = comm_errhandler_fn;
    *errhandler = (MPI_Errhandler)made;
    return MPI_SUCCESS;
}

COR_API(int, Errhandler_free, (MPI_Errhandler * errhandler))
{
    face_rank *rank = face_open("MPI_Errhandler_free");
    if (!errhandler)
        return face_fail_null("MPI_Errhandler_free", NULL, "errhandler");
    if (!errhandler_is_predefined(*errhandler) && !errhandler_made(*errhandler))
        return errhandler_fail("MPI_Errhandler_free", NULL, "*errhandler", *errhandler);
    face_errhandler_unref(rank, *errhandler);
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
    if (!errhandler_is_predefined(errhandler) && !errhandler_made(errhandler))
        return errhandler_fail("MPI_Comm_set_errhandler", face, "errhandler", errhandler);
    MPI_Errhandler old = face->errhandler;
    face_errhandler_ref(rank, errhandler);
    face->errhandler = errhandler;
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
        return face_fail("MPI_Comm_call_errhandler", face, MPI_ERR_ARG, "errorcode is %d, which is no error code",
                         errorcode);
    face_handle(face, errorcode);
    return MPI_SUCCESS;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* These may be called at any time, so there may be no handler to tell an error to. */
static int errhandler_fail_text(const char *call, const char *what)
{
    return face_get()->state == FACE_OPEN ? face_fail(call, NULL, MPI_ERR_ARG, "%s", what) : MPI_ERR_ARG;
}

static int errhandler_fail_code(const char *call, int errorcode)
{
    char what[64];
    snprintf(what, sizeof what, "errorcode is %d, which is no error code", errorcode);
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
