/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting and testing for one, some and all of many requests. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { COMPLETE_COUNT = 40 };

/* COMPLETE_COUNT receives from the previous rank, posted in falling order of tags, a hole in every tenth place. */
typedef struct exchange {
    int dest, source, posted;
    MPI_Request receives[COMPLETE_COUNT], sends[COMPLETE_COUNT];
    int in[COMPLETE_COUNT], out[COMPLETE_COUNT];
    char is_seen[COMPLETE_COUNT];
} exchange;

static void exchange_post(const suite *s, exchange *e)
{
    memset(e, 0, sizeof *e);
    e->dest = (s->rank + 1) % s->size;
    e->source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < COMPLETE_COUNT; i++) {
        e->receives[i] = e->sends[i] = MPI_REQUEST_NULL;
        if (i % 10 == 9)
            continue;
        CHECK_OK(MPI_Irecv(&e->in[i], 1, MPI_INT, e->source, COMPLETE_COUNT - i, s->comm, &e->receives[i]));
        e->posted++;
    }
}

static void exchange_send(const suite *s, exchange *e)
{
    for (int i = 0; i < COMPLETE_COUNT; i++) {
        e->out[i] = s->rank * 1000 + i;
        if (i % 10 != 9)
            CHECK_OK(MPI_Isend(&e->out[i], 1, MPI_INT, e->dest, COMPLETE_COUNT - i, s->comm, &e->sends[i]));
    }
}

static void exchange_check(exchange *e, int i, const MPI_Status *status)
{
    if (i < 0 || i >= COMPLETE_COUNT || i % 10 == 9)
        CHECK_FAIL("expected the index of an active request, got %d", i);
    CHECK_EQUAL(0, e->is_seen[i]);
    e->is_seen[i] = 1;
    CHECK_STATUS(status, e->source, COMPLETE_COUNT - i, sizeof(int));
    CHECK_EQUAL(e->source * 1000 + i, e->in[i]);
    CHECK(e->receives[i] == MPI_REQUEST_NULL);
}

static void exchange_end(exchange *e)
{
    int seen = 0;
    for (int i = 0; i < COMPLETE_COUNT; i++)
        seen += e->is_seen[i];
    CHECK_EQUAL(e->posted, seen);
    CHECK_OK(MPI_Waitall(COMPLETE_COUNT, e->sends, MPI_STATUSES_IGNORE));
}

