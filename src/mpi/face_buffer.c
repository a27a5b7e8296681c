/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer for buffered sends, of all communicators and of one. */
#include "mpi/face_comm.h"

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
