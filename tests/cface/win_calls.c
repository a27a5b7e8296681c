/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What windows have besides memory: attributes, hints, names, groups, error handlers, integers; and each operation
 * once, in both forms, with the results that its arguments ask for. tests/win tests how ranks wait for each other.
 */
#include "wrong.h"

#include <corunna/threads.h>
#include <stdlib.h>

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static void test_predefined(MPI_Win win, void *base, MPI_Aint size, int unit, int flavour)
{
    void *found;
    MPI_Aint *bytes;
    int *number, flag = 0;
    CHECK(MPI_Win_get_attr(win, MPI_WIN_BASE, &found, &flag) == MPI_SUCCESS && flag && found == base);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag) == MPI_SUCCESS && flag && *bytes == size);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag) == MPI_SUCCESS && flag && *number == unit);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag) == MPI_SUCCESS && flag && *number == flavour);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag) == MPI_SUCCESS && flag && *number == MPI_WIN_UNIFIED);
}

static void test_flavours(void)
{
    MPI_Win win;
    double memory[4], *base = NULL;
    CHECK_OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    test_predefined(win, memory, sizeof memory, 8, MPI_WIN_FLAVOR_CREATE);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS && win == MPI_WIN_NULL);
    CHECK_OK(MPI_Win_allocate(80, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK(base && base[0] == 0 && base[9] == 0);
    test_predefined(win, base, 80, 4, MPI_WIN_FLAVOR_ALLOCATE);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_allocate_shared_c(16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    test_predefined(win, base, 16, 1, MPI_WIN_FLAVOR_SHARED);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    test_predefined(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    CHECK_OK(MPI_Win_free(&win));
}

/* All see all memory of a shared window, and each where its own is. */
static void test_shared_query(void)
{
    MPI_Win win;
    MPI_Aint size;
    MPI_Count wide;
    int *base, *other, rank, ranks, unit;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_OK(MPI_Win_allocate_shared(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 10 + rank;
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < ranks; i++) {
        CHECK_OK(MPI_Win_shared_query(win, i, &size, &unit, &other));
        CHECK(size == sizeof *base && unit == sizeof *base && *other == 10 + i && (i != rank || other == base));
    }
    CHECK(MPI_Win_shared_query_c(win, MPI_PROC_NULL, &size, &wide, &other) == MPI_SUCCESS && *other == 10);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_free(&win));
}

static int forget(MPI_Win win, int key, void *value, void *state)
{
    CHECK(win != MPI_WIN_NULL && key != MPI_KEYVAL_INVALID);
    *(int *)value += *(int *)state;
    return MPI_SUCCESS;
}

static int refuse(MPI_Win win, int key, void *value, void *state)
{
    (void)win, (void)key, (void)value;
    return *(int *)state ? MPI_ERR_ARG : MPI_SUCCESS;
}

static void test_keys(MPI_Win win)
{
    int key, other, comm_key, flag, state = 3, values[2] = {0, 0}, *found;
    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, forget, &key, &state));
    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL));
    CHECK(MPI_Win_get_attr(win, key, &found, &flag) == MPI_SUCCESS && !flag);
    CHECK_OK(MPI_Win_set_attr(win, key, &values[0]));
    CHECK(MPI_Win_get_attr(win, key, &found, &flag) == MPI_SUCCESS && flag && found == &values[0]);
    CHECK(MPI_Win_set_attr(win, key, &values[1]) == MPI_SUCCESS && values[0] == 3); /* the old one is deleted */
    CHECK(MPI_Win_delete_attr(win, key) == MPI_SUCCESS && values[1] == 3);
    CHECK_OK(MPI_Win_set_attr(win, key, &values[0]));
    WRONG(MPI_ERR_KEYVAL, "belongs to another kind", MPI_Win_set_attr(win, comm_key, &state));
    WRONG(MPI_ERR_KEYVAL, "belongs to another kind", MPI_Win_get_attr(win, comm_key, &found, &flag));
    WRONG(MPI_ERR_KEYVAL, "belongs to another kind", MPI_Comm_set_attr(MPI_COMM_SELF, key, &state));
    WRONG(MPI_ERR_KEYVAL, "is predefined and cannot be changed", MPI_Win_set_attr(win, MPI_WIN_BASE, &state));
    WRONG(MPI_ERR_KEYVAL, "is predefined and cannot be changed", MPI_Win_delete_attr(win, MPI_WIN_SIZE));
    WRONG(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID", MPI_Win_get_attr(win, MPI_KEYVAL_INVALID, &found, &flag));
    /* MPI_Win_free deletes the one that is left, whose key is then gone. */
    CHECK(MPI_Win_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
    CHECK(MPI_Win_free_keyval(&other) == MPI_SUCCESS && MPI_Comm_free_keyval(&comm_key) == MPI_SUCCESS);
    /* But not if it fails. */
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, "freed while it is locked", MPI_Win_free(&win));
    CHECK(values[0] == 3 && win != MPI_WIN_NULL);
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS && values[0] == 6);
}

