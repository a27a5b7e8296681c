/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong use: the right error class, a sentence, and a window that works as before. */
#include "win_suite.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 10 };

/* The window is not harmed: its contents are as they were, and an epoch of each kind works. */
static void wrong_check(const test *t, MPI_Win win, int *base)
{
    int next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size, value = t->rank + 100, got = -1;
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(i, base[i]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQUAL(previous + 100, base[0]);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_EQUAL(value, got);
    MPI_Group origins = test_group(t, 1, &previous), targets = test_group(t, 1, &next);
    value = 0;
    CHECK_OK(MPI_Win_post(origins, 0, win));
    CHECK_OK(MPI_Win_start(targets, 0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_complete(win));
    CHECK_OK(MPI_Win_wait(win));
    CHECK_EQUAL(0, base[0]);
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Group_free(&targets));
    CHECK_OK(MPI_Barrier(t->comm));
}

static MPI_Win wrong_window(const test *t, int **base_p)
{
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), base_p);
    for (int i = 0; i < COUNT; i++)
        (*base_p)[i] = i;
    CHECK_OK(MPI_Barrier(t->comm));
    return win;
}

/* Every operation at a target to which there is no access. */
static void wrong_operations(MPI_Win win, int target, int class)
{
    int value = 5, old = -1, compare = 5;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_CLASS(class, MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    CHECK_CLASS(class, MPI_Get(&old, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    CHECK_CLASS(class, MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_CLASS(class, MPI_Get_accumulate(&value, 1, MPI_INT, &old, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_CLASS(class, MPI_Fetch_and_op(&value, &old, MPI_INT, target, 0, MPI_SUM, win));
    CHECK_CLASS(class, MPI_Compare_and_swap(&value, &compare, &old, MPI_INT, target, 0, win));
    CHECK_CLASS(class, MPI_Rput(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request));
    CHECK_CLASS(class, MPI_Rget(&old, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request));
    CHECK_CLASS(class, MPI_Raccumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win, &request));
    CHECK_CLASS(class, MPI_Rget_accumulate(&value, 1, MPI_INT, &old, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win,
                                           &request));
    CHECK_EQUAL(-1, old);
}

/* Operations outside of any epoch, and on targets that the epoch does not include. */
void case_wrong_no_access(test *t)
{
    int *base, next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Win win = wrong_window(t, &base);
    MPI_Group origins = test_group(t, 1, &previous), targets = test_group(t, 1, &next);
    wrong_operations(win, next, MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    wrong_operations(win, next, MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    if (t->size > 1)
        wrong_operations(win, (next + 1) % t->size, MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_unlock(next, win));
    wrong_operations(win, next, MPI_ERR_RMA_SYNC);
    /* Others have access to me, and I to nobody. */
    CHECK_OK(MPI_Win_post(origins, 0, win));
    wrong_operations(win, next, MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_start(targets, 0, win));
    if (t->size > 1)
        wrong_operations(win, (next + 1) % t->size, MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_complete(win));
    CHECK_OK(MPI_Win_wait(win));
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Group_free(&targets));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Win_free(&win));
}

/* Ends without beginnings. */
void case_wrong_no_beginning(test *t)
{
    int *base, flag = 0, next = (t->rank + 1) % t->size;
    MPI_Win win = wrong_window(t, &base);
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(next, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_test(win, &flag));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush(next, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush_local(next, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush_local_all(win));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    if (t->size > 1)
        CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock((next + 1) % t->size, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Win_free(&win));
}

/* Epochs inside of others. */
void case_wrong_nested(test *t)
{
    int *base, next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Win win = wrong_window(t, &base);
    MPI_Group origins = test_group(t, 1, &previous), targets = test_group(t, 1, &next);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_start(targets, 0, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_start(targets, 0, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_post(origins, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_post(origins, 0, win));
    CHECK_OK(MPI_Win_start(targets, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_start(targets, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_complete(win));
    CHECK_OK(MPI_Win_wait(win));
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Group_free(&targets));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Win_free(&win));
}

/* Beyond the window, with an operation of each kind and by datatypes that reach further than they seem to. */
void case_wrong_range(test *t)
{
    int *base, next = (t->rank + 1) % t->size, values[2 * COUNT] = {0}, old[2 * COUNT] = {0}, one = 1;
    int displacement = -3, length = 1;
    MPI_Datatype vector, before;
    MPI_Win win = wrong_window(t, &base);
    CHECK_OK(MPI_Type_vector(2, 1, COUNT, MPI_INT, &vector));
    CHECK_OK(MPI_Type_commit(&vector));
    CHECK_OK(MPI_Type_indexed(1, &length, &displacement, MPI_INT, &before));
    CHECK_OK(MPI_Type_commit(&before));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Put(values, 1, MPI_INT, next, COUNT, 1, MPI_INT, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Put(values, COUNT + 1, MPI_INT, next, 0, COUNT + 1, MPI_INT, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Get(old, 2, MPI_INT, next, COUNT - 1, 2, MPI_INT, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Put(values, 2, MPI_INT, next, 0, 1, vector, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Put(values, 1, MPI_INT, next, 2, 1, before, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Accumulate(values, 1, MPI_INT, next, 1 << 30, 1, MPI_INT, MPI_SUM, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE,
                MPI_Accumulate(values, 1, MPI_DOUBLE, next, COUNT - 1, 1, MPI_DOUBLE, MPI_SUM, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Fetch_and_op(&one, old, MPI_INT, next, COUNT, MPI_SUM, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Compare_and_swap(&one, &one, old, MPI_INT, next, COUNT, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Put(values, 1, MPI_INT, next, (MPI_Aint)1 << 62, 1, MPI_INT, win));
    /* Up to the end, and nothing at the end, are right. */
    CHECK_OK(MPI_Get(old, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win));
    CHECK_OK(MPI_Get(old + COUNT, 1, MPI_INT, next, 3, 1, before, win));
    CHECK_OK(MPI_Get(old, 0, MPI_INT, next, COUNT, 0, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    for (int i = 0; i <= COUNT; i++)
        CHECK_EQUAL(i % COUNT, old[i]);
    CHECK_OK(MPI_Type_free(&vector));
    CHECK_OK(MPI_Type_free(&before));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Win_free(&win));
}

/* Arguments that are wrong whatever the epoch is. */
void case_wrong_arguments(test *t)
{
    int *base, value = 1, old = 0, next = (t->rank + 1) % t->size;
    double real = 1;
    MPI_Win win = wrong_window(t, &base), made = MPI_WIN_NULL;
    CHECK_EQUAL(MPI_ERR_WIN, test_class(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_WIN_NULL)));
    CHECK_EQUAL(MPI_ERR_SIZE, test_class(MPI_Win_create(base, -1, 1, MPI_INFO_NULL, t->comm, &made)));
    CHECK_EQUAL(MPI_ERR_DISP, test_class(MPI_Win_create(base, 4, 0, MPI_INFO_NULL, t->comm, &made)));
    CHECK_EQUAL(MPI_ERR_COMM, test_class(MPI_Win_create(base, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &made)));
    CHECK(made == MPI_WIN_NULL);
    CHECK_EQUAL(MPI_ERR_LOCKTYPE, test_class(MPI_Win_lock(0, next, 0, win)));
    CHECK_EQUAL(MPI_ERR_ASSERT, test_class(MPI_Win_lock(MPI_LOCK_SHARED, next, 1, win)));
    CHECK_EQUAL(MPI_ERR_RANK, test_class(MPI_Win_lock(MPI_LOCK_SHARED, t->size, 0, win)));
    CHECK_EQUAL(MPI_ERR_GROUP, test_class(MPI_Win_start(MPI_GROUP_NULL, 0, win)));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_EQUAL(MPI_ERR_RANK, test_class(MPI_Put(&value, 1, MPI_INT, t->size, 0, 1, MPI_INT, win)));
    CHECK_EQUAL(MPI_ERR_RANK, test_class(MPI_Win_flush(t->size, win)));
    CHECK_EQUAL(MPI_ERR_COUNT, test_class(MPI_Put(&value, -1, MPI_INT, next, 0, 1, MPI_INT, win)));
    CHECK_EQUAL(MPI_ERR_COUNT, test_class(MPI_Put(&value, 1, MPI_INT, next, 0, -1, MPI_INT, win)));
    CHECK_EQUAL(MPI_ERR_TYPE, test_class(MPI_Put(&value, 1, MPI_DATATYPE_NULL, next, 0, 1, MPI_INT, win)));
    CHECK_EQUAL(MPI_ERR_DISP, test_class(MPI_Put(&value, 1, MPI_INT, next, -1, 1, MPI_INT, win)));
    CHECK_EQUAL(MPI_ERR_OP, test_class(MPI_Accumulate(&value, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_OP_NULL, win)));
    CHECK_EQUAL(MPI_ERR_OP, test_class(MPI_Accumulate(&real, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, MPI_BAND, win)));
    CHECK_EQUAL(MPI_ERR_OP, test_class(MPI_Fetch_and_op(&value, &old, MPI_INT, next, 0, MPI_MAXLOC, win)));
    CHECK_EQUAL(MPI_ERR_TYPE, test_class(MPI_Compare_and_swap(&real, &real, &real, MPI_DOUBLE, next, 0, win)));
    CHECK_OK(MPI_Win_unlock_all(win));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Win_free(&win));
}

/* Attaching and detaching. */
void case_wrong_attach(test *t)
{
    int *base, memory[100], value = 7, next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Aint mine, address;
    MPI_Win win, fixed = wrong_window(t, &base);
    CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(fixed, memory, sizeof memory));
    CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_detach(fixed, base));
    wrong_check(t, fixed, base);
    CHECK_OK(MPI_Win_free(&fixed));
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, memory));
    CHECK_OK(MPI_Win_attach(win, memory, 50 * sizeof(int)));
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, memory + 49, 10 * sizeof(int)));
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, memory, 50 * sizeof(int)));
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, memory + 1));
    CHECK_OK(MPI_Win_attach(win, memory + 50, 50 * sizeof(int)));
    CHECK_OK(MPI_Win_detach(win, memory));
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, memory));
    CHECK_OK(MPI_Get_address(memory + 60, &mine));
    CHECK_OK(
        MPI_Sendrecv(&mine, 1, MPI_AINT, previous, 1, &address, 1, MPI_AINT, next, 1, t->comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, address, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQUAL(7, memory[60]);
    CHECK_OK(MPI_Win_free(&win));
}

/* An element with a gap inside reaches further than its bytes: the last two are not attached. */
void case_wrong_attach_part(test *t)
{
    const struct {
        short value;
        int index;
    } pair = {0x1111, 0x22222222};
    unsigned char memory[16];
    int next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Aint mine, address;
    MPI_Win win;
    memset(memory, 0x77, sizeof memory);
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_attach(win, memory, 6));
    CHECK_OK(MPI_Get_address(memory, &mine));
    CHECK_OK(
        MPI_Sendrecv(&mine, 1, MPI_AINT, previous, 1, &address, 1, MPI_AINT, next, 1, t->comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_fence(0, win));
    if (next == t->rank) {
        CHECK_CLASS(MPI_ERR_RMA_RANGE,
                    MPI_Accumulate(&pair, 1, MPI_SHORT_INT, next, address, 1, MPI_SHORT_INT, MPI_REPLACE, win));
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    } else { /* the target finds it */
        CHECK_OK(MPI_Accumulate(&pair, 1, MPI_SHORT_INT, next, address, 1, MPI_SHORT_INT, MPI_REPLACE, win));
        CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    }
    for (size_t i = 0; i < sizeof memory; i++)
        CHECK_EQUAL(0x77, memory[i]);
    CHECK_OK(MPI_Win_free(&win));
}

/* What a target refuses in an epoch whose end has no answer is told with the next one; a lock is taken nevertheless. */
void case_wrong_attach_later(test *t)
{
    int memory = 0, value = 7, next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Group targets = test_group(t, 1, &next), origins = test_group(t, 1, &previous);
    MPI_Aint mine, address;
    MPI_Win win;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_attach(win, &memory, sizeof memory));
    CHECK_OK(MPI_Get_address(&memory, &mine));
    CHECK_OK(
        MPI_Sendrecv(&mine, 1, MPI_AINT, previous, 1, &address, 1, MPI_AINT, next, 1, t->comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_post(origins, 0, win));
    CHECK_OK(MPI_Win_start(targets, 0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, address + (MPI_Aint)sizeof memory, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_complete(win));
    CHECK_OK(MPI_Win_wait(win));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, address, 1, MPI_INT, win));
    CHECK_CLASS(MPI_ERR_RMA_RANGE, MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_EQUAL(7, memory);
    for (int target = 0; target < t->size; target++) { /* nobody has kept a lock */
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        CHECK_OK(MPI_Win_unlock(target, win));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Group_free(&targets));
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Win_free(&win));
}

/* Freed too early by one rank: the others have not to wait for it twice. */
void case_wrong_free(test *t)
{
    int *base, next = (t->rank + 1) % t->size;
    MPI_Win win = wrong_window(t, &base), same = win;
    MPI_Group targets = test_group(t, 1, &next), nobody = test_group(t, 0, NULL);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    CHECK(win == same);
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    CHECK_OK(MPI_Win_unlock_all(win));
    if (t->rank == 0) {
        CHECK_OK(MPI_Win_post(nobody, 0, win));
        CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
        CHECK_OK(MPI_Win_wait(win));
        CHECK_OK(MPI_Win_start(nobody, 0, win));
        CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
        CHECK_OK(MPI_Win_complete(win));
    }
    CHECK_OK(MPI_Win_fence(0, win));
    if (t->rank == 0) {
        CHECK_OK(MPI_Put(base, 1, MPI_INT, next, 0, 1, MPI_INT, win));
        CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
        CHECK(win == same);
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Group_free(&targets));
    CHECK_OK(MPI_Group_free(&nobody));
    CHECK_OK(MPI_Win_free(&win));
}

/* A handler of the window is called, with the window and the code; one that returns is the communicator's no more. */
static _Thread_local struct {
    int calls, code;
    MPI_Win win;
} wrong_told;

static void wrong_note(MPI_Win *win, int *code, ...)
{
    wrong_told.calls++;
    wrong_told.code = *code;
    wrong_told.win = *win;
}

void case_wrong_handler(test *t)
{
    int *base, value = 1, next = (t->rank + 1) % t->size;
    MPI_Errhandler handler;
    MPI_Win win = wrong_window(t, &base);
    CHECK_OK(MPI_Win_create_errhandler(wrong_note, &handler));
    CHECK_OK(MPI_Win_set_errhandler(win, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    wrong_told.calls = 0;
    int code = MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    CHECK_EQUAL(MPI_ERR_RMA_SYNC, test_class(code));
    CHECK_EQUAL(1, wrong_told.calls);
    CHECK_EQUAL(MPI_ERR_RMA_SYNC, test_class(wrong_told.code));
    CHECK(wrong_told.win == win);
    CHECK_OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK_EQUAL(2, wrong_told.calls);
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    wrong_check(t, win, base);
    CHECK_OK(MPI_Win_free(&win));
}
