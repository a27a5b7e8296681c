/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized requests in every call that completes requests, and a send and a receive as one request. */
#include "comm_suite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct work {
    int queries, frees, cancels, cancel_flag, query_code, free_code, elements;
    MPI_Request request;
} work;

static int query_work(void *state, MPI_Status *status)
{
    work *w = state;
    w->queries++;
    MPI_Status_set_elements(status, MPI_INT, w->elements);
    MPI_Status_set_cancelled(status, w->cancels != 0);
    status->MPI_SOURCE = 17;
    status->MPI_TAG = 23;
    return w->query_code;
}

static int free_work(void *state)
{
    work *w = state;
    w->frees++;
    return w->free_code;
}

static int cancel_work(void *state, int complete)
{
    work *w = state;
    w->cancels++;
    w->cancel_flag = complete;
    return MPI_SUCCESS;
}

static void start(work *w, int elements)
{
    memset(w, 0, sizeof *w);
    w->elements = elements;
    CHECK_OK(MPI_Grequest_start(query_work, free_work, cancel_work, w, &w->request));
}

static void expect_status(const MPI_Status *status, int elements)
{
    int count, flag;
    CHECK_OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_EQUAL(elements, count);
    CHECK_OK(MPI_Test_cancelled(status, &flag));
    CHECK_EQUAL(0, flag);
    CHECK_EQUAL(17, status->MPI_SOURCE);
    CHECK_EQUAL(23, status->MPI_TAG);
}

static void expect_ended(const work *w, int queries)
{
    CHECK_EQUAL(queries, w->queries);
    CHECK_EQUAL(1, w->frees);
}

