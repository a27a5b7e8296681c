/* The room for buffered sends. */
#include "mpi/face_error.h"

#include <limits.h>

static int buffer_attach(const char *call, void *buffer, MPI_Count size)
{
    face_rank *rank = face_open(call);
    if (size < 0)
        return face_fail(call, NULL, MPI_ERR_ARG, "size is %lld, but must not be negative", (long long)size);
    if (buffer == MPI_BUFFER_AUTOMATIC)
        return face_fail(call, NULL, MPI_ERR_UNSUPPORTED_OPERATION,
                         "buffer is MPI_BUFFER_AUTOMATIC, which is not implemented in Corunna %s", COR_VERSION);
    if (!buffer && size > 0)
        return face_fail(call, NULL, MPI_ERR_BUFFER, "buffer is a NULL pointer, but size is %lld", (long long)size);
    int code = cor_buffer_attach(rank->rank, buffer, (size_t)size);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, NULL, code, NULL);
}

COR_API(int, Buffer_attach, (void *buffer, int size))
{
    return buffer_attach("MPI_Buffer_attach", buffer, size);
}

COR_API(int, Buffer_attach_c, (void *buffer, MPI_Count size))
{
    return buffer_attach("MPI_Buffer_attach_c", buffer, size);
}

/* Both results are written only on success. */
static int buffer_detach(const char *call, void *buffer_addr, const void *size, size_t *bytes_p)
{
    face_rank *rank = face_open(call);
    if (!buffer_addr || !size)
        return face_fail_null(call, NULL, buffer_addr ? "size" : "buffer_addr");
    void *memory;
    int code = cor_buffer_detach(rank->rank, &memory, bytes_p);
    if (code != COR_OK)
        return face_fail_engine(call, NULL, code, NULL);
    *(void **)buffer_addr = memory;
    return MPI_SUCCESS;
}

COR_API(int, Buffer_detach, (void *buffer_addr, int *size))
{
    size_t bytes = 0;
    int error = buffer_detach("MPI_Buffer_detach", buffer_addr, size, &bytes);
    if (error == MPI_SUCCESS)
        *size = bytes <= INT_MAX ? (int)bytes : MPI_UNDEFINED;
    return error;
}

COR_API(int, Buffer_detach_c, (void *buffer_addr, MPI_Count *size))
{
    size_t bytes = 0;
    int error = buffer_detach("MPI_Buffer_detach_c", buffer_addr, size, &bytes);
    if (error == MPI_SUCCESS)
        *size = (MPI_Count)bytes;
    return error;
}

/* Detaching waits until the buffer is empty, so that detaching and attaching again is a flush. */
COR_API(int, Buffer_flush, (void))
{
    face_rank *rank = face_open("MPI_Buffer_flush");
    void *memory;
    size_t bytes;
    int code = cor_buffer_detach(rank->rank, &memory, &bytes);
    if (code == COR_OK && bytes > 0)
        code = cor_buffer_attach(rank->rank, memory, bytes);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine("MPI_Buffer_flush", NULL, code, NULL);
}
