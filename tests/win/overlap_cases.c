/* SPDX-License-Identifier: Apache-2.0 */
/* The same memory in several windows, at both ends of an operation, and in a window as well as in a buffer. */
#include "win_suite.h"

#include <stdlib.h>
#include <string.h>

/* Two windows over halves that overlap: what is put through one is got through the other. */
void case_overlap_windows(test *t)
{
    enum { COUNT = 300 };
    int *memory = test_alloc(COUNT * sizeof(int)), values[100], next = (t->rank + 1) % t->size;
    memset(memory, 0, COUNT * sizeof(int));
    MPI_Win low = test_window(t, memory, 200 * sizeof(int), sizeof(int));
    MPI_Win high = test_window(t, memory + 100, 200 * sizeof(int), 1);
    for (int i = 0; i < 100; i++)
        values[i] = t->rank * 1000 + i;
    CHECK_OK(MPI_Win_fence(0, low));
    CHECK_OK(MPI_Put(values, 100, MPI_INT, next, 100, 100, MPI_INT, low));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, low));
    memset(values, 0, sizeof values);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, high));
    CHECK_OK(MPI_Get(values, 100, MPI_INT, next, 0, 100, MPI_INT, high));
    CHECK_OK(MPI_Win_unlock(next, high));
    for (int i = 0; i < 100; i++)
        CHECK_EQUAL(t->rank * 1000 + i, values[i]);
    /* One lock is none on the other. */
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->rank, 0, low));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->rank, 0, high));
    CHECK_OK(MPI_Win_unlock(t->rank, low));
    CHECK_OK(MPI_Win_unlock(t->rank, high));
    CHECK_OK(MPI_Win_free(&low));
    CHECK_OK(MPI_Win_free(&high));
    test_free(memory);
}

/* From one place of one's own window to another. */
void case_overlap_within(test *t)
{
    enum { COUNT = 5000 };
    for (int flavour = 0; flavour < 2; flavour++) {
        int *base = flavour ? NULL : test_alloc(2 * COUNT * sizeof(int));
        MPI_Win win = flavour ? test_allocated(t, 2 * COUNT * sizeof(int), sizeof(int), &base)
                              : test_window(t, base, 2 * COUNT * sizeof(int), sizeof(int));
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->rank, 0, win));
        for (int i = 0; i < 2 * COUNT; i++)
            base[i] = i;
        CHECK_OK(MPI_Put(base, COUNT, MPI_INT, t->rank, COUNT, COUNT, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(t->rank, win));
        CHECK_OK(MPI_Accumulate(base + 10, 10, MPI_INT, t->rank, 0, 10, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(t->rank, win));
        CHECK_OK(MPI_Get(base + 100, 100, MPI_INT, t->rank, COUNT + 300, 100, MPI_INT, win));
        CHECK_OK(MPI_Win_unlock(t->rank, win));
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->rank, 0, win));
        for (int i = 0; i < COUNT; i++) {
            CHECK_EQUAL(i < 10 ? 2 * i + 10 : i >= 100 && i < 200 ? i + 200 : i, base[i]);
            CHECK_EQUAL(i, base[COUNT + i]);
        }
        CHECK_OK(MPI_Win_unlock(t->rank, win));
        CHECK_OK(MPI_Win_free(&win));
        if (!flavour)
            test_free(base);
    }
}

/* Every rank's buffers are parts of its window that nobody else touches meanwhile: the halves change places. */
void case_overlap_buffers(test *t)
{
    enum { COUNT = 2000 };
    for (int flavour = 0; flavour < 2; flavour++) {
        int *base = flavour ? NULL : test_alloc(3 * COUNT * sizeof(int)), next = (t->rank + 1) % t->size;
        int previous = (t->rank + t->size - 1) % t->size;
        MPI_Win win = flavour ? test_allocated(t, 3 * COUNT * sizeof(int), sizeof(int), &base)
                              : test_window(t, base, 3 * COUNT * sizeof(int), sizeof(int));
        for (int i = 0; i < COUNT; i++) {
            base[i] = t->rank * 10000 + i;
            base[COUNT + i] = base[2 * COUNT + i] = -1;
        }
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
        CHECK_OK(MPI_Put(base, COUNT, MPI_INT, next, COUNT, COUNT, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(0, win));
        CHECK_OK(MPI_Get(base + 2 * COUNT, COUNT, MPI_INT, next, COUNT, COUNT, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        for (int i = 0; i < COUNT; i++) {
            CHECK_EQUAL(t->rank * 10000 + i, base[i]);
            CHECK_EQUAL(previous * 10000 + i, base[COUNT + i]);
            CHECK_EQUAL(t->rank * 10000 + i, base[2 * COUNT + i]);
        }
        CHECK_OK(MPI_Win_free(&win));
        if (!flavour)
            test_free(base);
    }
}

/* Messages and collective operations go to and from memory of a window, too. */
void case_overlap_messages(test *t)
{
    enum { COUNT = 30000 };
    int *base = NULL, next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Win win = test_allocated(t, 2 * COUNT * sizeof(int), sizeof(int), &base);
    for (int i = 0; i < COUNT; i++)
        base[i] = t->rank + i;
    CHECK_OK(MPI_Sendrecv(base, COUNT, MPI_INT, next, 1, base + COUNT, COUNT, MPI_INT, previous, 1, t->comm,
                          MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(previous + i, base[COUNT + i]);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, base, COUNT, MPI_INT, MPI_MAX, t->comm));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(t->size - 1 + i, base[i]);
    CHECK_OK(MPI_Win_free(&win));
}
