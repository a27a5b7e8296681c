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

static void start(const test *t, work *w, int elements)
{
    memset(w, 0, sizeof *w);
    w->elements = elements;
    OK(t, MPI_Grequest_start(query_work, free_work, cancel_work, w, &w->request));
}

static void expect_status(const test *t, const MPI_Status *status, int elements)
{
    int count, flag;
    OK(t, MPI_Get_count(status, MPI_INT, &count));
    EXPECT(t, elements, count);
    OK(t, MPI_Test_cancelled(status, &flag));
    EXPECT(t, 0, flag);
    EXPECT(t, 17, status->MPI_SOURCE);
    EXPECT(t, 23, status->MPI_TAG);
}

static void expect_ended(const test *t, const work *w, int queries)
{
    EXPECT(t, queries, w->queries);
    EXPECT(t, 1, w->frees);
}

void case_request_general_one(const test *t)
{
    work w;
    MPI_Status status;
    MPI_Request handle;
    int flag;
    start(t, &w, 5);
    OK(t, MPI_Test(&w.request, &flag, &status));
    EXPECT(t, 0, flag);
    OK(t, MPI_Request_get_status(w.request, &flag, &status));
    EXPECT(t, 0, flag);
    EXPECT(t, 0, w.queries);
    OK(t, MPI_Grequest_complete(w.request));
    OK(t, MPI_Request_get_status(w.request, &flag, &status));
    EXPECT(t, 1, flag);
    expect_status(t, &status, 5);
    OK(t, MPI_Wait(&w.request, &status));
    expect_status(t, &status, 5);
    expect_ended(t, &w, 2);
    EXPECT(t, 1, w.request == MPI_REQUEST_NULL);

    start(t, &w, 6);
    handle = w.request;
    OK(t, MPI_Grequest_complete(handle));
    OK(t, MPI_Test(&w.request, &flag, MPI_STATUS_IGNORE));
    EXPECT(t, 1, flag);
    expect_ended(t, &w, 1);

    /* What the program's functions return is returned. */
    start(t, &w, 0);
    w.query_code = MPI_ERR_IO;
    OK(t, MPI_Grequest_complete(w.request));
    EXPECT(t, MPI_ERR_IO, MPI_Wait(&w.request, &status));
    expect_ended(t, &w, 1);
    start(t, &w, 0);
    w.free_code = MPI_ERR_ACCESS;
    OK(t, MPI_Grequest_complete(w.request));
    EXPECT(t, MPI_ERR_ACCESS, MPI_Test(&w.request, &flag, &status));
    expect_ended(t, &w, 1);
}

enum { SEVERAL = 100 }; /* more than are handled in one round */

/* Every second is a message; all are complete afterwards. */
static void start_several(const test *t, work *works, MPI_Request *requests, int *numbers)
{
    for (int i = 0; i < SEVERAL; i++) {
        start(t, &works[i], i);
        requests[2 * i] = works[i].request;
        OK(t, MPI_Irecv(&numbers[i], 1, MPI_INT, t->rank, i, t->comm, &requests[2 * i + 1]));
    }
    int flag;
    OK(t, MPI_Testall(2 * SEVERAL, requests, &flag, MPI_STATUSES_IGNORE));
    EXPECT(t, 0, flag);
    OK(t, MPI_Request_get_status_all(2 * SEVERAL, requests, &flag, MPI_STATUSES_IGNORE));
    EXPECT(t, 0, flag);
    for (int i = 0; i < SEVERAL; i++) {
        OK(t, MPI_Send(&i, 1, MPI_INT, t->rank, i, t->comm));
        OK(t, MPI_Grequest_complete(requests[2 * i]));
    }
}

/* Complete all in one of the ways that there are. */
static void complete_all(const test *t, int way, MPI_Request *requests, MPI_Status *statuses)
{
    int flag = 0;
    if (way == 0)
        OK(t, MPI_Waitall(2 * SEVERAL, requests, statuses));
    while (way == 1 && !flag)
        OK(t, MPI_Testall(2 * SEVERAL, requests, &flag, statuses));
}

