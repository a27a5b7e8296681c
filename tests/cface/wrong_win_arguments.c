/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on windows with arguments that are wrong together, or for this sort of window. */
#include "wrong.h"

#include <stdint.h>
#include <stdlib.h>

static int room[16], more[16], number;
static MPI_Win window, dynamic, shared;
static MPI_Datatype overlapping, twice, mixed;
static MPI_Request request;
static MPI_Op op;

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

/* ---- making windows, and their memory --------------------------------------------------------------------------- */

static void wrong_creation(void)
{
    MPI_Win made = MPI_WIN_NULL;
    void *base;
    WRONG(MPI_ERR_BASE, "base is a NULL pointer, but size is 8",
          MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &made));
    WRONG(MPI_ERR_BASE, "base is a NULL pointer", MPI_Win_create_c(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &made));
    WRONG(MPI_ERR_DISP, "disp_unit is -4", MPI_Win_allocate(8, -4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &made));
    CHECK(made == MPI_WIN_NULL);
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &made));
    CHECK(MPI_Win_free(&made) == MPI_SUCCESS && made == MPI_WIN_NULL);
}

static void wrong_memory(void)
{
    MPI_Aint size;
    void *base;
    WRONG(MPI_ERR_RMA_FLAVOR, "win was made by MPI_Win_create, but must be by MPI_Win_create_dynamic",
          MPI_Win_attach(window, room, 8));
    WRONG(MPI_ERR_RMA_FLAVOR, "win was made by MPI_Win_allocate_shared", MPI_Win_detach(shared, room));
    WRONG(MPI_ERR_RMA_FLAVOR, "win was made by MPI_Win_create_dynamic, but must be by MPI_Win_allocate_shared",
          MPI_Win_shared_query(dynamic, 0, &size, &number, &base));
    WRONG(MPI_ERR_RANK, "rank is 1, but the window has 1 rank (0)",
          MPI_Win_shared_query(shared, 1, &size, &number, &base));
    WRONG(MPI_ERR_BASE, "base is a NULL pointer", MPI_Win_attach(dynamic, NULL, 8));
    CHECK_OK(MPI_Win_attach(dynamic, room, sizeof room));
    WRONG(MPI_ERR_RMA_ATTACH, "attached", MPI_Win_attach(dynamic, room + 1, 8));
    WRONG(MPI_ERR_RMA_ATTACH, "attached", MPI_Win_detach(dynamic, room + 1));
    CHECK_OK(MPI_Win_detach(dynamic, room));
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static void wrong_targets(void)
{
    WRONG(MPI_ERR_DISP, "target_disp is -1, but must not be negative",
          MPI_Put(room, 1, MPI_INT, 0, -1, 1, MPI_INT, window));
    WRONG(MPI_ERR_DISP, "target_disp is -1, but must be an address",
          MPI_Get(room, 1, MPI_INT, 0, -1, 1, MPI_INT, dynamic));
    WRONG(MPI_ERR_DISP, "target_disp is -8", MPI_Fetch_and_op(room, more, MPI_INT, 0, -8, MPI_SUM, window));
    WRONG(MPI_ERR_DISP, "target_disp is -8", MPI_Compare_and_swap(room, more, more + 1, MPI_INT, 0, -8, window));
    WRONG(MPI_ERR_RANK, "target_rank is -1", MPI_Put(room, 1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, window));
    WRONG(MPI_ERR_TRUNCATE, "2 of origin_datatype are 8 bytes and 1 of target_datatype are 4",
          MPI_Put(room, 2, MPI_INT, 0, 0, 1, MPI_INT, window));
    WRONG(MPI_ERR_TRUNCATE, "1 of origin_datatype are 4 bytes and 1 of target_datatype are 8",
          MPI_Rget(room, 1, MPI_INT, 0, 0, 1, MPI_DOUBLE, window, &request));
    WRONG(MPI_ERR_TRUNCATE, "are 8 bytes and", MPI_Accumulate(room, 2, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
    WRONG(MPI_ERR_TRUNCATE, "3 of result_datatype are 12 bytes and 1 of target_datatype are 4",
          MPI_Get_accumulate(room, 1, MPI_INT, more, 3, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
    WRONG(MPI_ERR_COUNT, "more than memory can hold",
          MPI_Put_c(room, 1, MPI_INT, 0, 0, INT64_MAX / 2, MPI_INT, window));
    WRONG(MPI_ERR_TYPE, "origin_datatype has blocks that overlap",
          MPI_Get(room, 1, overlapping, 0, 0, 2, MPI_INT, window));
    WRONG(MPI_ERR_TYPE, "1 elements of target_datatype overlap",
          MPI_Put(room, 2, MPI_INT, 0, 0, 1, overlapping, window));
}

static void wrong_operators(void)
{
    WRONG(MPI_ERR_OP, "op is an operator of the program",
          MPI_Accumulate(room, 1, MPI_INT, 0, 0, 1, MPI_INT, op, window));
    WRONG(MPI_ERR_OP, "op is an operator of the program", MPI_Fetch_and_op(room, more, MPI_INT, 0, 0, op, window));
    WRONG(MPI_ERR_OP, "op is MPI_NO_OP, which is valid only where",
          MPI_Raccumulate(room, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window, &request));
    WRONG(MPI_ERR_OP, "op is MPI_BAND, which is not defined for MPI_DOUBLE",
          MPI_Accumulate(room, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BAND, window));
    WRONG(MPI_ERR_OP, "op is MPI_MAXLOC, which is not defined for MPI_INT",
          MPI_Fetch_and_op(room, more, MPI_INT, 0, 0, MPI_MAXLOC, window));
}

static void wrong_elements(void)
{
    WRONG(MPI_ERR_TYPE, "target_datatype has elements of several predefined datatypes",
          MPI_Accumulate(room, 1, mixed, 0, 0, 1, mixed, MPI_REPLACE, window));
    WRONG(MPI_ERR_TYPE, "origin_datatype has elements of MPI_FLOAT, but target_datatype those of MPI_INT",
          MPI_Accumulate(room, 2, MPI_FLOAT, 0, 0, 2, MPI_INT, MPI_SUM, window));
    WRONG(MPI_ERR_TYPE, "result_datatype has elements of MPI_FLOAT, but target_datatype those of MPI_INT",
          MPI_Get_accumulate(NULL, 0, MPI_INT, more, 2, MPI_FLOAT, 0, 0, 1, twice, MPI_NO_OP, window));
    WRONG(MPI_ERR_TYPE, "datatype is a derived datatype, but must be a predefined one",
          MPI_Fetch_and_op(room, more, twice, 0, 0, MPI_SUM, window));
    WRONG(MPI_ERR_TYPE, "datatype is a derived datatype",
          MPI_Compare_and_swap(room, more, more + 4, twice, 0, 0, window));
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DOUBLE, but must be one of integers, logical values or bytes",
          MPI_Compare_and_swap(room, more, more + 4, MPI_DOUBLE, 0, 0, window));
    WRONG(MPI_ERR_TYPE, "datatype is MPI_2INT", MPI_Compare_and_swap(room, more, more + 4, MPI_2INT, 0, 0, window));
}

/* The same arguments are right for MPI_PROC_NULL, whatever is said of the target. */
static void right_nowhere(void)
{
    CHECK_OK(MPI_Put(room, 2, MPI_INT, MPI_PROC_NULL, -1, 1, MPI_INT, window));
    CHECK_OK(MPI_Get(room, 1, MPI_INT, MPI_PROC_NULL, 1 << 20, 1, MPI_INT, window));
    CHECK_OK(MPI_Accumulate(room, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, window));
    CHECK_OK(MPI_Fetch_and_op(room, more, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, window));
    CHECK_OK(MPI_Compare_and_swap(room, more, more + 1, MPI_INT, MPI_PROC_NULL, 0, window));
    CHECK(MPI_Rput(room, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(MPI_PROC_NULL, window) == MPI_SUCCESS && MPI_Win_unlock(MPI_PROC_NULL, window) == MPI_SUCCESS);
}

/* ---- synchronization -------------------------------------------------------------------------------------------- */

static void wrong_synchronization(void)
{
    MPI_Group all;
    MPI_Win freed = window;
    CHECK_OK(MPI_Win_get_group(window, &all));
    WRONG(MPI_ERR_LOCKTYPE, "lock_type is 7, but must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED",
          MPI_Win_lock(7, 0, 0, window));
    WRONG(MPI_ERR_RANK, "rank is 1, but the window has 1 rank (0)", MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
    WRONG(MPI_ERR_RANK, "rank is -1", MPI_Win_unlock(MPI_ANY_SOURCE, window));
    WRONG(MPI_ERR_RANK, "rank is 2", MPI_Win_flush(2, window));
    WRONG(MPI_ERR_RANK, "rank is 2", MPI_Win_flush_local(2, window));
    WRONG(MPI_ERR_ASSERT, "assert is 4096, but must be 0 or MPI_MODE_NOCHECK",
          MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, window));
    WRONG(MPI_ERR_ASSERT, "assert is 1, but", MPI_Win_lock_all(1, window));
    WRONG(MPI_ERR_ASSERT, "assert is 1024, but must be 0 or made of MPI_MODE_NOSTORE",
          MPI_Win_fence(MPI_MODE_NOCHECK, window));
    WRONG(MPI_ERR_ASSERT, "assert is 16384, but", MPI_Win_post(all, MPI_MODE_NOSUCCEED, window));
    WRONG(MPI_ERR_ASSERT, "assert is -1, but", MPI_Win_start(all, -1, window));
    WRONG(MPI_ERR_RMA_SYNC, "MPI_Win_unlock: ", MPI_Win_unlock(0, window));
    WRONG(MPI_ERR_RMA_SYNC, "MPI_Win_complete: ", MPI_Win_complete(window));
    WRONG(MPI_ERR_RMA_SYNC, "MPI_Put: ", MPI_Put(room, 1, MPI_INT, 0, 0, 1, MPI_INT, window));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
    WRONG(MPI_ERR_RMA_RANGE, "MPI_Put: ", MPI_Put(more, 1, MPI_INT, 0, sizeof room - 3, 1, MPI_INT, window));
    WRONG(MPI_ERR_RMA_SYNC, "MPI_Win_free: ", MPI_Win_free(&freed));
    CHECK(freed == window);
    CHECK_OK(MPI_Rget(more, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request));
    WRONG(MPI_ERR_REQUEST, "*request is an operation on a window, which cannot be cancelled", MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_unlock(0, window));
    CHECK_OK(MPI_Group_free(&all));
}

/* A handle of another kind, and one that was freed. */
static void wrong_handles(void)
{
    MPI_Win freed = window;
    WRONG(MPI_ERR_WIN, "win is not a window but the predefined handle 0x101",
          MPI_Win_fence(0, (MPI_Win)MPI_COMM_WORLD));
    CHECK(MPI_Win_free(&window) == MPI_SUCCESS && window == MPI_WIN_NULL);
    WRONG(MPI_ERR_WIN, "win is not a window but", MPI_Win_fence(0, freed));
    WRONG(MPI_ERR_WIN, "was freed", MPI_Put(room, 1, MPI_INT, 0, 0, 1, MPI_INT, freed));
    WRONG(MPI_ERR_WIN, "*win is not a window but", MPI_Win_free(&freed));
}

static void make_types(void)
{
    int lengths[] = {1, 1}, places[] = {0, 0};
    MPI_Aint displacements[] = {0, 4};
    MPI_Datatype parts[] = {MPI_INT, MPI_FLOAT};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &overlapping);
    MPI_Type_contiguous(2, MPI_INT, &twice);
    MPI_Type_create_struct(2, lengths, displacements, parts, &mixed);
    MPI_Type_commit(&overlapping);
    MPI_Type_commit(&twice);
    MPI_Type_commit(&mixed);
}

int main(int argc, char **argv)
{
    void *base;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    make_types();
    MPI_Op_create(add, 1, &op);
    CHECK_OK(MPI_Win_create(room, sizeof room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    CHECK_OK(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared));
    CHECK_OK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_set_errhandler(shared, MPI_ERRORS_RETURN));
    wrong_creation();
    wrong_memory();
    wrong_targets();
    wrong_operators();
    wrong_elements();
    wrong_synchronization();
    CHECK_OK(MPI_Win_fence(0, window));
    right_nowhere();
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
    wrong_handles();
    MPI_Win_free(&dynamic);
    MPI_Win_free(&shared);
    MPI_Type_free(&overlapping);
    MPI_Type_free(&twice);
    MPI_Type_free(&mixed);
    MPI_Op_free(&op);
    MPI_Finalize();
    puts("wrong_win_arguments: passed");
    return 0;
}
