/* SPDX-License-Identifier: Apache-2.0 */
/* A rank that sends to itself, in all the ways that need no second thread. */
#include "suite.h"

#include <stdlib.h>

void case_self_modes(suite *s)
{
    size_t count, largest = s->size > 4 ? 65537 : 1048579;
    const size_t *sizes = suite_sizes(largest, &count);
    size_t room = largest + MPI_BSEND_OVERHEAD;
    void *attached = malloc(room), *detached;
    int detached_bytes;
    CHECK_OK(MPI_Buffer_attach(attached, (int)room));
    for (size_t i = 0; i < count; i++)
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            size_t bytes = sizes[i];
            uint64_t key = suite_key(s, (uint64_t)s->rank, i, (uint64_t)mode, 0);
            char *out = suite_alloc(bytes), *in = suite_alloc(bytes);
            MPI_Request request;
            MPI_Status status;
            suite_fill(out, bytes, key);
            CHECK_OK(MPI_Irecv(in, (int)bytes, MPI_BYTE, s->rank, 1, s->comm, &request));
            suite_send(s, (suite_mode)mode, out, bytes, s->rank, 1);
            CHECK_OK(MPI_Wait(&request, &status));
            CHECK_STATUS(&status, s->rank, 1, bytes);
            CHECK_BYTES(in, bytes, key);
            suite_free(out);
            suite_free(in);
        }
    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
    free(attached);
}

/* Sends first, receives afterwards, in MPI_COMM_SELF too. */
void case_self_order(suite *s)
{
    enum { COUNT = 200 };
    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm comm = turn ? MPI_COMM_SELF : s->comm;
        int self = turn ? 0 : s->rank, numbers[COUNT];
        MPI_Request requests[COUNT];
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = i;
            CHECK_OK((i % 3 ? MPI_Isend : MPI_Issend)(&numbers[i], 1, MPI_INT, self, i % 2, comm, &requests[i]));
        }
        for (int tag = 1; tag >= 0; tag--)
            for (int i = tag; i < COUNT; i += 2) {
                int got = -1;
                MPI_Status status;
                CHECK_OK(MPI_Recv(&got, 1, MPI_INT, i % 4 < 2 ? self : MPI_ANY_SOURCE, tag, comm, &status));
                CHECK_STATUS(&status, self, tag, sizeof got);
                CHECK_EQUAL(i, got);
            }
        CHECK_OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
    }
}

void case_self_probe(suite *s)
{
    enum { BYTES = 100000 };
    for (int is_large = 0; is_large < 2; is_large++) {
        size_t bytes = is_large ? BYTES : 12;
        char *out = suite_alloc(bytes), *in = suite_alloc(bytes);
        int is_here = -1;
        MPI_Request request;
        MPI_Message message;
        MPI_Status status;
        suite_fill(out, bytes, s->seed);
        CHECK_OK(MPI_Iprobe(s->rank, 6, s->comm, &is_here, MPI_STATUS_IGNORE));
        CHECK_EQUAL(0, is_here);
        CHECK_OK(MPI_Isend(out, (int)bytes, MPI_BYTE, s->rank, 6, s->comm, &request));
        CHECK_OK(MPI_Probe(s->rank, 6, s->comm, &status));
        CHECK_STATUS(&status, s->rank, 6, bytes);
        CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &message, &status));
        CHECK_STATUS(&status, s->rank, 6, bytes);
        CHECK_OK(MPI_Mrecv(in, (int)bytes, MPI_BYTE, &message, &status));
        CHECK(message == MPI_MESSAGE_NULL);
        CHECK_BYTES(in, bytes, s->seed);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        suite_free(out);
        suite_free(in);
    }
}
