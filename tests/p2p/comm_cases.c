/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: messages of one are never seen by another. */
#include "suite.h"

#include <stdlib.h>

/* The same source, tag and size in three communicators, received in the opposite order, with wildcards. */
void case_comm_dup_apart(suite *s)
{
    enum { COMMS = 3, COUNT = 20 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Comm comms[COMMS] = {s->comm};
    MPI_Request requests[COMMS * COUNT];
    int out[COMMS * COUNT];
    for (int c = 1; c < COMMS; c++)
        CHECK_OK(MPI_Comm_dup(comms[c - 1], &comms[c]));
    for (int i = 0; i < COMMS * COUNT; i++) {
        out[i] = i;
        CHECK_OK(MPI_Isend(&out[i], 1, MPI_INT, dest, 1, comms[i % COMMS], &requests[i]));
    }
    for (int c = COMMS - 1; c >= 0; c--)
        for (int i = 0; i < COUNT; i++) {
            int in = -1;
            MPI_Status status;
            CHECK_OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &status));
            CHECK_STATUS(&status, source, 1, sizeof in);
            CHECK_EQUAL(i * COMMS + c, in);
        }
    CHECK_OK(MPI_Waitall(COMMS * COUNT, requests, MPI_STATUSES_IGNORE));
    for (int c = 1; c < COMMS; c++) {
        CHECK_OK(MPI_Comm_free(&comms[c]));
        CHECK(comms[c] == MPI_COMM_NULL);
    }
}

/* Colours, keys that turn the order round, MPI_UNDEFINED, and a split of a split. */
void case_comm_split(suite *s)
{
    MPI_Comm half, none, quarter;
    int rank = -1, size = -1, colour = s->rank % 2, in = -1;
    CHECK_OK(MPI_Comm_split(s->comm, colour, -s->rank, &half));
    CHECK_OK(MPI_Comm_size(half, &size));
    CHECK_OK(MPI_Comm_rank(half, &rank));
    int expected_size = (s->size + 1 - colour) / 2;
    CHECK_EQUAL(expected_size, size);
    CHECK_EQUAL(expected_size - 1 - s->rank / 2, rank);
    /* A shift inside: ranks of the new communicator, and those alone. */
    CHECK_OK(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
    MPI_Status status;
    CHECK_OK(
        MPI_Sendrecv(&s->rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, half, &status));
    CHECK_STATUS(&status, (rank - 1 + size) % size, 1, sizeof in);
    int sender = (rank - 1 + size) % size;
    CHECK_EQUAL((expected_size - 1 - sender) * 2 + colour, in);
    CHECK_EQUAL(MPI_ERR_RANK, suite_class(MPI_Send(&in, 1, MPI_INT, size, 1, half)));
    CHECK_OK(MPI_Comm_split(s->comm, s->rank == 0 ? MPI_UNDEFINED : 0, 0, &none));
    CHECK_EQUAL(s->rank == 0, none == MPI_COMM_NULL);
    if (none != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_rank(none, &rank));
        CHECK_EQUAL(s->rank - 1, rank);
        CHECK_OK(MPI_Comm_free(&none));
    }
    CHECK_OK(MPI_Comm_split(half, s->rank / 2 % 2, s->rank, &quarter));
    CHECK_OK(MPI_Comm_free(&half));
    CHECK_OK(MPI_Comm_rank(quarter, &rank));
    CHECK_EQUAL(s->rank / 4, rank);
    CHECK_OK(MPI_Barrier(quarter));
    CHECK_OK(MPI_Comm_free(&quarter));
}

void case_comm_compare(suite *s)
{
    MPI_Comm dup, reversed, part;
    int result = -1;
    CHECK_OK(MPI_Comm_dup(s->comm, &dup));
    CHECK_OK(MPI_Comm_split(s->comm, 0, -s->rank, &reversed));
    CHECK_OK(MPI_Comm_split(s->comm, s->rank == 0, 0, &part));
    CHECK_OK(MPI_Comm_compare(s->comm, s->comm, &result));
    CHECK_EQUAL(MPI_IDENT, result);
    CHECK_OK(MPI_Comm_compare(s->comm, dup, &result));
    CHECK_EQUAL(MPI_CONGRUENT, result);
    CHECK_OK(MPI_Comm_compare(s->comm, reversed, &result));
    CHECK_EQUAL(s->size == 1 ? MPI_CONGRUENT : MPI_SIMILAR, result);
    CHECK_OK(MPI_Comm_compare(s->comm, part, &result));
    CHECK_EQUAL(s->size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL, result);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Comm_free(&reversed));
    CHECK_OK(MPI_Comm_free(&part));
}

/* Contexts are given back: many more cycles than there are, with traffic in each. */
void case_comm_cycles(suite *s)
{
    int cycles = s->size > 7 ? 200 : s->size > 2 || test_is_slow() ? 1000 : 6000;
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    long before_kib = 0;
    for (int i = 0; i < cycles; i++) {
        MPI_Comm dup;
        int in = -1;
        if (i == cycles / 4)
            before_kib = suite_resident_kib();
        CHECK_OK(MPI_Comm_dup(s->comm, &dup));
        CHECK_OK(MPI_Sendrecv(&i, 1, MPI_INT, dest, 1, &in, 1, MPI_INT, source, 1, dup, MPI_STATUS_IGNORE));
        CHECK_EQUAL(i, in);
        CHECK_OK(MPI_Comm_free(&dup));
    }
    long growth_kib = suite_resident_kib() - before_kib;
    if (!TEST_IS_SANITIZED && growth_kib > 4096)
        CHECK_FAIL("memory after %d cycles of dup and free: expected a growth below 4096 KiB, got %ld", cycles,
                   growth_kib);
}

/* Freeing a communicator lets what is under way in it complete. */
void case_comm_freed_while_pending(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    size_t bytes = s->size > 16 ? 20000 : 300000;
    char *out = suite_alloc(bytes), *in = suite_alloc(bytes);
    MPI_Comm dup;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    CHECK_OK(MPI_Comm_dup(s->comm, &dup));
    suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, 0, 0, 0));
    CHECK_OK(MPI_Irecv(in, (int)bytes, MPI_BYTE, source, 1, dup, &requests[0]));
    CHECK_OK(MPI_Isend(out, (int)bytes, MPI_BYTE, dest, 1, dup, &requests[1]));
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Waitall(2, requests, statuses));
    CHECK_STATUS(&statuses[0], source, 1, bytes);
    CHECK_BYTES(in, bytes, suite_key(s, (uint64_t)source, 0, 0, 0));
    suite_free(out);
    suite_free(in);
}