/* A delete function that fails keeps the window. */
static void test_refusal(MPI_Win win)
{
    MPI_Win freed = win;
    int key, is_refused = 1, value = 0;
    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuse, &key, &is_refused));
    CHECK_OK(MPI_Win_set_attr(win, key, &value));
    CHECK(MPI_Win_free(&freed) == MPI_ERR_ARG && freed == win);
    is_refused = 0;
    CHECK_OK(MPI_Win_free_keyval(&key));
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- hints, names, groups, integers ----------------------------------------------------------------------------- */

/* "-": there is no such hint. */
static void check_hint(MPI_Win win, const char *key, const char *expected)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL] = "";
    int flag, length = sizeof value;
    CHECK_OK(MPI_Win_get_info(win, &info));
    CHECK_OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK_TEXT(expected, flag ? value : "-");
    CHECK_OK(MPI_Info_free(&info));
}

static void test_hints(void)
{
    MPI_Win win;
    MPI_Info info;
    void *base;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "no_locks", "true"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "rar,waw"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ops", "any_op"));
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    CHECK_OK(MPI_Info_set(info, "unheard_of", "true"));
    CHECK_OK(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK((uintptr_t)base % 4096 == 0);
    check_hint(win, "no_locks", "true");
    check_hint(win, "mpi_memory_alloc_kinds", "mpi,system");
    check_hint(win, "accumulate_ordering", "rar,waw");
    check_hint(win, "accumulate_ops", "same_op_no_op"); /* it has no such value */
    check_hint(win, "mpi_accumulate_granularity", "0");
    check_hint(win, "same_size", "false");
    check_hint(win, "mpi_minimum_memory_alignment", "4096");
    check_hint(win, "alloc_shared_noncontig", "-"); /* this is no shared window */
    check_hint(win, "unheard_of", "-");
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win) == MPI_ERR_RMA_SYNC);
    /* Some can change. */
    CHECK_OK(MPI_Info_set(info, "no_locks", "false"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "none"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
    CHECK_OK(MPI_Info_set(info, "mpi_accumulate_granularity", "8"));
    CHECK_OK(MPI_Info_set(info, "same_size", "true"));
    CHECK_OK(MPI_Win_set_info(win, info));
    CHECK_OK(MPI_Win_set_info(win, MPI_INFO_NULL));
    check_hint(win, "no_locks", "true");
    check_hint(win, "accumulate_ordering", "none");
    check_hint(win, "accumulate_ops", "same_op");
    check_hint(win, "mpi_accumulate_granularity", "8");
    check_hint(win, "same_size", "true");
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "rar,wow"));
    CHECK_OK(MPI_Info_set(info, "mpi_accumulate_granularity", "-1"));
    CHECK_OK(MPI_Win_set_info(win, info));
    check_hint(win, "accumulate_ordering", "none");
    check_hint(win, "mpi_accumulate_granularity", "8");
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Info_free(&info));
}

static void test_names(MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, result;
    MPI_Group group, world;
    CHECK(MPI_Win_get_name(win, name, &length) == MPI_SUCCESS && length == 0 && !name[0]);
    CHECK_OK(MPI_Win_set_name(win, "halo"));
    CHECK(MPI_Win_get_name(win, name, &length) == MPI_SUCCESS && length == 4);
    CHECK_TEXT("halo", name);
    CHECK_OK(MPI_Win_get_group(win, &group));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK(MPI_Group_compare(group, world, &result) == MPI_SUCCESS && result == MPI_IDENT);
    CHECK(MPI_Group_free(&group) == MPI_SUCCESS && MPI_Group_free(&world) == MPI_SUCCESS);
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win && MPI_Win_f2c(MPI_Win_c2f(win)) == win);
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static _Thread_local MPI_Win heard_win;
static _Thread_local int heard_code, heard_count;

static void hear(MPI_Win *win, int *code, ...)
{
    heard_win = *win;
    heard_code = *code;
    heard_count++;
}

