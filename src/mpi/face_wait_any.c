/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of any, or some, of several requests. */
#include "mpi/face_wait.h"

/* ---- any -------------------------------------------------------------------------------------------------------- */

/* The results of Waitany and Testany: `is_found` is set if a request was completed, or none was active. */
static int wait_any_out(const wait_call *wait, int code, int is_found, int index, const cor_status *done,
                        MPI_Status *status)
{
    cor_request *general = NULL;
    if (COR_UNLIKELY(wait->generals.requests) && is_found && index != MPI_UNDEFINED)
        general = wait->generals.requests[index];
    if (general) {
        code = face_general_end(general, status);
        return code == MPI_SUCCESS ? MPI_SUCCESS
                                   : face_fail_callback(wait->name, NULL, code, "a function of a generalized request");
    }
    if (code != COR_OK)
        return wait_failed(wait->name, wait_comm_at(wait, index), code, done, status);
    if (is_found && index == MPI_UNDEFINED)
        face_status_empty(status);
    else if (is_found)
        face_status_out(status, done);
    return MPI_SUCCESS;
}

/* A result pointer is NULL. */
static int wait_null(wait_call *wait, const char *argument)
{
    return wait_leave(wait, face_fail_null(wait->name, wait->comm, argument));
}

static int wait_any(const char *call, int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status)
{
    wait_call wait;
    int error = wait_begin(&wait, call, count, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    if (!indx)
        return wait_null(&wait, "indx");
    cor_status done = {.source = MPI_ANY_SOURCE};
    int code = cor_waitany(face_get()->rank, (size_t)count, wait_array_in(count, array_of_requests), indx, &done);
    wait_array_out(count, array_of_requests);
    return wait_leave(&wait, wait_any_out(&wait, code, 1, *indx, &done, status));
}

FACE_API(Waitany, wait_any)

static int wait_test_any(const char *call, int count, MPI_Request array_of_requests[], int *indx, int *flag,
                         MPI_Status *status)
{
    wait_call wait;
    int error = wait_begin(&wait, call, count, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    if (!indx || !flag)
        return wait_null(&wait, indx ? "flag" : "indx");
    cor_status done = {.source = MPI_ANY_SOURCE};
    int code =
        cor_testany(face_get()->rank, (size_t)count, wait_array_in(count, array_of_requests), indx, flag, &done);
    wait_array_out(count, array_of_requests);
    return wait_leave(&wait, wait_any_out(&wait, code, *flag, *indx, &done, status));
}

FACE_API(Testany, wait_test_any)

/* ---- some ------------------------------------------------------------------------------------------------------- */

typedef int (*wait_some_fn)(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                            cor_status *statuses);

static int wait_some(const char *call, int count, MPI_Request requests[], int *outcount, int indices[],
                     MPI_Status *statuses, wait_some_fn some)
{
    wait_call wait;
    int error = wait_begin(&wait, call, count, requests);
    if (error != MPI_SUCCESS)
        return error;
    if (!outcount)
        return wait_null(&wait, "outcount");
    if (count > 0 && !indices)
        return wait_null(&wait, "array_of_indices");
    cor_status stack[WAIT_STACK];
    cor_status *done = wait_room(count, stack);
    if (!done)
        return wait_leave(&wait, face_fail(call, wait.comm, MPI_ERR_NO_MEM, "no memory for %d statuses", count));
    int code = some(face_get()->rank, (size_t)count, wait_array_in(count, requests), outcount, indices, done);
    wait_array_out(count, requests);
    if (code == COR_OK && *outcount != MPI_UNDEFINED)
        wait_complete(&wait, *outcount, indices, 0, done, statuses);
    wait_room_free(done, stack);
    return wait_finish(&wait, code, statuses);
}

FACE_API(Waitsome, wait_some, cor_waitsome)
FACE_API(Testsome, wait_some, cor_testsome)
