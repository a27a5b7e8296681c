/* SPDX-License-Identifier: Apache-2.0 */
/* What a status says, and how a program sets one. */
#include "mpi/face_status.h"

#include "mpi/face_error.h"

/* ---- counts ----------------------------------------------------------------------------------------------------- */

static int status_count(const char *call, const MPI_Status *status, const cor_dtype *type, MPI_Count *count)
{
    uint64_t bytes = face_status_bytes(status);
    if (type->size == 0)
        *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    else
        *count = bytes % type->size == 0 ? (MPI_Count)(bytes / type->size) : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

FACE_API(Get_count, status_count)

static int status_elements(const char *call, const MPI_Status *status, const cor_dtype *type, MPI_Count *count)
{
    int64_t elements = cor_dtype_elements(type, face_status_bytes(status));
    *count = elements >= 0 ? elements : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

FACE_API(Get_elements, status_elements)
FACE_API(Get_elements_x, status_elements)

static int status_set_elements(const char *call, MPI_Status *status, const cor_dtype *type, MPI_Count count)
{
    uint64_t bytes;
    if (cor_dtype_element_bytes(type, (uint64_t)count, &bytes) != COR_OK)
        return face_fail(call, NULL, MPI_ERR_COUNT,
                         "count is %lld elements, more than memory or the datatype can hold", (long long)count);
    face_status_set_bytes(status, bytes);
    return MPI_SUCCESS;
}

FACE_API(Status_set_elements, status_set_elements)
FACE_API(Status_set_elements_x, status_set_elements)

/* ---- single fields ---------------------------------------------------------------------------------------------- */

static int status_test_cancelled(const char *call, const MPI_Status *status, int *flag)
{
    *flag = status->MPI_internal[0] != 0;
    return MPI_SUCCESS;
}

FACE_API(Test_cancelled, status_test_cancelled)

static int status_set_cancelled(const char *call, MPI_Status *status, int flag)
{
    status->MPI_internal[0] = flag != 0;
    return MPI_SUCCESS;
}

FACE_API(Status_set_cancelled, status_set_cancelled)

static int status_get_source(const char *call, const MPI_Status *status, int *source)
{
    *source = status->MPI_SOURCE;
    return MPI_SUCCESS;
}

FACE_API(Status_get_source, status_get_source)

static int status_get_tag(const char *call, const MPI_Status *status, int *tag)
{
    *tag = status->MPI_TAG;
    return MPI_SUCCESS;
}

FACE_API(Status_get_tag, status_get_tag)

static int status_get_error(const char *call, const MPI_Status *status, int *error)
{
    *error = status->MPI_ERROR;
    return MPI_SUCCESS;
}

FACE_API(Status_get_error, status_get_error)

static int status_set_source(const char *call, MPI_Status *status, int source)
{
    status->MPI_SOURCE = source;
    return MPI_SUCCESS;
}

FACE_API(Status_set_source, status_set_source)

static int status_set_tag(const char *call, MPI_Status *status, int tag)
{
    status->MPI_TAG = tag;
    return MPI_SUCCESS;
}

FACE_API(Status_set_tag, status_set_tag)

static int status_set_error(const char *call, MPI_Status *status, int error)
{
    status->MPI_ERROR = error;
    return MPI_SUCCESS;
}

FACE_API(Status_set_error, status_set_error)
