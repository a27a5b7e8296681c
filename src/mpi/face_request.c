/* SPDX-License-Identifier: Apache-2.0 */
/* Requests other than by completing them: start, cancel, free, look. */
#include "mpi/face_coll.h"
#include "mpi/face_file.h"
#include "mpi/face_grequest.h"
#include "mpi/face_part.h"
#include "mpi/face_rma.h"
#include "mpi/face_status.h"

#include <stdio.h>

static int request_check_start(const char *call, const char *argument, const MPI_Request *request)
{
    cor_request *started = face_request_in(*request);
    if (!cor_request_is_persistent(started))
        return face_fail(call, face_request_comm(*request), MPI_ERR_REQUEST, "%s is not persistent", argument);
    if (cor_request_is_active(started))
        return face_fail(call, face_request_comm(*request), MPI_ERR_REQUEST, "%s was started and is not complete yet",
                         argument);
    return MPI_SUCCESS;
}

static int request_start(const char *call, MPI_Request *request)
{
    int error = request_check_start(call, "*request", request);
    if (error != MPI_SUCCESS)
        return error;
    int code = cor_start(face_request_in(*request));
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, face_request_comm(*request), code, NULL);
}

FACE_API(Start, request_start)

static int request_start_all(const char *call, int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++) {
        char argument[40];
        snprintf(argument, sizeof argument, "array_of_requests[%d]", i);
        if (!face_request_is_real(requests[i]))
            return face_fail_request(call, argument, requests[i]);
        int error = request_check_start(call, argument, &requests[i]);
        if (error != MPI_SUCCESS)
            return error;
    }
    for (int i = 0; i < count; i++) {
        int code = cor_start(face_request_in(requests[i]));
        if (code != COR_OK)
            return face_fail_engine(call, face_request_comm(requests[i]), code, NULL);
    }
    return MPI_SUCCESS;
}

FACE_API(Startall, request_start_all)

/* What a request is of that cannot be cancelled; NULL: of a message. */
static const char *request_lasting(const cor_request *request)
{
    return coll_request_is_ours(request)   ? "a collective operation"
           : rma_request_is_ours(request)  ? "an operation on a window"
           : part_request_is_ours(request) ? "a partitioned message"
           : file_request_is_ours(request) ? "an access to a file"
                                           : NULL;
}

static int request_cancel(const char *call, MPI_Request *request)
{
    cor_request *cancelled = face_request_in(*request);
    if (face_request_is_general(face_get(), *request))
        return face_general_cancel(call, cancelled);
    const char *lasting = request_lasting(cancelled);
    if (lasting)
        return face_fail(call, face_request_comm(*request), MPI_ERR_REQUEST,
                         "*request is %s, which cannot be cancelled", lasting);
    if (cor_request_is_persistent(cancelled) && !cor_request_is_active(cancelled))
        return face_fail(call, face_request_comm(*request), MPI_ERR_REQUEST, "*request is not active");
    cor_cancel(cancelled);
    return MPI_SUCCESS;
}

FACE_API(Cancel, request_cancel)

/* Other ranks depend on an active collective operation, and the program could not know when its buffers are free; so
 * it is with operations on windows. MPI_File_close waits for accesses by one rank. A complete one may be freed, though
 * no call has completed its request yet. */
static int request_is_needed(cor_request *request)
{
    int is_complete = 1;
    int is_lasting =
        request_lasting(request) != NULL && (!file_request_is_ours(request) || file_request_is_collective(request));
    if (is_lasting && cor_request_is_active(request))
        cor_request_get_status(face_get()->rank, request, &is_complete, NULL);
    return !is_complete;
}

static int request_free(const char *call, MPI_Request *request)
{
    cor_request *freed = face_request_in(*request);
    int is_general = face_request_is_general(face_get(), *request);
    if (!is_general && request_is_needed(freed))
        return face_fail(call, face_request_comm(*request), MPI_ERR_REQUEST,
                         "*request is %s that is active; MPI_Wait or MPI_Test completes it first",
                         request_lasting(freed));
    *request = MPI_REQUEST_NULL;
    if (is_general)
        return face_general_free(call, freed);
    cor_request_free(&freed);
    return MPI_SUCCESS;
}

