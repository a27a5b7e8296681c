/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C face tells of failures, on one and more ranks that are threads of this process: truncation, several errors
 * at once, error handlers.
 */
#include "check.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Does the last error of this class say so? */
static int says(int error_class, const char *fragment)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(error_class, text, &length);
    if (strstr(text, fragment))
        return 1;
    fprintf(stderr, "class %d says \"%s\", not \"%s\"\n", error_class, text, fragment);
    return 0;
}

/* ---- errors of requests ----------------------------------------------------------------------------------------- */

static void test_truncation(void)
{
    int sent[25] = {1}, received[20], count;
    MPI_Status status;
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Request request;
    MPI_Isend(sent, 25, MPI_INT, 0, 5, self, &request);
    CHECK(MPI_Recv(received, 20, MPI_INT, 0, 5, self, &status) == MPI_ERR_TRUNCATE);
    CHECK(says(MPI_ERR_TRUNCATE, "MPI_Recv: message of 100 bytes from rank 0 with tag 5 is longer than the receive "
                                 "buffer of 80 bytes"));
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 5);
    CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 20);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm_free(&self);
}

/* Three receives of which the middle one is too short. */
static void test_error_in_status(void)
{
    int sent[4] = {1, 2, 3, 4}, received[3][4], flag = 0, indices[3], count;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(received[i], i == 1 ? 3 : 4, MPI_INT, 0, i, self, &requests[i]);
        requests[3] = MPI_REQUEST_NULL;
        for (int i = 0; i < 3; i++)
            MPI_Send(sent, 4, MPI_INT, 0, i, self);
        memset(statuses, 0xff, sizeof statuses);
        if (round == 0)
            CHECK(MPI_Waitall(4, requests, statuses) == MPI_ERR_IN_STATUS);
        if (round == 1) {
            int code = MPI_SUCCESS;
            while (!flag && code == MPI_SUCCESS)
                code = MPI_Testall(4, requests, &flag, statuses);
            CHECK(code == MPI_ERR_IN_STATUS && flag);
        }
        if (round == 2)
            CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE) == MPI_ERR_TRUNCATE);
        if (round == 3) {
            int failed = 0, done = 0;
            while (done < 3) {
                int code = MPI_Waitsome(4, requests, &count, indices, statuses);
                CHECK(code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS);
                for (int i = 0; i < count; i++)
                    failed += statuses[i].MPI_ERROR == MPI_ERR_TRUNCATE && indices[i] == 1;
                done += count;
            }
            CHECK(failed == 1);
        }
        if (round < 2) {
            CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[2].MPI_ERROR == MPI_SUCCESS);
            CHECK(statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE && statuses[1].MPI_TAG == 1);
            CHECK(statuses[3].MPI_ERROR == MPI_SUCCESS && statuses[3].MPI_SOURCE == MPI_ANY_SOURCE);
            CHECK(says(MPI_ERR_IN_STATUS, "array_of_statuses[1] has an error: message of 16 bytes from rank 0 with "
                                          "tag 1 is longer than the receive buffer of 12 bytes"));
        }
        for (int i = 0; i < 4; i++)
            CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    MPI_Comm_free(&self);
}