void case_request_general_one(const test *t)
{
    (void)t;
    work w;
    MPI_Status status;
    MPI_Request handle;
    int flag;
    start(&w, 5);
    CHECK_OK(MPI_Test(&w.request, &flag, &status));
    CHECK_EQUAL(0, flag);
    CHECK_OK(MPI_Request_get_status(w.request, &flag, &status));
    CHECK_EQUAL(0, flag);
    CHECK_EQUAL(0, w.queries);
    CHECK_OK(MPI_Grequest_complete(w.request));
    CHECK_OK(MPI_Request_get_status(w.request, &flag, &status));
    CHECK_EQUAL(1, flag);
    expect_status(&status, 5);
    CHECK_OK(MPI_Wait(&w.request, &status));
    expect_status(&status, 5);
    expect_ended(&w, 2);
    CHECK(w.request == MPI_REQUEST_NULL);

    start(&w, 6);
    handle = w.request;
    CHECK_OK(MPI_Grequest_complete(handle));
    CHECK_OK(MPI_Test(&w.request, &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(1, flag);
    expect_ended(&w, 1);

    /* What the program's functions return is returned. */
    start(&w, 0);
    w.query_code = MPI_ERR_IO;
    CHECK_OK(MPI_Grequest_complete(w.request));
    CHECK_EQUAL(MPI_ERR_IO, MPI_Wait(&w.request, &status));
    expect_ended(&w, 1);
    start(&w, 0);
    w.free_code = MPI_ERR_ACCESS;
    CHECK_OK(MPI_Grequest_complete(w.request));
    CHECK_EQUAL(MPI_ERR_ACCESS, MPI_Test(&w.request, &flag, &status));
    expect_ended(&w, 1);
}

enum { SEVERAL = 100 }; /* more than are handled in one round */

/* Every second is a message; all are complete afterwards. */
static void start_several(const test *t, work *works, MPI_Request *requests, int *numbers)
{
    for (int i = 0; i < SEVERAL; i++) {
        start(&works[i], i);
        requests[2 * i] = works[i].request;
        CHECK_OK(MPI_Irecv(&numbers[i], 1, MPI_INT, t->rank, i, t->comm, &requests[2 * i + 1]));
    }
    int flag;
    CHECK_OK(MPI_Testall(2 * SEVERAL, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(0, flag);
    CHECK_OK(MPI_Request_get_status_all(2 * SEVERAL, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(0, flag);
    for (int i = 0; i < SEVERAL; i++) {
        CHECK_OK(MPI_Send(&i, 1, MPI_INT, t->rank, i, t->comm));
        CHECK_OK(MPI_Grequest_complete(requests[2 * i]));
    }
}

/* Complete all in one of the ways that there are. */
static void complete_all(int way, MPI_Request *requests, MPI_Status *statuses)
{
    int flag = 0;
    if (way == 0)
        CHECK_OK(MPI_Waitall(2 * SEVERAL, requests, statuses));
    while (way == 1 && !flag)
        CHECK_OK(MPI_Testall(2 * SEVERAL, requests, &flag, statuses));
}

static void complete_any(int is_test, MPI_Request *requests, MPI_Status *statuses)
{
    for (int done = 0; done < 2 * SEVERAL;) {
        MPI_Status status;
        int index, flag = 1;
        if (is_test)
            CHECK_OK(MPI_Testany(2 * SEVERAL, requests, &index, &flag, &status));
        else
            CHECK_OK(MPI_Waitany(2 * SEVERAL, requests, &index, &status));
        if (!flag)
            continue;
        statuses[index] = status;
        statuses[index].MPI_ERROR = MPI_SUCCESS;
        done++;
    }
}

static void complete_some(int is_test, MPI_Request *requests, MPI_Status *statuses)
{
    for (int done = 0, count; done < 2 * SEVERAL; done += count) {
        MPI_Status some[2 * SEVERAL];
        int indices[2 * SEVERAL];
        if (is_test)
            CHECK_OK(MPI_Testsome(2 * SEVERAL, requests, &count, indices, some));
        else
            CHECK_OK(MPI_Waitsome(2 * SEVERAL, requests, &count, indices, some));
        for (int i = 0; i < count; i++)
            statuses[indices[i]] = some[i];
    }
}

void case_request_general_several(const test *t)
{
    work *works = calloc(SEVERAL, sizeof *works);
    MPI_Request requests[2 * SEVERAL];
    MPI_Status statuses[2 * SEVERAL];
    int numbers[SEVERAL];
    for (int way = 0; way < 8; way++) {
        start_several(t, works, requests, numbers);
        if (way < 4)
            complete_all(way % 2, requests, way < 2 ? statuses : MPI_STATUSES_IGNORE);
        else if (way < 6)
            complete_any(way % 2, requests, statuses);
        else
            complete_some(way % 2, requests, statuses);
        for (int i = 0; i < SEVERAL; i++) {
            CHECK(requests[2 * i] == MPI_REQUEST_NULL && requests[2 * i + 1] == MPI_REQUEST_NULL);
            expect_ended(&works[i], 1);
            CHECK_EQUAL(i, numbers[i]);
            if (way == 2 || way == 3)
                continue;
            expect_status(&statuses[2 * i], i);
            CHECK_OK(statuses[2 * i].MPI_ERROR);
            CHECK_EQUAL(i, statuses[2 * i + 1].MPI_TAG);
        }
    }
    free(works);
}

/* One fails: the others are complete all the same, and the status tells which. */
void case_request_general_one_fails(const test *t)
{
    (void)t;
    work works[3];
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int flag;
    for (int i = 0; i < 3; i++) {
        start(&works[i], i);
        requests[i] = works[i].request;
        works[i].query_code = i == 1 ? MPI_ERR_IO : MPI_SUCCESS;
        CHECK_OK(MPI_Grequest_complete(requests[i]));
    }
    CHECK_EQUAL(MPI_ERR_IN_STATUS, MPI_Waitall(3, requests, statuses));
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(i == 1 ? MPI_ERR_IO : MPI_SUCCESS, statuses[i].MPI_ERROR);
        expect_ended(&works[i], 1);
    }
    CHECK_OK(MPI_Request_get_status_all(3, requests, &flag, statuses));
    CHECK_EQUAL(1, flag);
}

void case_request_general_free_and_cancel(const test *t)
{
    work w;
    MPI_Request handle;
    MPI_Status status;
    int flag;
    /* Freed after it was complete, and before. */
    start(&w, 1);
    CHECK_OK(MPI_Grequest_complete(w.request));
    CHECK_OK(MPI_Request_free(&w.request));
    expect_ended(&w, 0);
    start(&w, 1);
    handle = w.request;
    CHECK_OK(MPI_Request_free(&w.request));
    CHECK(w.request == MPI_REQUEST_NULL);
    CHECK_EQUAL(0, w.frees);
    CHECK_OK(MPI_Grequest_complete(handle));
    expect_ended(&w, 0);

    start(&w, 1);
    CHECK_OK(MPI_Cancel(&w.request));
    CHECK_EQUAL(1, w.cancels);
    CHECK_EQUAL(0, w.cancel_flag);
    CHECK_OK(MPI_Grequest_complete(w.request));
    CHECK_OK(MPI_Cancel(&w.request));
    CHECK_EQUAL(2, w.cancels);
    CHECK_EQUAL(1, w.cancel_flag);
    CHECK_OK(MPI_Wait(&w.request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(1, flag);
    expect_ended(&w, 1);
    /* Others are not generalized. */
    CHECK_OK(MPI_Irecv(&flag, 1, MPI_INT, 0, 1, t->comm, &handle));
    CHECK_EQUAL(MPI_ERR_REQUEST, MPI_Grequest_complete(handle));
    CHECK_OK(MPI_Cancel(&handle));
    CHECK_OK(MPI_Wait(&handle, MPI_STATUS_IGNORE));
}

/* Completed by another thread while this one waits, asleep. */
static void complete_later(void *context, int number)
{
    work *w = context;
    struct timespec moment = {0, 3000000};
    if (number == 0) {
        nanosleep(&moment, NULL);
        MPI_Grequest_complete(w->request);
    } else {
        MPI_Request request = w->request;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

void case_request_general_from_thread(const test *t)
{
    for (int round = 0; round < 10; round++) {
        work w;
        start(&w, 1);
        test_in_threads(t, 2, complete_later, &w);
        expect_ended(&w, 1);
    }
}

void case_request_isendrecv(const test *t)
{
    static const int sizes[] = {0, 1, 1000, 100000, 1000000};
    int right = (t->rank + 1) % t->size, left = (t->rank + t->size - 1) % t->size, count;
    for (size_t row = 0; row < sizeof sizes / sizeof *sizes; row++) {
        int n = sizes[row];
        int *out = malloc(((size_t)n + 1) * sizeof *out), *in = malloc(((size_t)n + 1) * sizeof *in);
        for (int i = 0; i < n; i++)
            out[i] = i ^ (t->rank << 20);
        MPI_Request requests[2];
        MPI_Status statuses[2];
        CHECK_OK(MPI_Isendrecv(out, n, MPI_INT, right, 4, in, n, MPI_INT, row % 2 ? left : MPI_ANY_SOURCE, 4, t->comm,
                               &requests[0]));
        CHECK_OK(MPI_Wait(&requests[0], &statuses[0]));
        CHECK_EQUAL(left, statuses[0].MPI_SOURCE);
        CHECK_EQUAL(4, statuses[0].MPI_TAG);
        CHECK_OK(MPI_Get_count(&statuses[0], MPI_INT, &count));
        CHECK_EQUAL(n, count);
        for (int i = 0; i < n; i++)
            CHECK_EQUAL(i ^ (left << 20), in[i]);
        /* Two at once, in place, the other way; the second with large counts. */
        CHECK_OK(MPI_Isendrecv_replace(in, n, MPI_INT, left, 5, right, 5, t->comm, &requests[0]));
        CHECK_OK(MPI_Isendrecv_replace_c(out, n, MPI_INT, left, 6, right, 6, t->comm, &requests[1]));
        CHECK_OK(MPI_Waitall(2, requests, statuses));
        for (int i = 0; i < n; i++) {
            CHECK_EQUAL(i ^ (t->rank << 20), in[i]);
            CHECK_EQUAL(i ^ (right << 20), out[i]);
        }
        /* Forgotten, a short one goes on to its end, which is before that of a later one. */
        int short_count = n < 1000 ? n : 1000;
        CHECK_OK(MPI_Isendrecv_c(out, short_count, MPI_INT, right, 7, in, short_count, MPI_INT, left, 7, t->comm,
                                 &requests[0]));
        CHECK_OK(MPI_Request_free(&requests[0]));
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(MPI_Isendrecv(NULL, 0, MPI_INT, right, 8, NULL, 0, MPI_INT, left, 8, t->comm, &requests[0]));
        CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Barrier(t->comm));
        free(out);
        free(in);
    }
}

void case_request_isendrecv_nobody(const test *t)
{
    int mine = 3, got = -1, count;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(
        MPI_Isendrecv(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, MPI_PROC_NULL, 0, t->comm, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
    CHECK_EQUAL(-1, got);
    CHECK_OK(MPI_Isendrecv(&mine, 1, MPI_INT, t->rank, 1, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, t->comm, &request));
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, t->rank, 1, t->comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(0, count);
    CHECK_EQUAL(3, got);
    /* Too long a message is told by the call that completes. */
    int two[2] = {1, 2};
    CHECK_OK(MPI_Isendrecv(two, 2, MPI_INT, t->rank, 2, &got, 1, MPI_INT, t->rank, 2, t->comm, &request));
    CHECK_EQUAL(MPI_ERR_TRUNCATE, MPI_Wait(&request, &status));
}
