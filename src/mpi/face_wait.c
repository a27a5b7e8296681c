/*
 * Completion of one request, of any and of several.
 *
 * The engine writes NULL where MPI has MPI_REQUEST_NULL. An array of requests is the caller's own during the call, so
 * it is translated in place, there and back.
 */
#include "mpi/face_error.h"
#include "mpi/face_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many statuses fit on the stack; waiting for more goes in rounds, the other calls take memory for them. */
enum { WAIT_STACK = 64 };

/* ---- one
 * ------------------------------------------------------------------------------------------------------------ */

/* A request failed: its status, and the error. */
static int wait_failed(const char *call, face_comm *comm, int code, const cor_status *done, MPI_Status *status)
{
    face_status_out(status, done);
    return face_fail_engine(call, comm, code, done);
}

static int wait_check_one(const char *call, const MPI_Request *request)
{
    face_open(call);
    if (!request)
        return face_fail_null(call, NULL, "request");
    if (*request != MPI_REQUEST_NULL && !face_request_is_real(*request))
        return face_fail_request(call, "*request", *request);
    return MPI_SUCCESS;
}

static inline int wait_is_one_wrong(const face_rank *rank, const MPI_Request *request)
{
    return !rank->world || !request || !face_request_is_real(*request);
}

COR_API(int, Wait, (MPI_Request * request, MPI_Status *status))
{
    face_rank *rank = face_get();
    if (COR_UNLIKELY(wait_is_one_wrong(rank, request))) {
        int error = wait_check_one("MPI_Wait", request);
        if (error == MPI_SUCCESS)
            face_status_empty(status);
        return error;
    }
    cor_status done = {.source = MPI_ANY_SOURCE};
    face_comm *comm = face_request_comm(*request);
    cor_request *waited = face_request_in(*request);
    int code = cor_wait(rank->rank, &waited, &done);
    *request = face_request_out(waited);
    if (COR_UNLIKELY(code != COR_OK))
        return wait_failed("MPI_Wait", comm, code, &done, status);
    face_status_out(status, &done);
    return MPI_SUCCESS;
}

COR_API(int, Test, (MPI_Request * request, int *flag, MPI_Status *status))
{
    face_rank *rank = face_get();
    if (COR_UNLIKELY(!flag || wait_is_one_wrong(rank, request))) {
        int error = wait_check_one("MPI_Test", request);
        if (error == MPI_SUCCESS && !flag)
            error = face_fail_null("MPI_Test", NULL, "flag");
        if (error == MPI_SUCCESS) {
            *flag = 1;
            face_status_empty(status);
        }
        return error;
    }
    cor_status done = {.source = MPI_ANY_SOURCE};
    face_comm *comm = face_request_comm(*request);
    cor_request *tested = face_request_in(*request);
    int code = cor_test(rank->rank, &tested, flag, &done);
    *request = face_request_out(tested);
    if (COR_UNLIKELY(code != COR_OK))
        return wait_failed("MPI_Test", comm, code, &done, status);
    if (*flag)
        face_status_out(status, &done);
    return MPI_SUCCESS;
}

/* ---- arrays of requests
 * --------------------------------------------------------------------------------------------- */

/* Check an array; on MPI_SUCCESS *comm_p is that of the first real request, or NULL. */
static int wait_check_array(const char *call, int count, const MPI_Request requests[], face_comm **comm_p)
{
    face_open(call);
    *comm_p = NULL;
    if (count < 0)
        return face_fail(call, NULL, MPI_ERR_COUNT, "count is %d, but must not be negative", count);
    if (count > 0 && !requests)
        return face_fail_null(call, NULL, "array_of_requests");
    for (int i = 0; i < count; i++) {
        if (COR_UNLIKELY(requests[i] != MPI_REQUEST_NULL && !face_request_is_real(requests[i]))) {
            char argument[40];
            snprintf(argument, sizeof argument, "array_of_requests[%d]", i);
            return face_fail_request(call, argument, requests[i]);
        }
        if (!*comm_p)
            *comm_p = face_request_comm(requests[i]);
    }
    return MPI_SUCCESS;
}

static cor_request **wait_array_in(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (requests[i] == MPI_REQUEST_NULL)
            requests[i] = NULL;
    return (cor_request **)(void *)requests;
}

