/* SPDX-License-Identifier: Apache-2.0 */
/* The attached buffer: what does not fit is an error, what was sent is kept until it is gone. */
#include "suite.h"

#include <stdlib.h>

void case_buffered_overflow(suite *s)
{
    enum { BYTES = 1000 };
    char out[BYTES] = {0}, in[BYTES];
    int self = s->rank, room = BYTES + MPI_BSEND_OVERHEAD, detached_bytes = -1;
    void *attached = malloc((size_t)room), *detached = NULL;
    /* Nothing attached. */
    CHECK_EQUAL(MPI_ERR_BUFFER, suite_class(MPI_Bsend(out, BYTES, MPI_BYTE, self, 1, s->comm)));
    CHECK_OK(MPI_Buffer_attach(attached, room));
    /* Only one buffer at a time. */
    CHECK_EQUAL(MPI_ERR_BUFFER, suite_class(MPI_Buffer_attach(attached, room)));
    /* More than there is. */
    char *larger = calloc(1, 2 * BYTES + MPI_BSEND_OVERHEAD);
    CHECK_EQUAL(MPI_ERR_BUFFER,
                suite_class(MPI_Bsend(larger, 2 * BYTES + MPI_BSEND_OVERHEAD, MPI_BYTE, self, 1, s->comm)));
    free(larger);
    /* What fits still goes. */
    suite_fill(out, BYTES, s->seed);
    CHECK_OK(MPI_Bsend(out, BYTES, MPI_BYTE, self, 1, s->comm));
    suite_fill(out, BYTES, s->seed + 1);
    CHECK_OK(MPI_Recv(in, BYTES, MPI_BYTE, self, 1, s->comm, MPI_STATUS_IGNORE));
    CHECK_BYTES(in, BYTES, s->seed);
    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
    CHECK(detached == attached);
    CHECK_EQUAL(room, detached_bytes);
    free(attached);
}

/* A message larger than any eager limit leaves Bsend at once although no receive is posted; detach waits for it. */
void case_buffered_detach_waits(suite *s)
{
    size_t bytes = s->size > 16 ? 50000 : 1000000;
    int partner = s->rank ^ 1;
    if (partner >= s->size)
        return;
    char *buffer = suite_alloc(bytes);
    if (s->rank % 2 == 0) {
        size_t room = bytes + MPI_BSEND_OVERHEAD;
        void *attached = malloc(room), *detached = NULL;
        int detached_bytes = -1;
        CHECK_OK(MPI_Buffer_attach(attached, (int)room));
        suite_fill(buffer, bytes, s->seed);
        CHECK_OK(MPI_Bsend(buffer, (int)bytes, MPI_BYTE, partner, 1, s->comm));
        suite_fill(buffer, bytes, s->seed + 1);
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, partner, 2, s->comm));
        CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
        CHECK(detached == attached);
        /* Ours again: it is not read any more. */
        suite_fill(attached, room, s->seed + 2);
        free(attached);
    } else {
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, partner, 2, s->comm, MPI_STATUS_IGNORE));
        suite_sleep_ms(20);
        CHECK_OK(MPI_Recv(buffer, (int)bytes, MPI_BYTE, partner, 1, s->comm, MPI_STATUS_IGNORE));
        CHECK_BYTES(buffer, bytes, s->seed);
    }
    suite_free(buffer);
}

/* Room for four messages serves hundreds, because it is given back as they leave; Ibsend and Bsend in turn. */
void case_buffered_reuse(suite *s)
{
    enum { BYTES = 5000, ROOM = 4, ROUNDS = 200 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, detached_bytes = -1;
    int room = ROOM * (BYTES + MPI_BSEND_OVERHEAD);
    void *attached = malloc((size_t)room), *detached;
    char out[BYTES], in[BYTES];
    CHECK_OK(MPI_Buffer_attach(attached, room));
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[ROOM];
        for (int i = 0; i < ROOM; i++) {
            suite_fill(out, BYTES, suite_key(s, (uint64_t)s->rank, (uint64_t)round, (uint64_t)i, 0));
            requests[i] = MPI_REQUEST_NULL;
            if (i % 2)
                CHECK_OK(MPI_Ibsend(out, BYTES, MPI_BYTE, dest, i, s->comm, &requests[i]));
            else
                CHECK_OK(MPI_Bsend(out, BYTES, MPI_BYTE, dest, i, s->comm));
        }
        CHECK_OK(MPI_Waitall(ROOM, requests, MPI_STATUSES_IGNORE));
        for (int i = ROOM - 1; i >= 0; i--) {
            CHECK_OK(MPI_Recv(in, BYTES, MPI_BYTE, source, i, s->comm, MPI_STATUS_IGNORE));
            CHECK_BYTES(in, BYTES, suite_key(s, (uint64_t)source, (uint64_t)round, (uint64_t)i, 0));
        }
        suite_meet(s); /* all have received, so all buffers are free */
    }
    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
    CHECK_EQUAL(room, detached_bytes);
    free(attached);
}