static void complete_any(const test *t, int is_test, MPI_Request *requests, MPI_Status *statuses)
{
    for (int done = 0; done < 2 * SEVERAL;) {
        MPI_Status status;
        int index, flag = 1;
        if (is_test)
            OK(t, MPI_Testany(2 * SEVERAL, requests, &index, &flag, &status));
        else
            OK(t, MPI_Waitany(2 * SEVERAL, requests, &index, &status));
        if (!flag)
            continue;
        statuses[index] = status;
        statuses[index].MPI_ERROR = MPI_SUCCESS;
        done++;
    }
}

static void complete_some(const test *t, int is_test, MPI_Request *requests, MPI_Status *statuses)
{
    for (int done = 0, count; done < 2 * SEVERAL; done += count) {
        MPI_Status some[2 * SEVERAL];
        int indices[2 * SEVERAL];
        if (is_test)
            OK(t, MPI_Testsome(2 * SEVERAL, requests, &count, indices, some));
        else
            OK(t, MPI_Waitsome(2 * SEVERAL, requests, &count, indices, some));
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
            complete_all(t, way % 2, requests, way < 2 ? statuses : MPI_STATUSES_IGNORE);
        else if (way < 6)
            complete_any(t, way % 2, requests, statuses);
        else
            complete_some(t, way % 2, requests, statuses);
        for (int i = 0; i < SEVERAL; i++) {
            EXPECT(t, 1, requests[2 * i] == MPI_REQUEST_NULL && requests[2 * i + 1] == MPI_REQUEST_NULL);
            expect_ended(t, &works[i], 1);
            EXPECT(t, i, numbers[i]);
            if (way == 2 || way == 3)
                continue;
            expect_status(t, &statuses[2 * i], i);
            EXPECT(t, MPI_SUCCESS, statuses[2 * i].MPI_ERROR);
            EXPECT(t, i, statuses[2 * i + 1].MPI_TAG);
        }
    }
    free(works);
}

/* One fails: the others are complete all the same, and the status tells which. */
void case_request_general_one_fails(const test *t)
{
    work works[3];
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int flag;
    for (int i = 0; i < 3; i++) {
        start(t, &works[i], i);
        requests[i] = works[i].request;
        works[i].query_code = i == 1 ? MPI_ERR_IO : MPI_SUCCESS;
        OK(t, MPI_Grequest_complete(requests[i]));
    }
    EXPECT(t, MPI_ERR_IN_STATUS, MPI_Waitall(3, requests, statuses));
    for (int i = 0; i < 3; i++) {
        EXPECT(t, i == 1 ? MPI_ERR_IO : MPI_SUCCESS, statuses[i].MPI_ERROR);
        expect_ended(t, &works[i], 1);
    }
    OK(t, MPI_Request_get_status_all(3, requests, &flag, statuses));
    EXPECT(t, 1, flag);
}

