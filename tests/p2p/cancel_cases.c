/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling: a request is either cancelled or completes, never both and never neither. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static int cancel_and_wait(MPI_Request *request, MPI_Status *status)
{
    int is_cancelled = -1;
    CHECK_OK(MPI_Cancel(request));
    CHECK_OK(MPI_Wait(request, status));
    CHECK(*request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Test_cancelled(status, &is_cancelled));
    return is_cancelled;
}

/* Nothing was sent, so the receive is cancelled, its buffer untouched, and what comes later goes to the next one. */
void case_cancel_receive(suite *s)
{
    static const int sources[] = {0, 1}, tags[] = {0, 1};
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < 4; i++) {
        int wanted_source = sources[i % 2] ? MPI_ANY_SOURCE : source, wanted_tag = tags[i / 2] ? MPI_ANY_TAG : 4;
        int untouched = -7, out = s->rank, in = -1;
        MPI_Request request;
        MPI_Status status;
        CHECK_OK(MPI_Irecv(&untouched, 1, MPI_INT, wanted_source, wanted_tag, s->comm, &request));
        CHECK_EQUAL(1, cancel_and_wait(&request, &status));
        suite_meet(s);
        CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, dest, 4, &in, 1, MPI_INT, source, 4, s->comm, &status));
        CHECK_EQUAL(source, in);
        CHECK_EQUAL(-7, untouched);
        suite_meet(s);
    }
}

/* Every other one of many posted receives is cancelled, from the middle outwards. */
void case_cancel_many_receives(suite *s)
{
    enum { COUNT = 1000 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Request *requests = malloc(COUNT * sizeof *requests);
    int *numbers = malloc(COUNT * sizeof *numbers);
    MPI_Status status;
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = -1;
        CHECK_OK(MPI_Irecv(&numbers[i], 1, MPI_INT, source, i % 3 ? 8 : MPI_ANY_TAG, s->comm, &requests[i]));
    }
    for (int i = 0; i < COUNT / 2; i++) {
        int victim = i % 2 ? COUNT / 2 + i : COUNT / 2 - i;
        if (victim % 2 == 0)
            victim++;
        if (victim < COUNT && requests[victim] != MPI_REQUEST_NULL)
            CHECK_EQUAL(1, cancel_and_wait(&requests[victim], &status));
    }
    suite_meet(s);
    int sent = 0, left = 0;
    for (int i = 0; i < COUNT; i++)
        left += requests[i] != MPI_REQUEST_NULL;
    for (sent = 0; sent < left; sent++)
        CHECK_OK(MPI_Send(&sent, 1, MPI_INT, dest, 8, s->comm));
    int next = 0;
    for (int i = 0; i < COUNT; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        CHECK_OK(MPI_Wait(&requests[i], &status));
        CHECK_EQUAL(next++, numbers[i]);
    }
    free(requests);
    free(numbers);
}

/* Too late: a request that has completed is not cancelled and keeps its data. */
void case_cancel_completed(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    int out = s->rank + 3, in = -1, is_done = 0;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, source, 2, s->comm, &request));
    suite_meet(s);
    CHECK_OK(MPI_Send(&out, 1, MPI_INT, dest, 2, s->comm));
    while (!is_done)
        CHECK_OK(MPI_Request_get_status(request, &is_done, MPI_STATUS_IGNORE));
    CHECK_EQUAL(0, cancel_and_wait(&request, &status));
    CHECK_STATUS(&status, source, 2, sizeof in);
    CHECK_EQUAL(source + 3, in);
}

/* Cancel while the message is under way: it is in this receive or in the next one, whole, and only once. */
void case_cancel_race(suite *s)
{
    enum { ROUNDS = 300 };
    int partner = s->rank ^ 1;
    size_t bytes = 40000;
    if (partner >= s->size)
        return;
    char *buffer = suite_alloc(bytes);
    uint64_t random = s->seed + (uint64_t)s->rank;
    for (int i = 0; i < ROUNDS; i++) {
        size_t length = i % 2 ? 8 : bytes;
        uint64_t key = suite_key(s, (uint64_t)i, 0, 0, 0);
        if (s->rank % 2 == 0) {
            suite_fill(buffer, length, key);
            CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, partner, 1, s->comm, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Send(buffer, (int)length, MPI_BYTE, partner, 2, s->comm));
            continue;
        }
        MPI_Request request;
        MPI_Status status;
        memset(buffer, 0, length);
        CHECK_OK(MPI_Irecv(buffer, (int)length, MPI_BYTE, partner, 2, s->comm, &request));
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, partner, 1, s->comm));
        for (volatile uint64_t spin = suite_random(&random) % 4000; spin > 0; spin--)
            continue;
        if (cancel_and_wait(&request, &status)) {
            for (size_t at = 0; at < length; at++)
                CHECK_EQUAL(0, buffer[at]);
            CHECK_OK(MPI_Recv(buffer, (int)length, MPI_BYTE, partner, 2, s->comm, &status));
        }
        CHECK_STATUS(&status, partner, 2, length);
        CHECK_BYTES(buffer, length, key);
    }
    suite_free(buffer);
}