static void exchange_check_all(exchange *e, const MPI_Status *statuses)
{
    for (int i = 0; i < COMPLETE_COUNT; i++) {
        if (i % 10 == 9) /* a null request yields the empty status */
            CHECK_STATUS(&statuses[i], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
        else
            exchange_check(e, i, &statuses[i]);
    }
}

void case_complete_waitall(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    exchange_post(s, &e);
    exchange_send(s, &e);
    CHECK_OK(MPI_Waitall(COMPLETE_COUNT, e.receives, statuses));
    exchange_check_all(&e, statuses);
    exchange_end(&e);
}

void case_complete_waitany(suite *s)
{
    exchange e;
    MPI_Status status;
    int index = -1;
    exchange_post(s, &e);
    exchange_send(s, &e);
    for (int i = 0; i < e.posted; i++) {
        CHECK_OK(MPI_Waitany(COMPLETE_COUNT, e.receives, &index, &status));
        exchange_check(&e, index, &status);
    }
    CHECK_OK(MPI_Waitany(COMPLETE_COUNT, e.receives, &index, &status));
    CHECK_EQUAL(MPI_UNDEFINED, index);
    CHECK_STATUS(&status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    exchange_end(&e);
}

void case_complete_waitsome(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    int indices[COMPLETE_COUNT], count = -1;
    exchange_post(s, &e);
    exchange_send(s, &e);
    for (int done = 0; done < e.posted; done += count) {
        CHECK_OK(MPI_Waitsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
        if (count < 1 || count > e.posted - done)
            CHECK_FAIL("Waitsome: expected 1..%d requests, got %d", e.posted - done, count);
        for (int i = 0; i < count; i++)
            exchange_check(&e, indices[i], &statuses[i]);
    }
    CHECK_OK(MPI_Waitsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
    CHECK_EQUAL(MPI_UNDEFINED, count);
    exchange_end(&e);
}

void case_complete_testall(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    int flag = -1;
    exchange_post(s, &e);
    CHECK_OK(MPI_Testall(COMPLETE_COUNT, e.receives, &flag, statuses));
    CHECK_EQUAL(0, flag);
    suite_meet(s);
    exchange_send(s, &e);
    do {
        CHECK_OK(MPI_Testall(COMPLETE_COUNT, e.receives, &flag, statuses));
        if (!flag) /* all or none: none has been given back */
            for (int i = 0; i < COMPLETE_COUNT; i++)
                CHECK_EQUAL(i % 10 == 9, e.receives[i] == MPI_REQUEST_NULL);
    } while (!flag);
    exchange_check_all(&e, statuses);
    exchange_end(&e);
}

void case_complete_testany(suite *s)
{
    exchange e;
    MPI_Status status;
    int index = -1, flag = -1;
    exchange_post(s, &e);
    CHECK_OK(MPI_Testany(COMPLETE_COUNT, e.receives, &index, &flag, &status));
    CHECK_EQUAL(0, flag);
    CHECK_EQUAL(MPI_UNDEFINED, index);
    suite_meet(s);
    exchange_send(s, &e);
    for (int done = 0; done < e.posted; done += flag) {
        CHECK_OK(MPI_Testany(COMPLETE_COUNT, e.receives, &index, &flag, &status));
        if (flag)
            exchange_check(&e, index, &status);
    }
    CHECK_OK(MPI_Testany(COMPLETE_COUNT, e.receives, &index, &flag, &status));
    CHECK_EQUAL(1, flag);
    CHECK_EQUAL(MPI_UNDEFINED, index);
    exchange_end(&e);
}

void case_complete_testsome(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    int indices[COMPLETE_COUNT], count = -1;
    exchange_post(s, &e);
    CHECK_OK(MPI_Testsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
    CHECK_EQUAL(0, count);
    suite_meet(s);
    exchange_send(s, &e);
    for (int done = 0; done < e.posted; done += count) {
        CHECK_OK(MPI_Testsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
        for (int i = 0; i < count; i++)
            exchange_check(&e, indices[i], &statuses[i]);
    }
    CHECK_OK(MPI_Testsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
    CHECK_EQUAL(MPI_UNDEFINED, count);
    exchange_end(&e);
}

/* No requests at all, and null requests only. */
void case_complete_nothing(suite *s)
{
    (void)s;
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int flag = -1, index = -1, count = -1, indices[2];
    for (int n = 0; n <= 2; n += 2) {
        CHECK_OK(MPI_Waitall(n, none, statuses));
        CHECK_OK(MPI_Testall(n, none, &flag, statuses));
        CHECK_EQUAL(1, flag);
        CHECK_OK(MPI_Waitany(n, none, &index, statuses));
        CHECK_EQUAL(MPI_UNDEFINED, index);
        CHECK_OK(MPI_Testany(n, none, &index, &flag, statuses));
        CHECK_EQUAL(1, flag);
        CHECK_EQUAL(MPI_UNDEFINED, index);
        CHECK_OK(MPI_Waitsome(n, none, &count, indices, statuses));
        CHECK_EQUAL(MPI_UNDEFINED, count);
        CHECK_OK(MPI_Testsome(n, none, &count, indices, statuses));
        CHECK_EQUAL(MPI_UNDEFINED, count);
    }
    CHECK_OK(MPI_Wait(none, statuses));
    CHECK_STATUS(statuses, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    CHECK_OK(MPI_Test(none, &flag, statuses));
    CHECK_EQUAL(1, flag);
    CHECK_STATUS(statuses, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
}

/* Request_get_status tells without completing. */
void case_complete_get_status(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, in = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, source, 1, s->comm, &request));
    CHECK_OK(MPI_Request_get_status(request, &flag, &status));
    CHECK_EQUAL(0, flag);
    suite_meet(s);
    CHECK_OK(MPI_Send(&s->rank, 1, MPI_INT, dest, 1, s->comm));
    do
        CHECK_OK(MPI_Request_get_status(request, &flag, &status));
    while (!flag);
    CHECK_STATUS(&status, source, 1, sizeof in);
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Test(&request, &flag, &status));
    CHECK_EQUAL(1, flag);
    CHECK_STATUS(&status, source, 1, sizeof in);
    CHECK_EQUAL(source, in);
}

/* A request that is freed while under way completes by itself: the send arrives, the receive takes its message. */
void case_complete_freed(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, first = -1, second = -1;
    size_t bytes = s->size > 16 ? 20000 : 300000;
    char *out = suite_alloc(bytes), *in = suite_alloc(bytes);
    MPI_Request request;
    suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, 0, 0, 0));
    CHECK_OK(MPI_Isend(out, (int)bytes, MPI_BYTE, dest, 1, s->comm, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Irecv(&first, 1, MPI_INT, source, 2, s->comm, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    int numbers[2] = {111, 222};
    MPI_Request sends[2];
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Isend(&numbers[i], 1, MPI_INT, dest, 2, s->comm, &sends[i]));
    CHECK_OK(MPI_Recv(&second, 1, MPI_INT, source, 2, s->comm, MPI_STATUS_IGNORE));
    CHECK_EQUAL(222, second);
    CHECK_OK(MPI_Recv(in, (int)bytes, MPI_BYTE, source, 1, s->comm, MPI_STATUS_IGNORE));
    CHECK_BYTES(in, bytes, suite_key(s, (uint64_t)source, 0, 0, 0));
    CHECK_OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    suite_meet(s); /* all have received, so the freed send no longer needs its buffer */
    CHECK_EQUAL(111, first);
    suite_free(out);
    suite_free(in);
}
