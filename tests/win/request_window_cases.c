/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with requests. */
#include "win_suite.h"

#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 1500, BLOCK = 40 };

static int *request_window(test *t, MPI_Win *win_p, size_t blocks)
{
    int *base = NULL;
    *win_p = test_allocated(t, blocks * BLOCK * sizeof(int), BLOCK * sizeof(int), &base);
    test_own_begin(t, *win_p);
    for (size_t i = 0; i < blocks * BLOCK; i++)
        base[i] = t->rank * 1000000 + (int)i;
    test_own_end(t, *win_p);
    CHECK_OK(MPI_Barrier(t->comm));
    return base;
}

/* More of them than anybody counts on, completed in another order; data are there when each is. */
void case_request_many(test *t)
{
    MPI_Win win;
    int next = (t->rank + 1) % t->size, count = test_is_slow() ? 300 : REQUESTS;
    int *values = calloc((size_t)count * BLOCK, sizeof *values), *base = request_window(t, &win, (size_t)count);
    MPI_Request *requests = malloc((size_t)count * sizeof *requests);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < count; i++)
        CHECK_OK(MPI_Rget(values + i * BLOCK, BLOCK, MPI_INT, next, i, BLOCK, MPI_INT, win, &requests[i]));
    for (int k = 0; k < count; k++) {
        int i = (int)((long)k * 7 % count);
        if (count % 7 == 0)
            i = count - 1 - k;
        CHECK_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        CHECK(requests[i] == MPI_REQUEST_NULL);
        for (int j = 0; j < BLOCK; j++)
            CHECK_EQUAL(next * 1000000 + i * BLOCK + j, values[i * BLOCK + j]);
    }
    CHECK_OK(MPI_Barrier(t->comm)); /* all have read */
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < BLOCK; j++)
            values[i * BLOCK + j] = -i;
        CHECK_OK(MPI_Rput(values + i * BLOCK, BLOCK, MPI_INT, next, i, BLOCK, MPI_INT, win, &requests[i]));
    }
    CHECK_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    memset(values, 0xee, (size_t)count * BLOCK * sizeof *values); /* they are mine again */
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int i = 0; i < count * BLOCK; i++)
        CHECK_EQUAL(-(i / BLOCK), base[i]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
    free(values);
    free(requests);
}

/* Waitany over operations and messages together. */
void case_request_mixed(test *t)
{
    enum { EACH = 30 };
    MPI_Win win;
    int next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    int values[EACH][BLOCK], in[EACH], out[EACH], done = 0, is_done[3 * EACH] = {0};
    MPI_Request requests[3 * EACH];
    request_window(t, &win, EACH);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    for (int i = 0; i < EACH; i++) {
        out[i] = i * 3;
        CHECK_OK(MPI_Rget(values[i], BLOCK, MPI_INT, next, i, BLOCK, MPI_INT, win, &requests[i]));
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, previous, i, t->comm, &requests[EACH + i]));
        CHECK_OK(MPI_Isend(&out[i], 1, MPI_INT, next, i, t->comm, &requests[2 * EACH + i]));
    }
    for (; done < 3 * EACH; done++) {
        int index = -1;
        CHECK_OK(MPI_Waitany(3 * EACH, requests, &index, MPI_STATUS_IGNORE));
        CHECK(index >= 0 && index < 3 * EACH && !is_done[index]);
        is_done[index] = 1;
        if (index < EACH)
            for (int j = 0; j < BLOCK; j++)
                CHECK_EQUAL(next * 1000000 + index * BLOCK + j, values[index][j]);
        else if (index < 2 * EACH)
            CHECK_EQUAL((index - EACH) * 3, in[index - EACH]);
    }
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
}

/* Test, Testall and Testsome; all operations that have requests; requests of nothing. */
void case_request_tested(test *t)
{
    MPI_Win win;
    int next = (t->rank + 1) % t->size, one = 1, old[4] = {-1, -1, -1, -1}, flag = 0, indices[4], count = 0, all = 0;
    int *base = request_window(t, &win, 1);
    MPI_Request requests[4], request;
    MPI_Status status;
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Rget(&old[0], 1, MPI_INT, next, 0, 1, MPI_INT, win, &request));
    CHECK_UNTIL(flag, CHECK_OK(MPI_Test(&request, &flag, &status)));
    CHECK_EQUAL(next * 1000000, old[0]);
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Raccumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win, &requests[0]));
    CHECK_OK(
        MPI_Rget_accumulate(&one, 1, MPI_INT, &old[1], 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win, &requests[1]));
    CHECK_OK(
        MPI_Rget_accumulate(NULL, 0, MPI_INT, &old[2], 1, MPI_INT, next, 0, 1, MPI_INT, MPI_NO_OP, win, &requests[2]));
    CHECK_OK(MPI_Rget_accumulate(&one, 1, MPI_INT, &old[3], 1, MPI_INT, next, 0, 1, MPI_INT, MPI_REPLACE, win,
                                 &requests[3]));
    check_wait wait = {.patience_s = 60};
    while (all < 4) {
        CHECK_OK(MPI_Testsome(4, requests, &count, indices, MPI_STATUSES_IGNORE));
        CHECK(count != MPI_UNDEFINED);
        all += count;
        check_wait_on(&wait, __FILE__, __LINE__, "Testsome");
    }
    CHECK_EQUAL(next * 1000000 + 1, old[1]);
    CHECK_EQUAL(next * 1000000 + 2, old[2]);
    CHECK_EQUAL(next * 1000000 + 2, old[3]);
    CHECK_OK(MPI_Rput(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[0]));
    CHECK_OK(MPI_Rget(old, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[1]));
    CHECK_OK(MPI_Rput(&one, 0, MPI_INT, next, 0, 0, MPI_INT, win, &requests[2]));
    CHECK_OK(MPI_Rget(old, 0, MPI_INT, next, 0, 0, MPI_INT, win, &requests[3]));
    flag = 0;
    CHECK_UNTIL(flag, CHECK_OK(MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE)));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    CHECK_EQUAL(1, base[0]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
}

/* The synchronization completes operations whose requests are still there. */
void case_request_synchronized(test *t)
{
    enum { COUNT = 60000 };
    int next = (t->rank + 1) % t->size, *base = NULL;
    int *values = malloc(COUNT * sizeof *values);
    MPI_Request requests[2];
    MPI_Win win = test_allocated(t, 2 * COUNT * sizeof(int), sizeof(int), &base);
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_OK(MPI_Rput(values, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win, &requests[0]));
    CHECK_OK(MPI_Rput(values, COUNT, MPI_INT, next, COUNT, COUNT, MPI_INT, win, &requests[1]));
    CHECK_OK(MPI_Win_unlock(next, win));
    memset(values, 0xee, COUNT * sizeof *values);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK_EQUAL(i % COUNT, base[i]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
    free(values);
}
