/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer for buffered sends, of all communicators and of one. */
#include "mpi/face_comm.h"

#include <limits.h>

/* ---- attach and detach ------------------------------------------------------------------------------------------ */

static int buffer_attach(const char *call, face_comm *comm, void *buffer, MPI_Count size)
{
    int is_automatic = buffer == MPI_BUFFER_AUTOMATIC;
    if (size < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "size is %lld, but must not be negative", (long long)size);
    if (!buffer && size > 0)
        return face_fail(call, comm, MPI_ERR_BUFFER, "buffer is a NULL pointer, but size is %lld", (long long)size);
    int code = cor_buffer_attach_to(face_get()->rank, comm ? comm->comm : NULL, buffer,
                                    is_automatic ? 0 : (size_t)size, is_automatic);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, comm, code, NULL);
}

/* Both results are written only on success. */
static int buffer_detach(const char *call, face_comm *comm, void *buffer_addr, const void *size, size_t *bytes_p)
{
    if (!buffer_addr || !size)
        return face_fail_null(call, comm, buffer_addr ? "size" : "buffer_addr");
    void *memory;
    int code = cor_buffer_detach_from(face_get()->rank, comm ? comm->comm : NULL, &memory, bytes_p);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *(void **)buffer_addr = memory;
    return MPI_SUCCESS;
}

static void buffer_size_out(size_t bytes, int *size)
{
    *size = bytes <= INT_MAX ? (int)bytes : MPI_UNDEFINED;
}

/* ---- of all communicators --------------------------------------------------------------------------------------- */

COR_API(int, Buffer_attach, (void *buffer, int size))
{
    face_open("MPI_Buffer_attach");
    return buffer_attach("MPI_Buffer_attach", NULL, buffer, size);
}

COR_API(int, Buffer_attach_c, (void *buffer, MPI_Count size))
{
    face_open("MPI_Buffer_attach_c");
    return buffer_attach("MPI_Buffer_attach_c", NULL, buffer, size);
}

COR_API(int, Buffer_detach, (void *buffer_addr, int *size))
{
    size_t bytes = 0;
    face_open("MPI_Buffer_detach");
    int error = buffer_detach("MPI_Buffer_detach", NULL, buffer_addr, size, &bytes);
    if (error == MPI_SUCCESS)
        buffer_size_out(bytes, size);
    return error;
}

COR_API(int, Buffer_detach_c, (void *buffer_addr, MPI_Count *size))
{
    size_t bytes = 0;
    face_open("MPI_Buffer_detach_c");
    int error = buffer_detach("MPI_Buffer_detach_c", NULL, buffer_addr, size, &bytes);
    if (error == MPI_SUCCESS)
        *size = (MPI_Count)bytes;
    return error;
}

COR_API(int, Buffer_flush, (void))
{
    int code = cor_buffer_flush(face_open("MPI_Buffer_flush")->rank, NULL);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine("MPI_Buffer_flush", NULL, code, NULL);
}

static int buffer_iflush(const char *call, face_comm *comm, MPI_Request *request)
{
    if (!request)
        return face_fail_null(call, comm, "request");
    cor_request *started;
    int code = cor_buffer_iflush(face_get()->rank, comm ? comm->comm : NULL, &started);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    *request = face_request_new(call, started);
    return MPI_SUCCESS;
}

COR_API(int, Buffer_iflush, (MPI_Request * request))
{
    face_open("MPI_Buffer_iflush");
    return buffer_iflush("MPI_Buffer_iflush", NULL, request);
}

/* ---- of one communicator ---------------------------------------------------------------------------------------- */

COR_API(int, Comm_attach_buffer, (MPI_Comm comm, void *buffer, int size))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_attach_buffer", comm, "", "", &error);
    return face ? buffer_attach("MPI_Comm_attach_buffer", face, buffer, size) : error;
}

COR_API(int, Comm_attach_buffer_c, (MPI_Comm comm, void *buffer, MPI_Count size))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_attach_buffer_c", comm, "", "", &error);
    return face ? buffer_attach("MPI_Comm_attach_buffer_c", face, buffer, size) : error;
}

COR_API(int, Comm_detach_buffer, (MPI_Comm comm, void *buffer_addr, int *size))
{
    int error = MPI_SUCCESS;
    size_t bytes = 0;
    face_comm *face = face_comm_ask("MPI_Comm_detach_buffer", comm, "", "", &error);
    if (face)
        error = buffer_detach("MPI_Comm_detach_buffer", face, buffer_addr, size, &bytes);
    if (face && error == MPI_SUCCESS)
        buffer_size_out(bytes, size);
    return error;
}

COR_API(int, Comm_detach_buffer_c, (MPI_Comm comm, void *buffer_addr, MPI_Count *size))
{
    int error = MPI_SUCCESS;
    size_t bytes = 0;
    face_comm *face = face_comm_ask("MPI_Comm_detach_buffer_c", comm, "", "", &error);
    if (face)
        error = buffer_detach("MPI_Comm_detach_buffer_c", face, buffer_addr, size, &bytes);
    if (face && error == MPI_SUCCESS)
        *size = (MPI_Count)bytes;
    return error;
}

COR_API(int, Comm_flush_buffer, (MPI_Comm comm))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_flush_buffer", comm, "", "", &error);
    if (!face)
        return error;
    int code = cor_buffer_flush(face->owner->rank, face->comm);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine("MPI_Comm_flush_buffer", face, code, NULL);
}

COR_API(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request *request))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_iflush_buffer", comm, "", "", &error);
    return face ? buffer_iflush("MPI_Comm_iflush_buffer", face, request) : error;
}
