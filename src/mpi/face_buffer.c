/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer for buffered sends, of all communicators, of one, and of those of a session. */
#include "mpi/face_comm.h"
#include "mpi/face_session.h"

/* ---- attach and detach ------------------------------------------------------------------------------------------ */

static int buffer_attach_to(const char *call, face_comm *comm, void *buffer, MPI_Count size)
{
    int is_automatic = buffer == MPI_BUFFER_AUTOMATIC;
    if (!buffer && size > 0)
        return face_fail(call, comm, MPI_ERR_BUFFER, "buffer is a NULL pointer, but size is %lld", (long long)size);
    int code = cor_buffer_attach_to(face_get()->rank, comm ? comm->comm : NULL, buffer,
                                    is_automatic ? 0 : (size_t)size, is_automatic);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, comm, code, NULL);
}

static int buffer_attach(const char *call, void *buffer, MPI_Count size)
{
    return buffer_attach_to(call, NULL, buffer, size);
}

FACE_API(Comm_attach_buffer, buffer_attach_to)
FACE_API(Buffer_attach, buffer_attach)

static int buffer_detach_from(const char *call, face_comm *comm, void *buffer_addr, MPI_Count *size)
{
    void *memory;
    size_t bytes = 0;
    int code = cor_buffer_detach_from(face_get()->rank, comm ? comm->comm : NULL, &memory, &bytes);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *(void **)buffer_addr = memory;
    *size = (MPI_Count)bytes;
    return MPI_SUCCESS;
}

static int buffer_detach(const char *call, void *buffer_addr, MPI_Count *size)
{
    return buffer_detach_from(call, NULL, buffer_addr, size);
}

FACE_API(Comm_detach_buffer, buffer_detach_from)
FACE_API(Buffer_detach, buffer_detach)

/* ---- waiting for its messages ----------------------------------------------------------------------------------- */

static int buffer_flush_of(const char *call, face_comm *comm)
{
    int code = cor_buffer_flush(face_get()->rank, comm ? comm->comm : NULL);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, comm, code, NULL);
}

static int buffer_flush(const char *call)
{
    return buffer_flush_of(call, NULL);
}

FACE_API(Comm_flush_buffer, buffer_flush_of)
FACE_API(Buffer_flush, buffer_flush)

static int buffer_iflush_of(const char *call, face_comm *comm, MPI_Request *request)
{
    cor_request *started;
    int code = cor_buffer_iflush(face_get()->rank, comm ? comm->comm : NULL, &started);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

static int buffer_iflush(const char *call, MPI_Request *request)
{
    return buffer_iflush_of(call, NULL, request);
}

FACE_API(Comm_iflush_buffer, buffer_iflush_of)
FACE_API(Buffer_iflush, buffer_iflush)

/* ---- the same for a session ------------------------------------------------------------------------------------- */

static int buffer_end(const char *call, face_session *session, int code)
{
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, face_session_hearer(session), code, NULL);
}

static int buffer_attach_session(const char *call, face_session *session, void *buffer, MPI_Count size)
{
    int is_automatic = buffer == MPI_BUFFER_AUTOMATIC;
    if (!buffer && size > 0)
        return face_fail(call, face_session_hearer(session), MPI_ERR_BUFFER,
                         "buffer is a NULL pointer, but size is %lld", (long long)size);
    return buffer_end(
        call, session,
        cor_session_buffer_attach(session->scope.session, buffer, is_automatic ? 0 : (size_t)size, is_automatic));
}

FACE_API(Session_attach_buffer, buffer_attach_session)

static int buffer_detach_session(const char *call, face_session *session, void *buffer_addr, MPI_Count *size)
{
    void *memory;
    size_t bytes = 0;
    int code = cor_session_buffer_detach(session->scope.session, &memory, &bytes);
    if (code == COR_OK) {
        *(void **)buffer_addr = memory;
        *size = (MPI_Count)bytes;
    }
    return buffer_end(call, session, code);
}

FACE_API(Session_detach_buffer, buffer_detach_session)

static int buffer_flush_session(const char *call, face_session *session)
{
    return buffer_end(call, session, cor_session_buffer_flush(session->scope.session));
}

FACE_API(Session_flush_buffer, buffer_flush_session)

static int buffer_iflush_session(const char *call, face_session *session, MPI_Request *request)
{
    cor_request *started;
    int code = cor_session_buffer_iflush(session->scope.session, &started);
    if (code == COR_OK)
        *request = face_request_new(call, started);
    return buffer_end(call, session, code);
}

FACE_API(Session_iflush_buffer, buffer_iflush_session)