static void wait_array_out(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (!requests[i])
            requests[i] = MPI_REQUEST_NULL;
}

/* Statuses of several requests to the user's. *first_p is the first that failed, unless there was one before. */
static void wait_statuses_out(const char *call, int count, const cor_status done[], MPI_Status statuses[],
                              const MPI_Status **first_p)
{
    for (int i = 0; i < count; i++) {
        face_status_out(&statuses[i], &done[i]);
        statuses[i].MPI_ERROR = MPI_SUCCESS;
        if (COR_UNLIKELY(done[i].error != COR_OK)) {
            statuses[i].MPI_ERROR = face_note_engine(call, done[i].error, &done[i]);
            if (!*first_p)
                *first_p = &statuses[i];
        }
    }
}

/* The error of a call with several requests, `failed` being the status of the first that went wrong. */
static int wait_fail_in_status(const char *call, face_comm *comm, const MPI_Status *statuses, const MPI_Status *failed)
{
    char sentence[FACE_SENTENCE_BYTES];
    snprintf(sentence, sizeof sentence, "%s", face_get()->sentences[failed->MPI_ERROR]);
    return face_fail(call, comm, MPI_ERR_IN_STATUS, "array_of_statuses[%td] has an error: %s", failed - statuses,
                     sentence + strlen(call) + 2);
}

/* Room for `count` statuses: `stack` if that is enough. NULL when memory is out. */
static cor_status *wait_room(int count, cor_status stack[WAIT_STACK])
{
    return count <= WAIT_STACK ? stack : malloc((size_t)count * sizeof *stack);
}

static void wait_room_free(cor_status *room, const cor_status stack[WAIT_STACK])
{
    if (room != stack)
        free(room);
}

static int wait_fail_memory(const char *call, face_comm *comm, int count)
{
    return face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for %d statuses", count);
}

/* ---- all
 * ------------------------------------------------------------------------------------------------------------ */

COR_API(int, Waitall, (int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses))
{
    face_comm *comm;
    int error = wait_check_array("MPI_Waitall", count, array_of_requests, &comm);
    if (error != MPI_SUCCESS)
        return error;
    cor_rank *rank = face_get()->rank;
    if (array_of_statuses == MPI_STATUSES_IGNORE) {
        int code = cor_waitall(rank, (size_t)count, wait_array_in(count, array_of_requests), NULL);
        wait_array_out(count, array_of_requests);
        return code == COR_OK ? MPI_SUCCESS : face_fail_engine("MPI_Waitall", comm, code, NULL);
    }
    cor_status done[WAIT_STACK];
    const MPI_Status *failed = NULL;
    for (int i = 0; i < count; i += WAIT_STACK) {
        int round = count - i < WAIT_STACK ? count - i : WAIT_STACK;
        MPI_Request *requests = &array_of_requests[i];
        int code = cor_waitall(rank, (size_t)round, wait_array_in(round, requests), done);
        wait_array_out(round, requests);
        if (code != COR_OK)
            return face_fail_engine("MPI_Waitall", comm, code, NULL);
        wait_statuses_out("MPI_Waitall", round, done, &array_of_statuses[i], &failed);
    }
    return failed ? wait_fail_in_status("MPI_Waitall", comm, array_of_statuses, failed) : MPI_SUCCESS;
}

COR_API(int, Testall, (int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses))
{
    face_comm *comm;
    int error = wait_check_array("MPI_Testall", count, array_of_requests, &comm);
    if (error != MPI_SUCCESS)
        return error;
    if (!flag)
        return face_fail_null("MPI_Testall", comm, "flag");
    cor_status stack[WAIT_STACK];
    int is_wanted = array_of_statuses != MPI_STATUSES_IGNORE;
    cor_status *done = is_wanted ? wait_room(count, stack) : NULL;
    if (is_wanted && !done)
        return wait_fail_memory("MPI_Testall", comm, count);
    int code = cor_testall(face_get()->rank, (size_t)count, wait_array_in(count, array_of_requests), flag, done);
    wait_array_out(count, array_of_requests);
    const MPI_Status *failed = NULL;
    if (code == COR_OK && *flag && is_wanted)
        wait_statuses_out("MPI_Testall", count, done, array_of_statuses, &failed);
    if (is_wanted)
        wait_room_free(done, stack);
    if (code != COR_OK)
        return face_fail_engine("MPI_Testall", comm, code, NULL);
    return failed ? wait_fail_in_status("MPI_Testall", comm, array_of_statuses, failed) : MPI_SUCCESS;
}

