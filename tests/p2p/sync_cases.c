/* SPDX-License-Identifier: Apache-2.0 */
/* A synchronous send is done only when its receive has been matched: not before, and a probe is no receive. */
#include "suite.h"

static void sync_expect_pending(MPI_Request *request)
{
    for (int i = 0; i < 300; i++) {
        int is_done = -1;
        CHECK_OK(MPI_Test(request, &is_done, MPI_STATUS_IGNORE));
        CHECK_EQUAL(0, is_done);
    }
}

/* In pairs: the even rank sends, looks, lets the other one probe, looks again, and lets it receive. */
static void sync_pair(const suite *s, size_t bytes, int is_persistent)
{
    enum { DATA = 1, GO = 2, PROBED = 3 };
    int partner = s->rank ^ 1;
    char *buffer = suite_alloc(bytes);
    MPI_Request request;
    MPI_Status status;
    if (partner < s->size && s->rank % 2 == 0) {
        suite_fill(buffer, bytes, s->seed);
        if (is_persistent) {
            CHECK_OK(MPI_Ssend_init(buffer, (int)bytes, MPI_BYTE, partner, DATA, s->comm, &request));
            CHECK_OK(MPI_Start(&request));
        } else {
            CHECK_OK(MPI_Issend(buffer, (int)bytes, MPI_BYTE, partner, DATA, s->comm, &request));
        }
        sync_expect_pending(&request);
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, partner, GO, s->comm));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, partner, PROBED, s->comm, MPI_STATUS_IGNORE));
        sync_expect_pending(&request);
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, partner, GO, s->comm));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (is_persistent)
            CHECK_OK(MPI_Request_free(&request));
    } else if (partner < s->size) {
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, partner, GO, s->comm, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Probe(partner, DATA, s->comm, &status));
        CHECK_STATUS(&status, partner, DATA, bytes);
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, partner, PROBED, s->comm));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, partner, GO, s->comm, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Recv(buffer, (int)bytes, MPI_BYTE, partner, DATA, s->comm, &status));
        CHECK_BYTES(buffer, bytes, s->seed);
    }
    suite_free(buffer);
}

void case_sync_waits(suite *s)
{
    static const size_t sizes[] = {0, 8, 100, 5000, 20000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int is_persistent = 0; is_persistent < 2; is_persistent++)
            sync_pair(s, sizes[i], is_persistent);
}

/* To itself: pending until the receive is posted. */
void case_sync_self(suite *s)
{
    int out = 5, in = -1;
    MPI_Request request;
    CHECK_OK(MPI_Issend(&out, 1, MPI_INT, s->rank, 1, s->comm, &request));
    sync_expect_pending(&request);
    CHECK_OK(MPI_Recv(&in, 1, MPI_INT, s->rank, 1, s->comm, MPI_STATUS_IGNORE));
    CHECK_EQUAL(5, in);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* A blocking one takes as long as its receiver, which sleeps first. */
void case_sync_blocks(suite *s)
{
    int partner = s->rank ^ 1, value = 3;
    suite_meet(s);
    if (partner >= s->size)
        return;
    if (s->rank % 2 == 0) {
        double begin = suite_seconds();
        CHECK_OK(MPI_Ssend(&value, 1, MPI_INT, partner, 1, s->comm));
        double took = suite_seconds() - begin, slept = 0;
        CHECK_OK(MPI_Recv(&slept, 1, MPI_DOUBLE, partner, 2, s->comm, MPI_STATUS_IGNORE));
        /* Both clocks are the host's: the send cannot have ended before the receiver woke. */
        if (begin + took < slept)
            CHECK_FAIL("Ssend ended %.6f s before its receive was posted", slept - begin - took);
    } else {
        suite_sleep_ms(30);
        double woke = suite_seconds();
        CHECK_OK(MPI_Recv(&value, 1, MPI_INT, partner, 1, s->comm, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Send(&woke, 1, MPI_DOUBLE, partner, 2, s->comm));
    }
}
