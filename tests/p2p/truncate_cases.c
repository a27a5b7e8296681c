/* SPDX-License-Identifier: Apache-2.0 */
/* A message longer than its receive buffer: an error at the receiver, no byte behind the buffer, and nothing else. */
#include "suite.h"

#include <string.h>

typedef struct truncate_shape {
    size_t sent, room;
} truncate_shape;

/* Tiny, several packets, rendezvous; into nothing, into part. */
static const truncate_shape shapes[] = {{1, 0},       {64, 16},      {33, 32},       {1000, 999},   {8192, 0},
                                        {9000, 8000}, {70000, 1000}, {70000, 69999}, {300000, 100}, {300000, 299999}};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static void truncate_check(int code, const MPI_Status *status, int source, int tag, const char *in)
{
    CHECK_EQUAL(MPI_ERR_TRUNCATE, suite_class(code));
    CHECK_EQUAL(source, status->MPI_SOURCE);
    CHECK_EQUAL(tag, status->MPI_TAG);
    CHECK_CANARIES(in);
}

/* The next message of the pair is whole. */
static void truncate_after(const suite *s, int dest, int source)
{
    int out = s->rank + 17, in = -1;
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, dest, 77, &in, 1, MPI_INT, source, 77, s->comm, MPI_STATUS_IGNORE));
    CHECK_EQUAL(source + 17, in);
}

static void truncate_run(suite *s, int is_posted, int is_sync)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < SHAPE_COUNT; i++) {
        char *out = suite_alloc(shapes[i].sent), *in = suite_alloc(shapes[i].room);
        MPI_Request receive, send;
        MPI_Status status;
        suite_fill(out, shapes[i].sent, suite_key(s, (uint64_t)s->rank, (uint64_t)i, 0, 0));
        if (is_posted)
            CHECK_OK(MPI_Irecv(in, (int)shapes[i].room, MPI_BYTE, source, i, s->comm, &receive));
        if (is_posted)
            suite_meet(s);
        CHECK_OK((is_sync ? MPI_Issend : MPI_Isend)(out, (int)shapes[i].sent, MPI_BYTE, dest, i, s->comm, &send));
        int code;
        if (is_posted) {
            code = MPI_Wait(&receive, &status);
        } else {
            suite_meet(s);
            code = MPI_Recv(in, (int)shapes[i].room, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : source, i, s->comm, &status);
        }
        truncate_check(code, &status, source, i, in);
        CHECK_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        truncate_after(s, dest, source);
        suite_free(out);
        suite_free(in);
    }
}

void case_truncate_posted(suite *s)
{
    truncate_run(s, 1, 0);
    truncate_run(s, 1, 1);
}

void case_truncate_unexpected(suite *s)
{
    truncate_run(s, 0, 0);
    truncate_run(s, 0, 1);
}

/* One bad request among good ones: MPI_ERR_IN_STATUS, and each status tells its own. */
void case_truncate_in_waitall(suite *s)
{
    enum { COUNT = 5, BAD = 2 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < SHAPE_COUNT; i++) {
        size_t bytes = shapes[i].sent, room = shapes[i].room;
        char *out = suite_alloc(bytes), *in[COUNT];
        MPI_Request requests[2 * COUNT];
        MPI_Status statuses[2 * COUNT];
        suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, (uint64_t)i, 0, 0));
        for (int k = 0; k < COUNT; k++) {
            in[k] = suite_alloc(k == BAD ? room : bytes);
            CHECK_OK(MPI_Irecv(in[k], (int)(k == BAD ? room : bytes), MPI_BYTE, source, k, s->comm, &requests[k]));
        }
        for (int k = 0; k < COUNT; k++)
            CHECK_OK(MPI_Isend(out, (int)bytes, MPI_BYTE, dest, k, s->comm, &requests[COUNT + k]));
        CHECK_EQUAL(MPI_ERR_IN_STATUS, suite_class(MPI_Waitall(2 * COUNT, requests, statuses)));
        for (int k = 0; k < 2 * COUNT; k++) {
            int class = suite_class(statuses[k].MPI_ERROR);
            if (k != BAD && class == MPI_ERR_PENDING) /* neither failed nor done, says the standard: still active */
                class = suite_class(MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
            CHECK_EQUAL(k == BAD ? MPI_ERR_TRUNCATE : MPI_SUCCESS, class);
            CHECK(requests[k] == MPI_REQUEST_NULL);
        }
        for (int k = 0; k < COUNT; k++) {
            if (k != BAD)
                CHECK_BYTES(in[k], bytes, suite_key(s, (uint64_t)source, (uint64_t)i, 0, 0));
            suite_free(in[k]);
        }
        suite_free(out);
    }
}

/* A message taken out by a matched probe and received into too little room. */
void case_truncate_matched(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < SHAPE_COUNT; i++) {
        char *out = suite_alloc(shapes[i].sent), *in = suite_alloc(shapes[i].room);
        MPI_Request send;
        MPI_Message message;
        MPI_Status status;
        memset(out, i, shapes[i].sent);
        CHECK_OK(MPI_Isend(out, (int)shapes[i].sent, MPI_BYTE, dest, i, s->comm, &send));
        CHECK_OK(MPI_Mprobe(source, i, s->comm, &message, &status));
        CHECK_STATUS(&status, source, i, shapes[i].sent);
        int code = MPI_Mrecv(in, (int)shapes[i].room, MPI_BYTE, &message, &status);
        truncate_check(code, &status, source, i, in);
        CHECK_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        truncate_after(s, dest, source);
        suite_free(out);
        suite_free(in);
    }
}
