/* MPI_PROC_NULL: every call returns at once, having done nothing. */
#include "suite.h"

static void null_check(const suite *s, const MPI_Status *status)
{
    EXPECT_STATUS(s, status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

void case_null_calls(suite *s)
{
    int out = 5, in = -9;
    MPI_Status status;
    MPI_Request request;
    for (int mode = 0; mode < MODE_COUNT; mode++)
        suite_send(s, (suite_mode)mode, &out, sizeof out, MPI_PROC_NULL, 1);
    OK(s, MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, s->comm, &status));
    null_check(s, &status);
    OK(s, MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, s->comm, &request));
    OK(s, MPI_Wait(&request, &status));
    null_check(s, &status);
    OK(s, MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 3, s->comm, &request));
    OK(s, MPI_Start(&request));
    OK(s, MPI_Wait(&request, &status));
    null_check(s, &status);
    OK(s, MPI_Request_free(&request));
    OK(s, MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, MPI_PROC_NULL, 1, s->comm, &status));
    null_check(s, &status);
    OK(s, MPI_Sendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, s->comm, &status));
    null_check(s, &status);
    EXPECT(s, -9, in);
}

void case_null_probes(suite *s)
{
    int is_here = -1, in = -9;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    OK(s, MPI_Probe(MPI_PROC_NULL, 1, s->comm, &status));
    null_check(s, &status);
    OK(s, MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, s->comm, &is_here, &status));
    EXPECT(s, 1, is_here);
    null_check(s, &status);
    OK(s, MPI_Mprobe(MPI_PROC_NULL, 1, s->comm, &message, &status));
    EXPECT(s, 1, message == MPI_MESSAGE_NO_PROC);
    null_check(s, &status);
    OK(s, MPI_Mrecv(&in, 1, MPI_INT, &message, &status));
    EXPECT(s, 1, message == MPI_MESSAGE_NULL);
    null_check(s, &status);
    OK(s, MPI_Improbe(MPI_PROC_NULL, 1, s->comm, &is_here, &message, &status));
    EXPECT(s, 1, is_here);
    EXPECT(s, 1, message == MPI_MESSAGE_NO_PROC);
    OK(s, MPI_Imrecv(&in, 1, MPI_INT, &message, &request));
    EXPECT(s, 1, message == MPI_MESSAGE_NULL);
    OK(s, MPI_Wait(&request, &status));
    null_check(s, &status);
    EXPECT(s, -9, in);
}
