/* SPDX-License-Identifier: Apache-2.0 */
/* Probes tell what a receive would get; matched probes take it out. */
#include "suite.h"

#include <stdlib.h>

static const size_t probe_sizes[] = {0, 8, 64, 5000, 20000, 300000};
enum { PROBE_SIZES = sizeof probe_sizes / sizeof probe_sizes[0] };

static void probe_receive_and_check(const suite *s, int source, int tag, size_t bytes, uint64_t key)
{
    char *in = suite_alloc(bytes);
    MPI_Status status;
    CHECK_OK(MPI_Recv(in, (int)bytes, MPI_BYTE, source, tag, s->comm, &status));
    CHECK_STATUS(&status, source, tag, bytes);
    CHECK_BYTES(in, bytes, key);
    suite_free(in);
}

static void probe_send_all(const suite *s, int dest, MPI_Request *requests, void **out)
{
    for (int i = 0; i < PROBE_SIZES; i++) {
        out[i] = suite_alloc(probe_sizes[i]);
        suite_fill(out[i], probe_sizes[i], suite_key(s, (uint64_t)s->rank, (uint64_t)i, 0, 0));
        CHECK_OK(MPI_Isend(out[i], (int)probe_sizes[i], MPI_BYTE, dest, i, s->comm, &requests[i]));
    }
}

static void probe_end(MPI_Request *requests, void **out)
{
    CHECK_OK(MPI_Waitall(PROBE_SIZES, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < PROBE_SIZES; i++)
        suite_free(out[i]);
}

void case_probe_blocking(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Request requests[PROBE_SIZES];
    void *out[PROBE_SIZES];
    probe_send_all(s, dest, requests, out);
    for (int i = PROBE_SIZES - 1; i >= 0; i--) {
        MPI_Status status;
        for (int again = 0; again < 2; again++) { /* a probe leaves the message where it is */
            CHECK_OK(MPI_Probe(source, i, s->comm, &status));
            CHECK_STATUS(&status, source, i, probe_sizes[i]);
        }
        probe_receive_and_check(s, source, i, probe_sizes[i], suite_key(s, (uint64_t)source, (uint64_t)i, 0, 0));
    }
    probe_end(requests, out);
}

void case_probe_polling(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, is_here = -1;
    MPI_Request requests[PROBE_SIZES];
    MPI_Status status;
    void *out[PROBE_SIZES];
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &is_here, &status));
    CHECK_EQUAL(0, is_here);
    suite_meet(s);
    probe_send_all(s, dest, requests, out);
    for (int i = 0; i < PROBE_SIZES; i++) {
        CHECK_OK(MPI_Iprobe(source, 1000 + i, s->comm, &is_here, &status));
        CHECK_EQUAL(0, is_here);
        do
            CHECK_OK(MPI_Iprobe(i % 2 ? source : MPI_ANY_SOURCE, i, s->comm, &is_here, &status));
        while (!is_here);
        CHECK_STATUS(&status, source, i, probe_sizes[i]);
        probe_receive_and_check(s, source, i, probe_sizes[i], suite_key(s, (uint64_t)source, (uint64_t)i, 0, 0));
    }
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &is_here, &status));
    CHECK_EQUAL(0, is_here);
    probe_end(requests, out);
}

/* Rank 0 probes for any source and receives exactly what the probe returned. */
void case_probe_wildcards(suite *s)
{
    enum { COUNT = 50 };
    if (s->rank != 0) {
        for (int i = 0; i < COUNT; i++) {
            size_t bytes = (size_t)(s->rank * 7 + i) * 13 % 3000;
            char *out = suite_alloc(bytes);
            suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, (uint64_t)i, 0, 0));
            CHECK_OK(MPI_Send(out, (int)bytes, MPI_BYTE, 0, i, s->comm));
            suite_free(out);
        }
        return;
    }
    for (int i = 0; i < COUNT * (s->size - 1); i++) {
        MPI_Status status;
        int bytes = -1;
        CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &status));
        CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &bytes));
        CHECK_EQUAL((status.MPI_SOURCE * 7 + status.MPI_TAG) * 13 % 3000, bytes);
        probe_receive_and_check(s, status.MPI_SOURCE, status.MPI_TAG, (size_t)bytes,
                                suite_key(s, (uint64_t)status.MPI_SOURCE, (uint64_t)status.MPI_TAG, 0, 0));
    }
}

/* What a matched probe took is invisible to other receives, and is received later, in another order. */
void case_probe_matched(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, is_here = -1;
    MPI_Request requests[PROBE_SIZES];
    MPI_Message messages[PROBE_SIZES];
    MPI_Status status;
    void *out[PROBE_SIZES];
    probe_send_all(s, dest, requests, out);
    for (int i = 0; i < PROBE_SIZES; i++) {
        CHECK_OK(MPI_Mprobe(i % 2 ? MPI_ANY_SOURCE : source, i % 3 ? i : MPI_ANY_TAG, s->comm, &messages[i], &status));
        CHECK_STATUS(&status, source, i, probe_sizes[i]);
        CHECK(messages[i] != MPI_MESSAGE_NULL && messages[i] != MPI_MESSAGE_NO_PROC);
    }
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &is_here, &status));
    CHECK_EQUAL(0, is_here);
    for (int i = PROBE_SIZES - 1; i >= 0; i--) {
        char *in = suite_alloc(probe_sizes[i]);
        if (i % 2) {
            CHECK_OK(MPI_Mrecv(in, (int)probe_sizes[i], MPI_BYTE, &messages[i], &status));
        } else {
            MPI_Request request;
            CHECK_OK(MPI_Imrecv(in, (int)probe_sizes[i], MPI_BYTE, &messages[i], &request));
            CHECK_OK(MPI_Wait(&request, &status));
        }
        CHECK(messages[i] == MPI_MESSAGE_NULL);
        CHECK_STATUS(&status, source, i, probe_sizes[i]);
        CHECK_BYTES(in, probe_sizes[i], suite_key(s, (uint64_t)source, (uint64_t)i, 0, 0));
        suite_free(in);
    }
    probe_end(requests, out);
}