/* More requests than statuses fit on the library's stack. */
static void test_many_requests(void)
{
    enum { MANY = 300 };
    MPI_Request *requests = malloc(2 * MANY * sizeof *requests);
    MPI_Status *statuses = malloc(2 * MANY * sizeof *statuses);
    int *values = malloc(2 * MANY * sizeof *values), *indices = malloc(2 * MANY * sizeof *indices);
    int rank, flag, count, done = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            values[i] = -1;
            values[MANY + i] = i;
            MPI_Irecv(&values[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < MANY; i++)
            MPI_Isend(&values[MANY + i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[MANY + i]);
        if (round == 0) {
            CHECK_OK(MPI_Waitall(2 * MANY, requests, statuses));
            for (int i = 0; i < MANY; i++)
                CHECK(statuses[i].MPI_TAG == i && statuses[i].MPI_ERROR == MPI_SUCCESS);
        } else {
            while (MPI_Testsome(2 * MANY, requests, &count, indices, statuses) == MPI_SUCCESS &&
                   count != MPI_UNDEFINED)
                done += count;
            CHECK(done == 2 * MANY);
        }
        CHECK(MPI_Testall(2 * MANY, requests, &flag, statuses) == MPI_SUCCESS && flag);
        for (int i = 0; i < MANY; i++)
            CHECK(values[i] == i && requests[i] == MPI_REQUEST_NULL);
    }
    free(requests);
    free(statuses);
    free(values);
    free(indices);
}

static void test_request_looks(void)
{
    int sent = 3, received[2] = {0, 0}, flag, index, count, indices[2];
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    MPI_Irecv(&received[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(&received[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
    CHECK(MPI_Request_get_status_any(2, requests, &index, &flag, &status) == MPI_SUCCESS && !flag);
    CHECK(MPI_Request_get_status_some(2, requests, &count, indices, statuses) == MPI_SUCCESS && count == 0);
    MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
    do
        CHECK_OK(MPI_Request_get_status(requests[1], &flag, &status));
    while (!flag);
    CHECK(status.MPI_TAG == 2 && received[1] == 3);
    CHECK(MPI_Request_get_status_any(2, requests, &index, &flag, &status) == MPI_SUCCESS && flag && index == 1);
    CHECK(MPI_Request_get_status_some(2, requests, &count, indices, statuses) == MPI_SUCCESS && count == 1);
    CHECK(indices[0] == 1 && statuses[0].MPI_TAG == 2);
    CHECK(MPI_Request_get_status_all(2, requests, &flag, statuses) == MPI_SUCCESS && !flag);
    MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(MPI_Request_get_status_all(2, requests, &flag, statuses) == MPI_SUCCESS && flag);
    CHECK(MPI_Request_get_status_some(2, requests, &count, indices, statuses) == MPI_SUCCESS &&
          count == MPI_UNDEFINED);
}

/* ---- error handlers --------------------------------------------------------------------------------------------- */

/* Ranks are threads, so what a handler saw is noted per thread. */
static _Thread_local MPI_Comm handled_comm;
static _Thread_local int handled_code, handled_count;

static void note_error(MPI_Comm *comm, int *code, ...)
{
    handled_comm = *comm;
    handled_code = *code;
    handled_count++;
}

static void test_handlers(void)
{
    MPI_Errhandler handler, found;
    MPI_Comm first, second;
    int x = 0;
    handled_count = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    CHECK_OK(MPI_Comm_create_errhandler(note_error, &handler));
    CHECK_OK(MPI_Comm_set_errhandler(first, handler));
    CHECK(MPI_Comm_get_errhandler(first, &found) == MPI_SUCCESS && found == handler);
    CHECK(MPI_Errhandler_free(&found) == MPI_SUCCESS && found == MPI_ERRHANDLER_NULL);
    /* The handle may go; the communicator keeps the handler and hands it on. */
    CHECK_OK(MPI_Errhandler_free(&handler));
    MPI_Comm_dup(first, &second);
    CHECK(MPI_Send(&x, 1, MPI_INT, 1000, 0, second) == MPI_ERR_RANK);
    CHECK(handled_count == 1 && handled_code == MPI_ERR_RANK && handled_comm == second);
    CHECK_OK(MPI_Comm_call_errhandler(first, MPI_ERR_TOPOLOGY));
    CHECK(handled_count == 2 && handled_code == MPI_ERR_TOPOLOGY && handled_comm == first);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    CHECK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found) == MPI_SUCCESS && found == MPI_ERRORS_ARE_FATAL);
}

/* What belongs to no communicator goes to MPI_COMM_SELF; to MPI_COMM_WORLD while only that one was given a handler. */
static void test_handlers_of_no_comm(void)
{
    MPI_Errhandler handler;
    MPI_Comm none = MPI_COMM_NULL;
    int size;
    handled_count = 0;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    CHECK(MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_ERR_COMM);
    CHECK(handled_count == 1 && handled_code == MPI_ERR_COMM && handled_comm == MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_free(&none) == MPI_ERR_COMM && MPI_Type_size(MPI_DATATYPE_NULL, &size) == MPI_ERR_TYPE);
    CHECK(handled_count == 1);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    CHECK(MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_ERR_COMM);
    CHECK(handled_count == 2 && handled_comm == MPI_COMM_SELF);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static int body(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    test_truncation();
    test_error_in_status();
    test_many_requests();
    test_request_looks();
    test_handlers();
    test_handlers_of_no_comm();
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 2, 5, 64};
    for (int i = 0; i < 4; i++)
        CHECK(corunna_threads_run(sizes[i], body, argc, argv) == 0);
    puts("face_failures: passed");
    return 0;
}
