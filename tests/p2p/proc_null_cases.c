/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_PROC_NULL: every call returns at once, having done nothing. */
#include "suite.h"

static void null_check(const MPI_Status *status)
{
    CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

void case_null_calls(suite *s)
{
    int out = 5, in = -9;
    MPI_Status status;
    MPI_Request request;
    for (int mode = 0; mode < MODE_COUNT; mode++)
        suite_send(s, (suite_mode)mode, &out, sizeof out, MPI_PROC_NULL, 1);
    CHECK_OK(MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, s->comm, &status));
    null_check(&status);
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, s->comm, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    null_check(&status);
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 3, s->comm, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    null_check(&status);
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, MPI_PROC_NULL, 1, s->comm, &status));
    null_check(&status);
    CHECK_OK(MPI_Sendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, s->comm, &status));
    null_check(&status);
    CHECK_EQUAL(-9, in);
}

void case_null_probes(suite *s)
{
    int is_here = -1, in = -9;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    CHECK_OK(MPI_Probe(MPI_PROC_NULL, 1, s->comm, &status));
    null_check(&status);
    CHECK_OK(MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, s->comm, &is_here, &status));
    CHECK_EQUAL(1, is_here);
    null_check(&status);
    CHECK_OK(MPI_Mprobe(MPI_PROC_NULL, 1, s->comm, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    null_check(&status);
    CHECK_OK(MPI_Mrecv(&in, 1, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    null_check(&status);
    CHECK_OK(MPI_Improbe(MPI_PROC_NULL, 1, s->comm, &is_here, &message, &status));
    CHECK_EQUAL(1, is_here);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_OK(MPI_Imrecv(&in, 1, MPI_INT, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_OK(MPI_Wait(&request, &status));
    null_check(&status);
    CHECK_EQUAL(-9, in);
}