/* Improbe: nothing, then the first of two of the same envelope; a plain receive gets the second. */
void case_probe_matched_polling(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, is_here = -1;
    int out[2] = {10, 20}, in = -1;
    MPI_Request requests[2], request;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    CHECK_OK(MPI_Improbe(source, 1, s->comm, &is_here, &message, &status));
    CHECK_EQUAL(0, is_here);
    suite_meet(s);
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Isend(&out[i], 1, MPI_INT, dest, 1, s->comm, &requests[i]));
    do
        CHECK_OK(MPI_Improbe(source, 1, s->comm, &is_here, &message, &status));
    while (!is_here);
    CHECK_STATUS(&status, source, 1, sizeof in);
    CHECK_OK(MPI_Recv(&in, 1, MPI_INT, source, 1, s->comm, MPI_STATUS_IGNORE));
    CHECK_EQUAL(20, in);
    CHECK_OK(MPI_Imrecv(&in, 1, MPI_INT, &message, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(10, in);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

/* A matched message can be received after its communicator was freed, and the communicator's context is not used again
 * before that. */
void case_probe_matched_outlives(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < 10; i++) {
        MPI_Comm dup, next;
        MPI_Message message;
        MPI_Status status;
        MPI_Request request;
        int out = 1000 * s->rank + i, in = -1;
        CHECK_OK(MPI_Comm_dup(s->comm, &dup));
        CHECK_OK(MPI_Isend(&out, 1, MPI_INT, dest, i, dup, &request));
        CHECK_OK(MPI_Mprobe(source, i, dup, &message, &status));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Comm_free(&dup));
        CHECK_OK(MPI_Comm_dup(s->comm, &next));
        if (i % 2) {
            CHECK_OK(MPI_Imrecv(&in, 1, MPI_INT, &message, &request));
            CHECK_OK(MPI_Wait(&request, &status));
        } else {
            CHECK_OK(MPI_Mrecv(&in, 1, MPI_INT, &message, &status));
        }
        CHECK_STATUS(&status, source, i, sizeof in);
        CHECK_EQUAL(1000 * source + i, in);
        CHECK_OK(MPI_Comm_free(&next));
    }
}

/* A message for which a receive was posted is not there for a probe, also where the library beneath holds receives back
 * for lack of room. */
void case_probe_posted(suite *s)
{
    enum { COUNT = 40, LAST = COUNT - 1, MARK = COUNT };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, is_here = 0;
    int in[COUNT], out[COUNT + 1];
    MPI_Request requests[COUNT], sends[COUNT + 1];
    MPI_Message message;
    MPI_Status status;
    for (int i = 0; i < COUNT; i++)
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, source, i, s->comm, &requests[i]));
    for (int i = 0; i <= COUNT; i++)
        out[i] = s->rank * 100 + i;
    for (int i = LAST; i <= MARK; i++)
        CHECK_OK(MPI_Isend(&out[i], 1, MPI_INT, dest, i, s->comm, &sends[i]));
    while (!is_here)
        CHECK_OK(MPI_Iprobe(source, MARK, s->comm, &is_here, &status));
    CHECK_OK(MPI_Iprobe(source, LAST, s->comm, &is_here, &status));
    CHECK_EQUAL(0, is_here);
    CHECK_OK(MPI_Improbe(MPI_ANY_SOURCE, LAST, s->comm, &is_here, &message, &status));
    CHECK_EQUAL(0, is_here);
    for (int i = 0; i < LAST; i++)
        CHECK_OK(MPI_Isend(&out[i], 1, MPI_INT, dest, i, s->comm, &sends[i]));
    CHECK_OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(source * 100 + i, in[i]);
    CHECK_OK(MPI_Recv(&in[0], 1, MPI_INT, source, MARK, s->comm, &status));
    CHECK_EQUAL(source * 100 + MARK, in[0]);
    CHECK_OK(MPI_Waitall(COUNT + 1, sends, MPI_STATUSES_IGNORE));
}

/* Synchronous messages go round, and are looked for before they are received, the last one first. */
void case_probe_crossed(suite *s)
{
    enum { COUNT = 40 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    int in, out[COUNT];
    MPI_Request sends[COUNT];
    MPI_Message message;
    MPI_Status status;
    for (int i = 0; i < COUNT; i++) {
        out[i] = s->rank * 100 + i;
        CHECK_OK(MPI_Issend(&out[i], 1, MPI_INT, dest, i, s->comm, &sends[i]));
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        int is_here = 0, is_taken = i % 2;
        while (!is_here)
            if (is_taken)
                CHECK_OK(MPI_Improbe(source, i, s->comm, &is_here, &message, &status));
            else
                CHECK_OK(MPI_Iprobe(source, i, s->comm, &is_here, &status));
        if (is_taken)
            CHECK_OK(MPI_Mrecv(&in, 1, MPI_INT, &message, &status));
        else
            CHECK_OK(MPI_Recv(&in, 1, MPI_INT, source, i, s->comm, &status));
        CHECK_EQUAL(source * 100 + i, in);
    }
    CHECK_OK(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE));
}