/* ---- any
 * ------------------------------------------------------------------------------------------------------------ */

/* The end of Waitany and Testany: `is_found` says whether a request was completed. */
static int wait_any_out(const char *call, face_comm *comm, int code, int is_found, int index, const cor_status *done,
                        MPI_Status *status)
{
    if (code != COR_OK)
        return wait_failed(call, comm, code, done, status);
    if (is_found && index == MPI_UNDEFINED)
        face_status_empty(status);
    else if (is_found)
        face_status_out(status, done);
    return MPI_SUCCESS;
}

COR_API(int, Waitany, (int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status))
{
    face_comm *comm;
    int error = wait_check_array("MPI_Waitany", count, array_of_requests, &comm);
    if (error != MPI_SUCCESS)
        return error;
    if (!indx)
        return face_fail_null("MPI_Waitany", comm, "indx");
    cor_status done = {.source = MPI_ANY_SOURCE};
    int code = cor_waitany(face_get()->rank, (size_t)count, wait_array_in(count, array_of_requests), indx, &done);
    wait_array_out(count, array_of_requests);
    return wait_any_out("MPI_Waitany", comm, code, 1, *indx, &done, status);
}

COR_API(int, Testany, (int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status))
{
    face_comm *comm;
    int error = wait_check_array("MPI_Testany", count, array_of_requests, &comm);
    if (error != MPI_SUCCESS)
        return error;
    if (!indx)
        return face_fail_null("MPI_Testany", comm, "indx");
    if (!flag)
        return face_fail_null("MPI_Testany", comm, "flag");
    cor_status done = {.source = MPI_ANY_SOURCE};
    int code =
        cor_testany(face_get()->rank, (size_t)count, wait_array_in(count, array_of_requests), indx, flag, &done);
    wait_array_out(count, array_of_requests);
    return wait_any_out("MPI_Testany", comm, code, *flag, *indx, &done, status);
}

/* ---- some
 * ----------------------------------------------------------------------------------------------------------- */

typedef int (*wait_some_fn)(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                            cor_status *statuses);

static int wait_some(const char *call, wait_some_fn some, int count, MPI_Request requests[], int *outcount,
                     int indices[], MPI_Status *statuses)
{
    face_comm *comm;
    int error = wait_check_array(call, count, requests, &comm);
    if (error != MPI_SUCCESS)
        return error;
    if (!outcount)
        return face_fail_null(call, comm, "outcount");
    if (count > 0 && !indices)
        return face_fail_null(call, comm, "array_of_indices");
    cor_status stack[WAIT_STACK];
    cor_status *done = wait_room(count, stack);
    if (!done)
        return wait_fail_memory(call, comm, count);
    int code = some(face_get()->rank, (size_t)count, wait_array_in(count, requests), outcount, indices, done);
    wait_array_out(count, requests);
    const MPI_Status *failed = NULL;
    int first_error = COR_OK;
    cor_status first = cor_status_empty;
    if (code == COR_OK && *outcount != MPI_UNDEFINED) {
        if (statuses != MPI_STATUSES_IGNORE)
            wait_statuses_out(call, *outcount, done, statuses, &failed);
        for (int i = 0; i < *outcount && first_error == COR_OK; i++) {
            first = done[i];
            first_error = first.error;
        }
    }
    wait_room_free(done, stack);
    if (code != COR_OK)
        return face_fail_engine(call, comm, code, NULL);
    if (failed)
        return wait_fail_in_status(call, comm, statuses, failed);
    return first_error == COR_OK ? MPI_SUCCESS : face_fail_engine(call, comm, first_error, &first);
}

COR_API(int, Waitsome,
        (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
         MPI_Status *array_of_statuses))
{
    return wait_some("MPI_Waitsome", cor_waitsome, incount, array_of_requests, outcount, array_of_indices,
                     array_of_statuses);
}

COR_API(int, Testsome,
        (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
         MPI_Status *array_of_statuses))
{
    return wait_some("MPI_Testsome", cor_testsome, incount, array_of_requests, outcount, array_of_indices,
                     array_of_statuses);
}