FACE_API(Request_free, request_free)

/* ---- looking without completing --------------------------------------------------------------------------------- */

/* Is the request complete, null or inactive? *active_p says whether it was active. */
static int request_look(const char *call, MPI_Request request, int *flag, int *active_p, MPI_Status *status)
{
    cor_status done = {.source = MPI_ANY_SOURCE};
    *active_p = 0;
    *flag = 1;
    if (request == MPI_REQUEST_NULL || !cor_request_is_active(face_request_in(request))) {
        face_status_empty(status);
        return MPI_SUCCESS;
    }
    *active_p = 1;
    int code = cor_request_get_status(face_get()->rank, face_request_in(request), flag, &done);
    if (code != COR_OK)
        return face_fail_engine(call, face_request_comm(request), code, &done);
    if (*flag && face_request_is_general(face_get(), request)) {
        code = face_general_query(face_request_in(request), status);
        return code == MPI_SUCCESS ? MPI_SUCCESS : face_fail_callback(call, NULL, code, "query_fn");
    }
    if (*flag)
        face_status_out(status, &done);
    return MPI_SUCCESS;
}

static int request_check_array(const char *call, int count, const MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL && !face_request_is_real(requests[i])) {
            char argument[40];
            snprintf(argument, sizeof argument, "array_of_requests[%d]", i);
            return face_fail_request(call, argument, requests[i]);
        }
    return MPI_SUCCESS;
}

static int request_status(const char *call, MPI_Request request, int *flag, MPI_Status *status)
{
    int is_active;
    if (request != MPI_REQUEST_NULL && !face_request_is_real(request))
        return face_fail_request(call, "request", request);
    return request_look(call, request, flag, &is_active, status);
}

FACE_API(Request_get_status, request_status)

static int request_status_all(const char *call, int count, const MPI_Request array_of_requests[], int *flag,
                              MPI_Status *array_of_statuses)
{
    int error = request_check_array(call, count, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    int is_complete = 1, is_active;
    for (int i = 0; i < count && is_complete && error == MPI_SUCCESS; i++)
        error = request_look(call, array_of_requests[i], &is_complete, &is_active,
                             array_of_statuses != MPI_STATUSES_IGNORE ? &array_of_statuses[i] : MPI_STATUS_IGNORE);
    *flag = is_complete;
    return error;
}

FACE_API(Request_get_status_all, request_status_all)

static int request_status_any(const char *call, int count, const MPI_Request array_of_requests[], int *indx, int *flag,
                              MPI_Status *status)
{
    int error = request_check_array(call, count, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    int has_active = 0;
    for (int i = 0; i < count; i++) {
        int is_complete, is_active;
        MPI_Status found;
        error = request_look(call, array_of_requests[i], &is_complete, &is_active, &found);
        if (error != MPI_SUCCESS)
            return error;
        has_active |= is_active;
        if (is_active && is_complete) {
            *indx = i;
            *flag = 1;
            if (status != MPI_STATUS_IGNORE)
                *status = found;
            return MPI_SUCCESS;
        }
    }
    *indx = MPI_UNDEFINED;
    *flag = !has_active;
    if (!has_active)
        face_status_empty(status);
    return MPI_SUCCESS;
}

FACE_API(Request_get_status_any, request_status_any)

static int request_status_some(const char *call, int incount, const MPI_Request array_of_requests[], int *outcount,
                               int array_of_indices[], MPI_Status *array_of_statuses)
{
    int error = request_check_array(call, incount, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    if (incount > 0 && !array_of_indices)
        return face_fail_null(call, NULL, "array_of_indices");
    int has_active = 0, complete = 0;
    for (int i = 0; i < incount; i++) {
        int is_complete, is_active;
        MPI_Status found;
        error = request_look(call, array_of_requests[i], &is_complete, &is_active, &found);
        if (error != MPI_SUCCESS)
            return error;
        has_active |= is_active;
        if (is_active && is_complete) {
            if (array_of_statuses != MPI_STATUSES_IGNORE)
                array_of_statuses[complete] = found;
            array_of_indices[complete++] = i;
        }
    }
    *outcount = has_active ? complete : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

FACE_API(Request_get_status_some, request_status_some)
