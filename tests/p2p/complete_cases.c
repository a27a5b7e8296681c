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
        OK(s, MPI_Irecv(&e->in[i], 1, MPI_INT, e->source, COMPLETE_COUNT - i, s->comm, &e->receives[i]));
        e->posted++;
    }
}

static void exchange_send(const suite *s, exchange *e)
{
    for (int i = 0; i < COMPLETE_COUNT; i++) {
        e->out[i] = s->rank * 1000 + i;
        if (i % 10 != 9)
            OK(s, MPI_Isend(&e->out[i], 1, MPI_INT, e->dest, COMPLETE_COUNT - i, s->comm, &e->sends[i]));
    }
}

static void exchange_check(const suite *s, exchange *e, int i, const MPI_Status *status)
{
    if (i < 0 || i >= COMPLETE_COUNT || i % 10 == 9)
        FAIL(s, "expected the index of an active request, got %d", i);
    EXPECT(s, 0, e->is_seen[i]);
    e->is_seen[i] = 1;
    EXPECT_STATUS(s, status, e->source, COMPLETE_COUNT - i, sizeof(int));
    EXPECT(s, e->source * 1000 + i, e->in[i]);
    EXPECT(s, 1, e->receives[i] == MPI_REQUEST_NULL);
}

static void exchange_end(const suite *s, exchange *e)
{
    int seen = 0;
    for (int i = 0; i < COMPLETE_COUNT; i++)
        seen += e->is_seen[i];
    EXPECT(s, e->posted, seen);
    OK(s, MPI_Waitall(COMPLETE_COUNT, e->sends, MPI_STATUSES_IGNORE));
}

