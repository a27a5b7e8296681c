/* SPDX-License-Identifier: Apache-2.0 */
/* Every size around every threshold, in every mode, with contents that tell. Each rank sends to the next one. */
#include "suite.h"

#include <stdlib.h>

static size_t sizes_largest(const suite *s)
{
    return s->size > 16 ? 16385 : s->size > 4 ? 262145 : 1048579;
}

static void *sizes_attach(size_t bytes)
{
    size_t room = bytes + MPI_BSEND_OVERHEAD;
    void *attached = malloc(room);
    if (!attached)
        CHECK_FAIL("no memory for %zu bytes", room);
    CHECK_OK(MPI_Buffer_attach(attached, (int)room));
    return attached;
}

static void sizes_detach(void *attached)
{
    void *detached = NULL;
    int bytes = -1;
    CHECK_OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == attached);
    free(attached);
}

/* One message to the next rank in this mode, into a receive that is posted before. */
static void sizes_shift_posted(const suite *s, suite_mode mode, size_t bytes)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, tag = (int)mode;
    void *attached = suite_mode_is_buffered(mode) ? sizes_attach(bytes) : NULL;
    char *out = suite_alloc(bytes), *in = suite_alloc(bytes);
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Irecv(in, (int)bytes, MPI_BYTE, source, tag, s->comm, &request));
    if (suite_mode_is_ready(mode))
        suite_meet(s);
    suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, bytes, mode, 0));
    suite_send(s, mode, out, bytes, dest, tag);
    /* The buffer is the sender's again: what it writes there must not be seen any more. */
    suite_fill(out, bytes, suite_key(s, 0, 0, 0, 99));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_STATUS(&status, source, tag, bytes);
    CHECK_BYTES(in, bytes, suite_key(s, (uint64_t)source, bytes, mode, 0));
    if (attached)
        sizes_detach(attached);
    suite_free(out);
    suite_free(in);
}

void case_sizes_posted(suite *s)
{
    size_t count;
    const size_t *sizes = suite_sizes(sizes_largest(s), &count);
    for (size_t i = 0; i < count; i++)
        for (int mode = 0; mode < MODE_COUNT; mode++)
            sizes_shift_posted(s, (suite_mode)mode, sizes[i]);
}

/* All messages arrive before their receives are posted, and are received last size first. */
void case_sizes_unexpected(suite *s)
{
    size_t count;
    const size_t *sizes = suite_sizes(sizes_largest(s), &count);
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Request *requests = malloc(2 * count * sizeof *requests);
    void **out = malloc(2 * count * sizeof *out);
    for (size_t i = 0; i < 2 * count; i++) {
        size_t bytes = sizes[i / 2];
        out[i] = suite_alloc(bytes);
        suite_fill(out[i], bytes, suite_key(s, (uint64_t)s->rank, i, 0, 0));
        CHECK_OK((i % 2 ? MPI_Issend : MPI_Isend)(out[i], (int)bytes, MPI_BYTE, dest, (int)i, s->comm, &requests[i]));
    }
    suite_meet(s);
    for (size_t i = 2 * count; i-- > 0;) {
        size_t bytes = sizes[i / 2];
        char *in = suite_alloc(bytes);
        MPI_Status status;
        CHECK_OK(MPI_Recv(in, (int)bytes, MPI_BYTE, source, (int)i, s->comm, &status));
        CHECK_STATUS(&status, source, (int)i, bytes);
        CHECK_BYTES(in, bytes, suite_key(s, (uint64_t)source, i, 0, 0));
        suite_free(in);
    }
    CHECK_OK(MPI_Waitall((int)(2 * count), requests, MPI_STATUSES_IGNORE));
    for (size_t i = 0; i < 2 * count; i++)
        suite_free(out[i]);
    free(out);
    free(requests);
}

/* Counts in elements: predefined and contiguous types, and a receive buffer larger than the message. */
void case_sizes_typed(suite *s)
{
    enum { COUNT = 777 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, count = -1;
    double out[3 * COUNT], in[3 * COUNT + 3];
    MPI_Datatype triple;
    MPI_Status status;
    for (int i = 0; i < 3 * COUNT; i++)
        out[i] = s->rank * 1e6 + i;
    CHECK_OK(MPI_Type_contiguous(3, MPI_DOUBLE, &triple));
    CHECK_OK(MPI_Type_commit(&triple));
    CHECK_OK(MPI_Sendrecv(out, COUNT, triple, dest, 1, in, COUNT + 1, triple, source, 1, s->comm, &status));
    CHECK_OK(MPI_Get_count(&status, triple, &count));
    CHECK_EQUAL(COUNT, count);
    CHECK_OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
    CHECK_EQUAL(3 * COUNT, count);
    for (int i = 0; i < 3 * COUNT; i++)
        CHECK_EQUAL(source * 1e6 + i, in[i]);
    /* Half an element is no whole number of them. */
    CHECK_OK(MPI_Sendrecv(out, 4, MPI_DOUBLE, dest, 2, in, COUNT, triple, source, 2, s->comm, &status));
    CHECK_OK(MPI_Get_count(&status, triple, &count));
    CHECK_EQUAL(MPI_UNDEFINED, count);
    CHECK_OK(MPI_Type_free(&triple));
    CHECK(triple == MPI_DATATYPE_NULL);
}

void case_sizes_huge(suite *s)
{
    static const suite_mode rota[] = {MODE_SEND, MODE_SSEND, MODE_ISEND, MODE_SEND_INIT};
    size_t bytes = test_is_slow() ? (size_t)4 << 20 : (size_t)16 << 20;
    for (size_t i = 0; i < sizeof rota / sizeof rota[0]; i++)
        sizes_shift_posted(s, rota[i], bytes + i);
}
