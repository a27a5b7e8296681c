/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulating operations of one origin on one element happen in their order. */
#include "win_suite.h"

#include <stdlib.h>

/* The last value that was put in place stays. */
void case_order_replace(test *t)
{
    enum { COUNT = 300 }; /* elements: now one, now all of them */
    int rounds = test_volume(t, 200);
    int *base = NULL, *values = malloc((size_t)rounds * COUNT * sizeof *values), next = (t->rank + 1) % t->size;
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < rounds; i++) {
        int count = i % 3 ? 1 : COUNT, *from = values + i * COUNT;
        for (int k = 0; k < COUNT; k++)
            from[k] = i * 1000 + k;
        CHECK_OK(MPI_Accumulate(from, count, MPI_INT, next, 0, count, MPI_INT, MPI_REPLACE, win));
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    int last = (rounds - 1) / 3 * 3;
    CHECK_EQUAL((rounds - 1) * 1000, base[0]);
    for (int k = 1; k < COUNT; k++)
        CHECK_EQUAL(last * 1000 + k, base[k]);
    CHECK_OK(MPI_Win_free(&win));
    free(values);
}

/* What is read is what this origin's operations before have made of it: each has a result without any flush between. */
void case_order_seen(test *t)
{
    int rounds = test_volume(t, 500), one = 1;
    int *base = NULL, *seen = calloc((size_t)rounds * 2, sizeof *seen), none = 0;
    MPI_Win win = test_allocated(t, (size_t)t->size * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int k = 0; k < t->size; k++) {
        int target = (t->rank + k) % t->size;
        for (int i = 0; i < rounds; i++) {
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, target, t->rank, 1, MPI_INT, MPI_SUM, win));
            CHECK_OK(MPI_Get_accumulate(&none, 1, MPI_INT, &seen[2 * i], 1, MPI_INT, target, t->rank, 1, MPI_INT,
                                        MPI_NO_OP, win));
            CHECK_OK(MPI_Fetch_and_op(&one, &seen[2 * i + 1], MPI_INT, target, t->rank, MPI_SUM, win));
        }
        CHECK_OK(MPI_Win_flush(target, win));
        for (int i = 0; i < 2 * rounds; i++)
            CHECK_EQUAL(i / 2 * 2 + 1, seen[i]);
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
    free(seen);
}

/* The same with a long operation among short ones: they must not overtake it. */
void case_order_long_and_short(test *t)
{
    enum { COUNT = 100000 };
    int *base = NULL, *ones = malloc(COUNT * sizeof *ones), last = 0, next = (t->rank + 1) % t->size, ten = 10;
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    for (int round = 0; round < test_volume(t, 10); round++) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
        CHECK_OK(MPI_Accumulate(ones, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, MPI_REPLACE, win));
        CHECK_OK(MPI_Accumulate(&ten, 1, MPI_INT, next, COUNT - 1, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Accumulate(ones, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Fetch_and_op(&ten, &last, MPI_INT, next, COUNT - 1, MPI_REPLACE, win));
        CHECK_OK(MPI_Win_unlock(next, win));
        CHECK_EQUAL(12, last);
    }
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(i == COUNT - 1 ? 10 : 2, base[i]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
    free(ones);
}

/* A swap that succeeds, then one that fails, then one that succeeds, in one epoch. */
void case_order_swaps(test *t)
{
    int64_t *base = NULL, zero = 0, mine = 1000 + t->rank, other = -1, found[3] = {-5, -5, -5};
    int next = (t->rank + 1) % t->size;
    MPI_Win win = test_allocated(t, sizeof *base, sizeof *base, &base);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Compare_and_swap(&mine, &zero, &found[0], MPI_INT64_T, next, 0, win));
    CHECK_OK(MPI_Compare_and_swap(&other, &zero, &found[1], MPI_INT64_T, next, 0, win));
    CHECK_OK(MPI_Compare_and_swap(&other, &mine, &found[2], MPI_INT64_T, next, 0, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQUAL(0, found[0]);
    CHECK_EQUAL(mine, found[1]);
    CHECK_EQUAL(mine, found[2]);
    CHECK_EQUAL(-1, base[0]);
    CHECK_OK(MPI_Win_free(&win));
}
