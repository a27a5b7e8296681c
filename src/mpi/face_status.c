/* SPDX-License-Identifier: Apache-2.0 */
/* What a status says, and how a program sets one. */
#include "mpi/face_status.h"

#include "mpi/face_error.h"

#include <limits.h>

/* ---- counts ----------------------------------------------------------------------------------------------------- */

/* The datatype; NULL with the error reported in *error_p if an argument is invalid. */
static const cor_dtype *status_type(const char *call, const MPI_Status *status, MPI_Datatype handle, const void *count,
                                    int *error_p)
{
    face_open(call);
    face_type *made = face_type_made(handle);
    const cor_dtype *type = made ? made->type : face_type_predefined(handle);
    *error_p = MPI_SUCCESS;
    if (!status)
        *error_p = face_fail_null(call, NULL, "status");
    else if (!type)
        *error_p = face_fail_type(call, NULL, "datatype", handle);
    else if (!count)
        *error_p = face_fail_null(call, NULL, "count");
    return status && count ? type : NULL;
}

static MPI_Count status_count(const cor_dtype *type, uint64_t bytes)
{
    if (type->size == 0)
        return bytes == 0 ? 0 : MPI_UNDEFINED;
    return bytes % type->size == 0 ? (MPI_Count)(bytes / type->size) : MPI_UNDEFINED;
}

static MPI_Count status_elements(const cor_dtype *type, uint64_t bytes)
{
    int64_t elements = cor_dtype_elements(type, bytes);
    return elements >= 0 ? elements : MPI_UNDEFINED;
}

static int status_to_int(MPI_Count count)
{
    return count <= INT_MAX ? (int)count : MPI_UNDEFINED;
}

COR_API(int, Get_count, (const MPI_Status *status, MPI_Datatype datatype, int *count))
{
    int error;
    const cor_dtype *type = status_type("MPI_Get_count", status, datatype, count, &error);
    if (type)
        *count = status_to_int(status_count(type, face_status_bytes(status)));
    return error;
}

COR_API(int, Get_count_c, (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count))
{
    int error;
    const cor_dtype *type = status_type("MPI_Get_count_c", status, datatype, count, &error);
    if (type)
        *count = status_count(type, face_status_bytes(status));
    return error;
}

COR_API(int, Get_elements, (const MPI_Status *status, MPI_Datatype datatype, int *count))
{
    int error;
    const cor_dtype *type = status_type("MPI_Get_elements", status, datatype, count, &error);
    if (type)
        *count = status_to_int(status_elements(type, face_status_bytes(status)));
    return error;
}

static int status_get_elements(const char *call, const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    int error;
    const cor_dtype *type = status_type(call, status, datatype, count, &error);
    if (type)
        *count = status_elements(type, face_status_bytes(status));
    return error;
}

COR_API(int, Get_elements_c, (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count))
{
    return status_get_elements("MPI_Get_elements_c", status, datatype, count);
}

COR_API(int, Get_elements_x, (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count))
{
    return status_get_elements("MPI_Get_elements_x", status, datatype, count);
}

static int status_set_elements(const char *call, MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    int error;
    const cor_dtype *type = status_type(call, status, datatype, &count, &error);
    if (!type)
        return error;
    if (count < 0)
        return face_fail(call, NULL, MPI_ERR_COUNT, "count is %lld, but must not be negative", (long long)count);
    uint64_t bytes;
    if (cor_dtype_element_bytes(type, (uint64_t)count, &bytes) != COR_OK)
        return face_fail(call, NULL, MPI_ERR_COUNT,
                         "count is %lld elements, more than memory or the datatype can hold", (long long)count);
    face_status_set_bytes(status, bytes);
    return MPI_SUCCESS;
}

COR_API(int, Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count))
{
    return status_set_elements("MPI_Status_set_elements", status, datatype, count);
}

COR_API(int, Status_set_elements_c, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count))
{
    return status_set_elements("MPI_Status_set_elements_c", status, datatype, count);
}

COR_API(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count))
{
    return status_set_elements("MPI_Status_set_elements_x", status, datatype, count);
}

/* ---- single fields ---------------------------------------------------------------------------------------------- */

COR_API(int, Test_cancelled, (const MPI_Status *status, int *flag))
{
    if (!status || !flag)
        return face_fail_null("MPI_Test_cancelled", NULL, status ? "flag" : "status");
    *flag = status->MPI_internal[0] != 0;
    return MPI_SUCCESS;
}

COR_API(int, Status_set_cancelled, (MPI_Status * status, int flag))
{
    if (!status)
        return face_fail_null("MPI_Status_set_cancelled", NULL, "status");
    status->MPI_internal[0] = flag != 0;
    return MPI_SUCCESS;
}

COR_API(int, Status_get_source, (const MPI_Status *status, int *source))
{
    if (!status || !source)
        return face_fail_null("MPI_Status_get_source", NULL, status ? "source" : "status");
    *source = status->MPI_SOURCE;
    return MPI_SUCCESS;
}

COR_API(int, Status_get_tag, (const MPI_Status *status, int *tag))
{
    if (!status || !tag)
        return face_fail_null("MPI_Status_get_tag", NULL, status ? "tag" : "status");
    *tag = status->MPI_TAG;
    return MPI_SUCCESS;
}

COR_API(int, Status_get_error, (const MPI_Status *status, int *error))
{
    if (!status || !error)
        return face_fail_null("MPI_Status_get_error", NULL, status ? "error" : "status");
    *error = status->MPI_ERROR;
    return MPI_SUCCESS;
}

COR_API(int, Status_set_source, (MPI_Status * status, int source))
{
    if (!status)
        return face_fail_null("MPI_Status_set_source", NULL, "status");
    status->MPI_SOURCE = source;
    return MPI_SUCCESS;
}

COR_API(int, Status_set_tag, (MPI_Status * status, int tag))
{
    if (!status)
        return face_fail_null("MPI_Status_set_tag", NULL, "status");
    status->MPI_TAG = tag;
    return MPI_SUCCESS;
}

COR_API(int, Status_set_error, (MPI_Status * status, int error))
{
    if (!status)
        return face_fail_null("MPI_Status_set_error", NULL, "status");
    status->MPI_ERROR = error;
    return MPI_SUCCESS;
}