/* Errors of a window's calls go to its own handler, and to no communicator's. */
static void test_handlers(MPI_Win win, int rank, int ranks)
{
    MPI_Errhandler handler, found;
    MPI_Group group, part;
    MPI_Comm own;
    int x = 0, one = (rank + 1) % ranks;
    MPI_Win alone;
    heard_count = 0;
    CHECK_OK(MPI_Win_create_errhandler(hear, &handler));
    CHECK_OK(MPI_Win_set_errhandler(win, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    WRONG(MPI_ERR_ASSERT, "assert is 3", MPI_Win_fence(3, win));
    CHECK(heard_count == 1 && heard_code == MPI_ERR_ASSERT && heard_win == win);
    WRONG(MPI_ERR_TYPE, "origin_datatype is MPI_DATATYPE_NULL",
          MPI_Put(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
    WRONG(MPI_ERR_RANK, "target_rank is", MPI_Get(&x, 1, MPI_INT, ranks, 0, 1, MPI_INT, win));
    WRONG(MPI_ERR_GROUP, "group is MPI_GROUP_NULL", MPI_Win_start(MPI_GROUP_NULL, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, "MPI_Win_wait: ", MPI_Win_wait(win));
    WRONG(MPI_ERR_ARG, "errorcode is 5000", MPI_Win_call_errhandler(win, 5000));
    CHECK(heard_count == 6 && heard_code == MPI_ERR_ARG);
    CHECK(MPI_Win_call_errhandler(win, MPI_ERR_IO) == MPI_SUCCESS && heard_count == 7 && heard_code == MPI_ERR_IO);
    CHECK(MPI_Win_get_errhandler(win, &found) == MPI_SUCCESS && MPI_Errhandler_free(&found) == MPI_SUCCESS);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    /* A group of others. */
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &own));
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, own, &alone));
    CHECK(MPI_Win_get_errhandler(alone, &found) == MPI_SUCCESS && found == MPI_ERRORS_ARE_FATAL);
    CHECK_OK(MPI_Win_set_errhandler(alone, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    CHECK_OK(MPI_Group_incl(group, 1, &one, &part));
    if (ranks > 1)
        WRONG(MPI_ERR_GROUP, "rank 0 of group is not in the window", MPI_Win_post(part, 0, alone));
    CHECK(MPI_Group_free(&group) == MPI_SUCCESS && MPI_Group_free(&part) == MPI_SUCCESS);
    CHECK(MPI_Win_free(&alone) == MPI_SUCCESS && MPI_Comm_free(&own) == MPI_SUCCESS);
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

enum { CELLS = 8 };

/* The right neighbour's memory, each operation in its own cell. */
static void test_operations(int rank, int ranks)
{
    MPI_Win win;
    MPI_Request requests[4];
    int cells[CELLS], other = (rank + 1) % ranks, got[CELLS] = {0}, put = 7, six = 6, one = 1, zero = 0;
    for (int i = 0; i < CELLS; i++)
        cells[i] = 100 * rank + i;
    CHECK_OK(MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Put(&put, 1, MPI_INT, other, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Get_c(&got[1], 1, MPI_INT, other, 1, 1, MPI_INT, win));
    CHECK_OK(MPI_Accumulate(&six, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Get_accumulate(&six, 1, MPI_INT, &got[3], 1, MPI_INT, other, 3, 1, MPI_INT, MPI_REPLACE, win));
    CHECK_OK(
        MPI_Get_accumulate_c(NULL, 0, MPI_DATATYPE_NULL, &got[4], 1, MPI_INT, other, 4, 1, MPI_INT, MPI_NO_OP, win));
    CHECK_OK(MPI_Fetch_and_op(&one, &got[5], MPI_INT, other, 5, MPI_SUM, win));
    CHECK_OK(MPI_Fetch_and_op(NULL, &got[7], MPI_INT, other, 7, MPI_NO_OP, win));
    CHECK_OK(MPI_Compare_and_swap(&six, &zero, &got[6], MPI_INT, other, 6, win)); /* it is not 0 */
    CHECK(MPI_Win_flush_local(other, win) == MPI_SUCCESS && MPI_Win_flush_local_all(win) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(other, win) == MPI_SUCCESS && MPI_Win_flush_all(win) == MPI_SUCCESS);
    for (int i = 1; i < CELLS; i++)
        CHECK_EQUAL(i == 2 ? 0 : 100 * other + i, got[i]);
    CHECK_OK(MPI_Rput(&put, 1, MPI_INT, other, 1, 1, MPI_INT, win, &requests[0]));
    CHECK_OK(MPI_Raccumulate_c(&six, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, win, &requests[1]));
    CHECK_OK(MPI_Rget(&got[0], 1, MPI_INT, other, 0, 1, MPI_INT, win, &requests[2]));
    CHECK_OK(
        MPI_Rget_accumulate(&one, 1, MPI_INT, &got[4], 1, MPI_INT, other, 4, 1, MPI_INT, MPI_SUM, win, &requests[3]));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK(got[0] == 7 && got[4] == 100 * other + 4);
    /* Nothing at all, also of a datatype without elements. */
    CHECK_OK(MPI_Put(NULL, 0, MPI_INT, other, 0, 0, MPI_DOUBLE, win));
    CHECK_OK(MPI_Accumulate(NULL, 0, MPI_INT, other, 0, 0, MPI_INT, MPI_SUM, win));
    CHECK(MPI_Win_sync(win) == MPI_SUCCESS && MPI_Win_unlock_all(win) == MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    int expected[CELLS] = {
        7, 7, 100 * rank + 2 + 12, 6, 100 * rank + 5, 100 * rank + 6, 100 * rank + 6, 100 * rank + 7};
    for (int i = 0; i < CELLS; i++)
        CHECK_EQUAL(expected[i], cells[i]);
    CHECK_OK(MPI_Win_free(&win));
}

static MPI_Win small_window(void)
{
    MPI_Win win;
    static _Thread_local int memory[2];
    CHECK_OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static int body(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_flavours();
    test_shared_query();
    test_keys(small_window());
    test_refusal(small_window());
    test_hints();
    test_names(small_window());
    test_handlers(small_window(), rank, ranks);
    test_operations(rank, ranks);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    for (int ranks = 1; ranks <= 3; ranks += 2)
        CHECK(corunna_threads_run(ranks, body, argc, argv) == 0);
    puts("win_calls: passed");
    return 0;
}