/* A send may be cancelled or not, but the receiver must see the same. */
void case_cancel_send(suite *s)
{
    enum { ROUNDS = 20, OUTCOME = 1, DATA = 2 /* and the round: the next one may be under way already */ };
    int partner = s->rank ^ 1, is_cancelled = -1;
    size_t bytes = 300000;
    if (partner >= s->size)
        return;
    char *buffer = suite_alloc(bytes);
    for (int i = 0; i < ROUNDS; i++) {
        size_t length = i % 2 ? 8 : bytes;
        uint64_t key = suite_key(s, (uint64_t)i, 0, 0, 0);
        MPI_Status status;
        if (s->rank % 2 == 0) {
            MPI_Request request;
            suite_fill(buffer, length, key);
            CHECK_OK((i % 4 < 2 ? MPI_Issend : MPI_Isend)(buffer, (int)length, MPI_BYTE, partner, DATA + i, s->comm,
                                                          &request));
            CHECK_OK(MPI_Cancel(&request));
            /* The outcome may depend on the receiver, which therefore must be told before the wait in any case. */
            CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, partner, OUTCOME, s->comm));
            CHECK_OK(MPI_Wait(&request, &status));
            CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
            CHECK_OK(MPI_Send(&is_cancelled, 1, MPI_INT, partner, OUTCOME, s->comm));
            continue;
        }
        /* Receive until the outcome is known; then the message has come if and only if it was not cancelled. */
        int has_come = 0, is_known = 0;
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, partner, OUTCOME, s->comm, MPI_STATUS_IGNORE));
        while (!is_known || (!is_cancelled && !has_come)) {
            int is_here = 0;
            CHECK_OK(MPI_Iprobe(partner, DATA + i, s->comm, &is_here, &status));
            if (is_here) {
                CHECK_EQUAL(0, has_come);
                CHECK_OK(MPI_Recv(buffer, (int)length, MPI_BYTE, partner, DATA + i, s->comm, &status));
                CHECK_STATUS(&status, partner, DATA + i, length);
                CHECK_BYTES(buffer, length, key);
                has_come = 1;
            }
            if (!is_known)
                CHECK_OK(MPI_Iprobe(partner, OUTCOME, s->comm, &is_known, MPI_STATUS_IGNORE));
            if (is_known && is_cancelled < 0)
                CHECK_OK(MPI_Recv(&is_cancelled, 1, MPI_INT, partner, OUTCOME, s->comm, MPI_STATUS_IGNORE));
        }
        CHECK_EQUAL(!is_cancelled, has_come);
        is_cancelled = -1;
    }
    suite_free(buffer);
}

/* A send that is never received, long or synchronous, can be cancelled once the other side makes progress. */
void case_cancel_unreceived_send(suite *s)
{
    enum { ROUNDS = 8 };
    int partner = s->rank ^ 1;
    size_t bytes = 300000;
    if (partner < s->size && s->rank % 2 == 0) {
        char *buffer = suite_alloc(bytes);
        for (int i = 0; i < ROUNDS; i++) {
            MPI_Request request;
            MPI_Status status;
            int is_cancelled = -1;
            CHECK_OK((i % 2 ? MPI_Issend : MPI_Isend)(buffer, (int)(i % 2 ? 8 : bytes), MPI_BYTE, partner, i, s->comm,
                                                      &request));
            CHECK_OK(MPI_Cancel(&request));
            CHECK_OK(MPI_Wait(&request, &status));
            CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
            CHECK_EQUAL(1, is_cancelled);
        }
        suite_free(buffer);
    }
    suite_meet(s);
    int is_here = 1;
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &is_here, MPI_STATUS_IGNORE));
    CHECK_EQUAL(0, is_here);
}

/* A send to this rank itself needs no other rank: after MPI_Cancel its outcome is known, and the first test returns
 * it. What was not cancelled is received. */
void case_cancel_self(suite *s)
{
    enum { MODES = 2, LENGTHS = 3 };
    static const size_t lengths[LENGTHS] = {0, 8, 300000};
    char *out = suite_alloc(lengths[LENGTHS - 1]), *in = suite_alloc(lengths[LENGTHS - 1]);
    for (int i = 0; i < 2 * MODES * LENGTHS; i++) {
        int is_sync = i % MODES, is_posted = i / (MODES * LENGTHS), length = (int)lengths[i / MODES % LENGTHS];
        int is_done = 0, is_cancelled = -1, is_here = -1;
        MPI_Request send, receive = MPI_REQUEST_NULL;
        MPI_Status status;
        if (is_posted)
            CHECK_OK(MPI_Irecv(in, length, MPI_BYTE, s->rank, i, s->comm, &receive));
        CHECK_OK((is_sync ? MPI_Issend : MPI_Isend)(out, length, MPI_BYTE, s->rank, i, s->comm, &send));
        CHECK_OK(MPI_Cancel(&send));
        CHECK_OK(MPI_Test(&send, &is_done, &status));
        CHECK(is_done || is_posted);
        if (!is_done)
            CHECK_OK(MPI_Wait(&send, &status));
        CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
        /* One that is sent already, since it is short, comes; the others have not left this rank. */
        if (!is_posted && (is_sync || length > 8))
            CHECK_EQUAL(1, is_cancelled);
        if (is_posted && is_cancelled) {
            CHECK_OK(MPI_Cancel(&receive));
            CHECK_OK(MPI_Wait(&receive, &status));
            CHECK_OK(MPI_Test_cancelled(&status, &is_done));
            CHECK_EQUAL(1, is_done);
        } else if (is_posted) {
            CHECK_OK(MPI_Wait(&receive, &status));
            CHECK_STATUS(&status, s->rank, i, length);
        } else if (!is_cancelled) {
            CHECK_OK(MPI_Recv(in, length, MPI_BYTE, s->rank, i, s->comm, &status));
        }
        CHECK_OK(MPI_Iprobe(s->rank, i, s->comm, &is_here, &status));
        CHECK_EQUAL(0, is_here);
    }
    suite_free(out);
    suite_free(in);
}