void case_request_general_free_and_cancel(const test *t)
{
    work w;
    MPI_Request handle;
    MPI_Status status;
    int flag;
    /* Freed after it was complete, and before. */
    start(t, &w, 1);
    OK(t, MPI_Grequest_complete(w.request));
    OK(t, MPI_Request_free(&w.request));
    expect_ended(t, &w, 0);
    start(t, &w, 1);
    handle = w.request;
    OK(t, MPI_Request_free(&w.request));
    EXPECT(t, 1, w.request == MPI_REQUEST_NULL);
    EXPECT(t, 0, w.frees);
    OK(t, MPI_Grequest_complete(handle));
    expect_ended(t, &w, 0);

    start(t, &w, 1);
    OK(t, MPI_Cancel(&w.request));
    EXPECT(t, 1, w.cancels);
    EXPECT(t, 0, w.cancel_flag);
    OK(t, MPI_Grequest_complete(w.request));
    OK(t, MPI_Cancel(&w.request));
    EXPECT(t, 2, w.cancels);
    EXPECT(t, 1, w.cancel_flag);
    OK(t, MPI_Wait(&w.request, &status));
    OK(t, MPI_Test_cancelled(&status, &flag));
    EXPECT(t, 1, flag);
    expect_ended(t, &w, 1);
    /* Others are not generalized. */
    OK(t, MPI_Irecv(&flag, 1, MPI_INT, 0, 1, t->comm, &handle));
    EXPECT(t, MPI_ERR_REQUEST, MPI_Grequest_complete(handle));
    OK(t, MPI_Cancel(&handle));
    OK(t, MPI_Wait(&handle, MPI_STATUS_IGNORE));
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
        start(t, &w, 1);
        test_in_threads(t, 2, complete_later, &w);
        expect_ended(t, &w, 1);
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
        OK(t, MPI_Isendrecv(out, n, MPI_INT, right, 4, in, n, MPI_INT, row % 2 ? left : MPI_ANY_SOURCE, 4, t->comm,
                            &requests[0]));
        OK(t, MPI_Wait(&requests[0], &statuses[0]));
        EXPECT(t, left, statuses[0].MPI_SOURCE);
        EXPECT(t, 4, statuses[0].MPI_TAG);
        OK(t, MPI_Get_count(&statuses[0], MPI_INT, &count));
        EXPECT(t, n, count);
        for (int i = 0; i < n; i++)
            EXPECT(t, i ^ (left << 20), in[i]);
        /* Two at once, in place, the other way; the second with large counts. */
        OK(t, MPI_Isendrecv_replace(in, n, MPI_INT, left, 5, right, 5, t->comm, &requests[0]));
        OK(t, MPI_Isendrecv_replace_c(out, n, MPI_INT, left, 6, right, 6, t->comm, &requests[1]));
        OK(t, MPI_Waitall(2, requests, statuses));
        for (int i = 0; i < n; i++) {
            EXPECT(t, i ^ (t->rank << 20), in[i]);
            EXPECT(t, i ^ (right << 20), out[i]);
        }
        /* Forgotten, a short one goes on to its end, which is before that of a later one. */
        int short_count = n < 1000 ? n : 1000;
        OK(t, MPI_Isendrecv_c(out, short_count, MPI_INT, right, 7, in, short_count, MPI_INT, left, 7, t->comm,
                              &requests[0]));
        OK(t, MPI_Request_free(&requests[0]));
        OK(t, MPI_Barrier(t->comm));
        OK(t, MPI_Isendrecv(NULL, 0, MPI_INT, right, 8, NULL, 0, MPI_INT, left, 8, t->comm, &requests[0]));
        OK(t, MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        OK(t, MPI_Barrier(t->comm));
        free(out);
        free(in);
    }
}

void case_request_isendrecv_nobody(const test *t)
{
    int mine = 3, got = -1, count;
    MPI_Request request;
    MPI_Status status;
    OK(t, MPI_Isendrecv(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, MPI_PROC_NULL, 0, t->comm, &request));
    OK(t, MPI_Wait(&request, &status));
    EXPECT(t, MPI_PROC_NULL, status.MPI_SOURCE);
    EXPECT(t, -1, got);
    OK(t, MPI_Isendrecv(&mine, 1, MPI_INT, t->rank, 1, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, t->comm, &request));
    OK(t, MPI_Recv(&got, 1, MPI_INT, t->rank, 1, t->comm, MPI_STATUS_IGNORE));
    OK(t, MPI_Wait(&request, &status));
    OK(t, MPI_Get_count(&status, MPI_INT, &count));
    EXPECT(t, 0, count);
    EXPECT(t, 3, got);
    /* Too long a message is told by the call that completes. */
    int two[2] = {1, 2};
    OK(t, MPI_Isendrecv(two, 2, MPI_INT, t->rank, 2, &got, 1, MPI_INT, t->rank, 2, t->comm, &request));
    EXPECT(t, MPI_ERR_TRUNCATE, MPI_Wait(&request, &status));
}
