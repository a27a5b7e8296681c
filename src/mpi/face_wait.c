/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of one request, and of all of several. */
#include "mpi/face_wait.h"

/* ---- one -------------------------------------------------------------------------------------------------------- */

static int wait_check_one(const char *call, const MPI_Request *request)
{
    face_open(call);
    if (!request)
        return face_fail_null(call, NULL, "request");
    if (*request != MPI_REQUEST_NULL && !face_request_is_real(*request))
        return face_fail_request(call, "*request", *request);
    return MPI_SUCCESS;
}

/* The communicator of the request; NULL if there is none, or something is wrong. */
static inline face_comm *wait_comm(const face_rank *rank, const MPI_Request *request)
{
    return face_is_open(rank) && request ? face_request_comm(*request) : NULL;
}

/* A generalized request: completed by the engine, ended by the program's functions. */
static __attribute__((cold, noinline)) int wait_general(const char *call, face_rank *rank, MPI_Request *request,
                                                        int *flag, MPI_Status *status)
{
    cor_request *general = face_request_in(*request), *waited = general;
    int code = flag ? cor_test(rank->rank, &waited, flag, NULL) : cor_wait(rank->rank, &waited, NULL);
    *request = face_request_out(waited);
    if (code != COR_OK)
        return face_fail_engine(call, NULL, code, NULL);
    if (flag && !*flag)
        return MPI_SUCCESS;
    code = face_general_end(general, status);
    return code == MPI_SUCCESS ? MPI_SUCCESS
                               : face_fail_callback(call, NULL, code, "a function of a generalized request");
}

/* The program has freed the communicator. The engine frees a request that fails, and with it the communicator, before
 * the communicator's handler is called: it is referenced until then. */
static __attribute__((cold, noinline)) int wait_freed(const char *call, face_rank *rank, MPI_Request *request,
                                                      int *flag, MPI_Status *status)
{
    cor_status done = {.source = MPI_ANY_SOURCE};
    cor_comm *held = face_request_find(*request);
    cor_request *waited = face_request_in(*request);
    cor_comm_hold(held);
    int code = flag ? cor_test(rank->rank, &waited, flag, &done) : cor_wait(rank->rank, &waited, &done);
    *request = face_request_out(waited);
    int error = MPI_SUCCESS;
    if (code != COR_OK)
        error = wait_failed(call, cor_comm_face(held), code, &done, status);
    else if (!flag || *flag)
        face_status_out(status, &done);
    cor_comm_unref(held);
    return error;
}

static int wait_one(const char *call, MPI_Request *request, MPI_Status *status)
{
    face_rank *rank = face_get();
    face_comm *comm = wait_comm(rank, request);
    if (COR_UNLIKELY(!comm)) {
        int error = wait_check_one(call, request);
        if (error == MPI_SUCCESS)
            face_status_empty(status);
        return error;
    }
    if (COR_UNLIKELY(face_has_generals(rank)) && face_request_is_general(rank, *request))
        return wait_general(call, rank, request, NULL, status);
    if (COR_UNLIKELY(comm->kind == FACE_FREE))
        return wait_freed(call, rank, request, NULL, status);
    cor_status done = {.source = MPI_ANY_SOURCE};
    cor_request *waited = face_request_in(*request);
    int code = cor_wait(rank->rank, &waited, &done);
    *request = face_request_out(waited);
    if (COR_UNLIKELY(code != COR_OK))
        return wait_failed(call, comm, code, &done, status);
    face_status_out(status, &done);
    return MPI_SUCCESS;
}

FACE_API(Wait, wait_one)

static int wait_test(const char *call, MPI_Request *request, int *flag, MPI_Status *status)
{
    face_rank *rank = face_get();
    face_comm *comm = wait_comm(rank, request);
    if (COR_UNLIKELY(!flag || !comm)) {
        int error = wait_check_one(call, request);
        if (error == MPI_SUCCESS && !flag)
            error = face_fail_null(call, NULL, "flag");
        if (error == MPI_SUCCESS) {
            *flag = 1;
            face_status_empty(status);
        }
        return error;
    }
    if (COR_UNLIKELY(face_has_generals(rank)) && face_request_is_general(rank, *request))
        return wait_general(call, rank, request, flag, status);
    if (COR_UNLIKELY(comm->kind == FACE_FREE))
        return wait_freed(call, rank, request, flag, status);
    cor_status done = {.source = MPI_ANY_SOURCE};
    cor_request *tested = face_request_in(*request);
    int code = cor_test(rank->rank, &tested, flag, &done);
    *request = face_request_out(tested);
    if (COR_UNLIKELY(code != COR_OK))
        return wait_failed(call, comm, code, &done, status);
    if (*flag)
        face_status_out(status, &done);
    return MPI_SUCCESS;
}

FACE_API(Test, wait_test)

/* ---- all -------------------------------------------------------------------------------------------------------- */

/* No statuses are wanted, and all errors go to one handler: the engine waits for all at once. */
static int wait_all_ignored(wait_call *wait, int count, MPI_Request requests[])
{
    int code = cor_waitall(face_get()->rank, (size_t)count, wait_array_in(count, requests), NULL);
    wait_array_out(count, requests);
    if (COR_UNLIKELY(wait->generals.requests))
        wait_complete(wait, count, NULL, 0, NULL, MPI_STATUSES_IGNORE);
    return wait_finish(wait, code, NULL);
}

static int wait_all(const char *call, int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    wait_call wait;
    int error = wait_begin(&wait, call, count, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    int is_ignored = array_of_statuses == MPI_STATUSES_IGNORE;
    if (is_ignored && !wait.comms)
        return wait_all_ignored(&wait, count, array_of_requests);
    cor_rank *rank = face_get()->rank;
    cor_status done[WAIT_STACK];
    int code = COR_OK;
    for (int i = 0; i < count && code == COR_OK; i += WAIT_STACK) {
        int round = count - i < WAIT_STACK ? count - i : WAIT_STACK;
        MPI_Request *requests = &array_of_requests[i];
        code = cor_waitall(rank, (size_t)round, wait_array_in(round, requests), done);
        wait_array_out(round, requests);
        if (code == COR_OK)
            wait_complete(&wait, round, NULL, i, done, is_ignored ? MPI_STATUSES_IGNORE : &array_of_statuses[i]);
    }
    return wait_finish(&wait, code, array_of_statuses);
}

FACE_API(Waitall, wait_all)

static int wait_test_all(const char *call, int count, MPI_Request array_of_requests[], int *flag,
                         MPI_Status *array_of_statuses)
{
    wait_call wait;
    int error = wait_begin(&wait, call, count, array_of_requests);
    if (error != MPI_SUCCESS)
        return error;
    if (!flag)
        return wait_leave(&wait, face_fail_null(call, wait.comm, "flag"));
    cor_status stack[WAIT_STACK];
    cor_status *done = wait_room(count, stack);
    if (!done)
        return wait_leave(&wait, face_fail(call, wait.comm, MPI_ERR_NO_MEM, "no memory for %d statuses", count));
    int code = cor_testall(face_get()->rank, (size_t)count, wait_array_in(count, array_of_requests), flag, done);
    wait_array_out(count, array_of_requests);
    if (code == COR_OK && *flag)
        wait_complete(&wait, count, NULL, 0, done, array_of_statuses);
    wait_room_free(done, stack);
    return wait_finish(&wait, code, array_of_statuses);
}

FACE_API(Testall, wait_test_all)