static void exchange_check_all(const suite *s, exchange *e, const MPI_Status *statuses)
{
    for (int i = 0; i < COMPLETE_COUNT; i++) {
        if (i % 10 == 9) /* a null request yields the empty status */
            EXPECT_STATUS(s, &statuses[i], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
        else
            exchange_check(s, e, i, &statuses[i]);
    }
}

void case_complete_waitall(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    exchange_post(s, &e);
    exchange_send(s, &e);
    OK(s, MPI_Waitall(COMPLETE_COUNT, e.receives, statuses));
    exchange_check_all(s, &e, statuses);
    exchange_end(s, &e);
}

void case_complete_waitany(suite *s)
{
    exchange e;
    MPI_Status status;
    int index = -1;
    exchange_post(s, &e);
    exchange_send(s, &e);
    for (int i = 0; i < e.posted; i++) {
        OK(s, MPI_Waitany(COMPLETE_COUNT, e.receives, &index, &status));
        exchange_check(s, &e, index, &status);
    }
    OK(s, MPI_Waitany(COMPLETE_COUNT, e.receives, &index, &status));
    EXPECT(s, MPI_UNDEFINED, index);
    EXPECT_STATUS(s, &status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    exchange_end(s, &e);
}

void case_complete_waitsome(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    int indices[COMPLETE_COUNT], count = -1;
    exchange_post(s, &e);
    exchange_send(s, &e);
    for (int done = 0; done < e.posted; done += count) {
        OK(s, MPI_Waitsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
        if (count < 1 || count > e.posted - done)
            FAIL(s, "Waitsome: expected 1..%d requests, got %d", e.posted - done, count);
        for (int i = 0; i < count; i++)
            exchange_check(s, &e, indices[i], &statuses[i]);
    }
    OK(s, MPI_Waitsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
    EXPECT(s, MPI_UNDEFINED, count);
    exchange_end(s, &e);
}

void case_complete_testall(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    int flag = -1;
    exchange_post(s, &e);
    OK(s, MPI_Testall(COMPLETE_COUNT, e.receives, &flag, statuses));
    EXPECT(s, 0, flag);
    suite_meet(s);
    exchange_send(s, &e);
    do {
        OK(s, MPI_Testall(COMPLETE_COUNT, e.receives, &flag, statuses));
        if (!flag) /* all or none: none has been given back */
            for (int i = 0; i < COMPLETE_COUNT; i++)
                EXPECT(s, i % 10 == 9, e.receives[i] == MPI_REQUEST_NULL);
    } while (!flag);
    exchange_check_all(s, &e, statuses);
    exchange_end(s, &e);
}

void case_complete_testany(suite *s)
{
    exchange e;
    MPI_Status status;
    int index = -1, flag = -1;
    exchange_post(s, &e);
    OK(s, MPI_Testany(COMPLETE_COUNT, e.receives, &index, &flag, &status));
    EXPECT(s, 0, flag);
    EXPECT(s, MPI_UNDEFINED, index);
    suite_meet(s);
    exchange_send(s, &e);
    for (int done = 0; done < e.posted; done += flag) {
        OK(s, MPI_Testany(COMPLETE_COUNT, e.receives, &index, &flag, &status));
        if (flag)
            exchange_check(s, &e, index, &status);
    }
    OK(s, MPI_Testany(COMPLETE_COUNT, e.receives, &index, &flag, &status));
    EXPECT(s, 1, flag);
    EXPECT(s, MPI_UNDEFINED, index);
    exchange_end(s, &e);
}

void case_complete_testsome(suite *s)
{
    exchange e;
    MPI_Status statuses[COMPLETE_COUNT];
    int indices[COMPLETE_COUNT], count = -1;
    exchange_post(s, &e);
    OK(s, MPI_Testsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
    EXPECT(s, 0, count);
    suite_meet(s);
    exchange_send(s, &e);
    for (int done = 0; done < e.posted; done += count) {
        OK(s, MPI_Testsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
        for (int i = 0; i < count; i++)
            exchange_check(s, &e, indices[i], &statuses[i]);
    }
    OK(s, MPI_Testsome(COMPLETE_COUNT, e.receives, &count, indices, statuses));
    EXPECT(s, MPI_UNDEFINED, count);
    exchange_end(s, &e);
}

/* No requests at all, and null requests only. */
void case_complete_nothing(suite *s)
{
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int flag = -1, index = -1, count = -1, indices[2];
    for (int n = 0; n <= 2; n += 2) {
        OK(s, MPI_Waitall(n, none, statuses));
        OK(s, MPI_Testall(n, none, &flag, statuses));
        EXPECT(s, 1, flag);
        OK(s, MPI_Waitany(n, none, &index, statuses));
        EXPECT(s, MPI_UNDEFINED, index);
        OK(s, MPI_Testany(n, none, &index, &flag, statuses));
        EXPECT(s, 1, flag);
        EXPECT(s, MPI_UNDEFINED, index);
        OK(s, MPI_Waitsome(n, none, &count, indices, statuses));
        EXPECT(s, MPI_UNDEFINED, count);
        OK(s, MPI_Testsome(n, none, &count, indices, statuses));
        EXPECT(s, MPI_UNDEFINED, count);
    }
    OK(s, MPI_Wait(none, statuses));
    EXPECT_STATUS(s, statuses, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    OK(s, MPI_Test(none, &flag, statuses));
    EXPECT(s, 1, flag);
    EXPECT_STATUS(s, statuses, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
}

/* Request_get_status tells without completing. */
void case_complete_get_status(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, in = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;
    OK(s, MPI_Irecv(&in, 1, MPI_INT, source, 1, s->comm, &request));
    OK(s, MPI_Request_get_status(request, &flag, &status));
    EXPECT(s, 0, flag);
    suite_meet(s);
    OK(s, MPI_Send(&s->rank, 1, MPI_INT, dest, 1, s->comm));
    do
        OK(s, MPI_Request_get_status(request, &flag, &status));
    while (!flag);
    EXPECT_STATUS(s, &status, source, 1, sizeof in);
    EXPECT(s, 1, request != MPI_REQUEST_NULL);
    OK(s, MPI_Test(&request, &flag, &status));
    EXPECT(s, 1, flag);
    EXPECT_STATUS(s, &status, source, 1, sizeof in);
    EXPECT(s, source, in);
}

/* A request that is freed while under way completes by itself: the send arrives, the receive takes its message. */
void case_complete_freed(suite *s)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, first = -1, second = -1;
    size_t bytes = s->size > 16 ? 20000 : 300000;
    char *out = suite_alloc(s, bytes), *in = suite_alloc(s, bytes);
    MPI_Request request;
    suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, 0, 0, 0));
    OK(s, MPI_Isend(out, (int)bytes, MPI_BYTE, dest, 1, s->comm, &request));
    OK(s, MPI_Request_free(&request));
    EXPECT(s, 1, request == MPI_REQUEST_NULL);
    OK(s, MPI_Irecv(&first, 1, MPI_INT, source, 2, s->comm, &request));
    OK(s, MPI_Request_free(&request));
    EXPECT(s, 1, request == MPI_REQUEST_NULL);
    int numbers[2] = {111, 222};
    MPI_Request sends[2];
    for (int i = 0; i < 2; i++)
        OK(s, MPI_Isend(&numbers[i], 1, MPI_INT, dest, 2, s->comm, &sends[i]));
    OK(s, MPI_Recv(&second, 1, MPI_INT, source, 2, s->comm, MPI_STATUS_IGNORE));
    EXPECT(s, 222, second);
    OK(s, MPI_Recv(in, (int)bytes, MPI_BYTE, source, 1, s->comm, MPI_STATUS_IGNORE));
    EXPECT_BYTES(s, in, bytes, suite_key(s, (uint64_t)source, 0, 0, 0));
    OK(s, MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    suite_meet(s); /* everybody has received, so the freed send no longer needs its buffer */
    EXPECT(s, 111, first);
    suite_free(s, out);
    suite_free(s, in);
}
