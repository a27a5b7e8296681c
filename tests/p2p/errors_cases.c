/* SPDX-License-Identifier: Apache-2.0 */
/* Error handlers and wrong arguments: told by class, and harmless to what comes after. */
#include "suite.h"

#include <string.h>

/* What the handler was told. A handler has no context of its own, but it is called by the thread that erred. */
static _Thread_local struct {
    int calls, code;
    MPI_Comm comm;
} errors_told;

static void errors_note(MPI_Comm *comm, int *code, ...)
{
    errors_told.calls++;
    errors_told.code = *code;
    errors_told.comm = *comm;
}

void case_errors_handler(suite *s)
{
    MPI_Errhandler mine, found;
    char text[MPI_MAX_ERROR_STRING];
    int length = -1, in = -1;
    CHECK_OK(MPI_Comm_create_errhandler(errors_note, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(s->comm, mine));
    CHECK_OK(MPI_Comm_get_errhandler(s->comm, &found));
    CHECK(found == mine);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_Errhandler_free(&mine));
    /* Freed, but still in use by the communicator. */
    errors_told.calls = 0;
    int code = MPI_Send(&in, 1, MPI_INT, s->size, 1, s->comm);
    CHECK_EQUAL(MPI_ERR_RANK, suite_class(code));
    CHECK_EQUAL(1, errors_told.calls);
    CHECK_EQUAL(MPI_ERR_RANK, suite_class(errors_told.code));
    CHECK(errors_told.comm == s->comm);
    CHECK_OK(MPI_Error_string(code, text, &length));
    CHECK_EQUAL((int)strlen(text), length);
    CHECK(length > 0);
    CHECK_OK(MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_get_errhandler(s->comm, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&found));
}

void case_errors_arguments(suite *s)
{
    int value = 3, self = s->rank, in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    const struct {
        int expected, code;
    } rows[] = {
        {MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, s->size, 1, s->comm)},
        {MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, s->comm)},
        {MPI_ERR_RANK, MPI_Recv(&value, 1, MPI_INT, s->size + 5, 1, s->comm, &status)},
        {MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, self, -5, s->comm)},
        {MPI_ERR_TAG, MPI_Isend(&value, 1, MPI_INT, self, MPI_ANY_TAG, s->comm, &request)},
        {MPI_ERR_TAG, MPI_Irecv(&value, 1, MPI_INT, self, -77, s->comm, &request)},
        {MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, self, 1, s->comm)},
        {MPI_ERR_COUNT, MPI_Recv(&value, -1, MPI_INT, self, 1, s->comm, &status)},
        {MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, self, 1, s->comm)},
        {MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, self, 1, s->comm)},
        {MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, self, 1, MPI_COMM_NULL)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (suite_class(rows[i].code) != rows[i].expected)
            CHECK_FAIL("wrong argument %zu: expected error class %d, got %d", i, rows[i].expected,
                       suite_class(rows[i].code));
    CHECK(request == MPI_REQUEST_NULL);
    /* Nothing of all that was sent. */
    CHECK_OK(MPI_Sendrecv(&value, 1, MPI_INT, self, 1, &in, 1, MPI_INT, self, 1, s->comm, &status));
    CHECK_EQUAL(3, in);
}
