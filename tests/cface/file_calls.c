/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files themselves, and blocking accesses.
 *
 *   cface_file_calls            ranks as threads, 1 and 3
 *   cface_file_calls processes  ranks of a launcher
 */
#include "file_calls.h"

#include <corunna/threads.h>
#include <unistd.h>

_Thread_local int rank, ranks;
_Thread_local char name[64];

/* ---- tools ------------------------------------------------------------------------------------------------------ */

MPI_File open_new(void)
{
    MPI_File file;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    return file;
}

MPI_File open_ints(void)
{
    MPI_File file = open_new();
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    return file;
}

void close_file(MPI_File file)
{
    CHECK(MPI_File_close(&file) == MPI_SUCCESS && file == MPI_FILE_NULL);
}

void fill(int cells[CELLS], int first)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = first + i;
}

void check_cells(const int cells[CELLS], int first)
{
    for (int i = 0; i < CELLS; i++)
        CHECK_EQUAL(first + i, cells[i]);
}

void check_status(const MPI_Status *status, int expected)
{
    int count = -1, is_cancelled = 1;
    MPI_Count elements = -1;
    CHECK_OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_EQUAL(expected, count);
    CHECK_OK(MPI_Get_elements_c(status, MPI_INT, &elements));
    CHECK_EQUAL(expected, elements);
    CHECK(MPI_Test_cancelled(status, &is_cancelled) == MPI_SUCCESS && !is_cancelled);
}

/* ---- the file itself -------------------------------------------------------------------------------------------- */

static void test_life(void)
{
    MPI_Group group, world;
    MPI_Offset bytes = -1;
    MPI_Info info;
    char path[96], value[96];
    int mode, result, flag, length = sizeof value;
    MPI_File file = open_new();
    CHECK(MPI_File_get_amode(file, &mode) == MPI_SUCCESS);
    CHECK_EQUAL(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, mode);
    CHECK(MPI_File_get_group(file, &group) == MPI_SUCCESS && MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS);
    CHECK(MPI_Group_compare(group, world, &result) == MPI_SUCCESS && result == MPI_IDENT);
    CHECK(MPI_Group_free(&group) == MPI_SUCCESS && MPI_Group_free(&world) == MPI_SUCCESS);
    CHECK_OK(MPI_File_set_size(file, 100));
    CHECK(PMPI_File_get_size(file, &bytes) == MPI_SUCCESS && bytes == 100);
    CHECK_OK(MPI_File_preallocate(file, 300));
    CHECK(MPI_File_get_size(file, &bytes) == MPI_SUCCESS && bytes == 300);
    CHECK_OK(MPI_File_preallocate(file, 200));
    CHECK(MPI_File_get_size(file, &bytes) == MPI_SUCCESS && bytes == 300);
    CHECK(MPI_File_get_atomicity(file, &flag) == MPI_SUCCESS && !flag);
    CHECK_OK(MPI_File_set_atomicity(file, 7));
    CHECK(MPI_File_get_atomicity(file, &flag) == MPI_SUCCESS && flag == 1);
    CHECK_OK(MPI_File_set_atomicity(file, 0));
    CHECK_OK(MPI_File_sync(file));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "1048576"));
    CHECK_OK(MPI_File_set_info(file, info));
    CHECK_OK(MPI_File_set_info(file, MPI_INFO_NULL));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_get_info(file, &info));
    CHECK(MPI_Info_get_string(info, "cb_buffer_size", &length, value, &flag) == MPI_SUCCESS && flag);
    CHECK_TEXT("1048576", value);
    length = sizeof value;
    CHECK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, value, &flag) == MPI_SUCCESS && flag);
    CHECK_TEXT("mpi,system", value);
    CHECK_OK(MPI_Info_free(&info));
    close_file(file);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(access(name, F_OK) != 0);
    /* The file system may be named before the path; each rank has a file of its own. */
    snprintf(path, sizeof path, "ufs:%s.%d", name, rank);
    CHECK_OK(
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_write(file, path, 4, MPI_CHAR, MPI_STATUS_IGNORE));
    close_file(file);
    CHECK(access(path + strlen("ufs:"), F_OK) == 0);
    CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL));
    CHECK(access(path + strlen("ufs:"), F_OK) != 0);
}

/* ---- blocking accesses ------------------------------------------------------------------------------------------ */

static void test_explicit(void)
{
    int out[CELLS], in[CELLS] = {0};
    MPI_Offset mine = rank * CELLS;
    MPI_Status status;
    MPI_File file = open_ints();
    fill(out, first_of(1));
    CHECK_OK(MPI_File_write_at(file, mine, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_read_at(file, mine, in, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    check_cells(in, first_of(1));
    fill(out, first_of(2));
    CHECK_OK(MPI_File_write_at_all(file, mine, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_read_at_all(file, mine, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(2));
    fill(out, first_of(3));
    CHECK_OK(MPI_File_write_at_c(file, mine, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_c(file, mine, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(3));
    fill(out, first_of(4));
    CHECK_OK(MPI_File_write_at_all_c(file, mine, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_all_c(file, mine, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(4));
    /* At the end of the file there is less than was asked for, and then nothing. */
    CHECK_OK(MPI_File_read_at(file, ranks * CELLS - 1, in, CELLS, MPI_INT, &status));
    check_status(&status, 1);
    CHECK_OK(MPI_File_read_at_all(file, ranks * CELLS, in, CELLS, MPI_INT, &status));
    check_status(&status, 0);
    close_file(file);
}

static void test_individual(void)
{
    int out[CELLS], in[CELLS] = {0};
    MPI_Offset at = -1;
    MPI_Status status;
    MPI_File file = open_ints();
    CHECK_OK(MPI_File_seek(file, rank * 4 * CELLS, MPI_SEEK_SET));
    fill(out, first_of(1));
    CHECK_OK(MPI_File_write(file, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    fill(out, first_of(2));
    CHECK_OK(MPI_File_write_c(file, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    fill(out, first_of(3));
    CHECK_OK(MPI_File_write_all(file, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    fill(out, first_of(4));
    CHECK_OK(MPI_File_write_all_c(file, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(MPI_File_get_position(file, &at) == MPI_SUCCESS && at == (rank + 1) * 4 * CELLS);
    CHECK_OK(MPI_File_seek(file, -4 * CELLS, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_read(file, in, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    check_cells(in, first_of(1));
    CHECK_OK(MPI_File_read_c(file, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(2));
    CHECK_OK(MPI_File_read_all(file, in, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    check_cells(in, first_of(3));
    CHECK_OK(MPI_File_read_all_c(file, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(4));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_File_seek(file, -1, MPI_SEEK_END));
    CHECK(MPI_File_get_position(file, &at) == MPI_SUCCESS && at == ranks * 4 * CELLS - 1);
    close_file(file);
}

/* Which rank is first is not known, so each cell says which rank wrote it. */
static void test_shared(void)
{
    int out[CELLS], in[CELLS] = {0};
    MPI_Offset at = -1;
    MPI_Status status;
    MPI_File file = open_ints();
    for (int i = 0; i < CELLS; i++)
        out[i] = rank;
    CHECK_OK(MPI_File_write_shared(file, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_File_get_position_shared(file, &at) == MPI_SUCCESS && at == ranks * CELLS);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_shared_c(file, in, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    CHECK(in[0] >= 0 && in[0] < ranks && in[CELLS - 1] == in[0]);
    /* In the order of the ranks. */
    fill(out, first_of(1));
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_ordered(file, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    fill(out, first_of(2));
    CHECK_OK(MPI_File_write_ordered_c(file, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek_shared(file, -2 * ranks * CELLS, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_read_ordered(file, in, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    check_cells(in, first_of(1));
    CHECK_OK(MPI_File_read_ordered_c(file, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(2));
    CHECK_OK(MPI_File_read_at(file, (ranks + rank) * CELLS, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(2));
    CHECK_OK(MPI_File_read_shared(file, in, 1, MPI_INT, &status));
    check_status(&status, 0);
    close_file(file);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static int body(int argc, char **argv)
{
    int id = (int)getpid();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "file_calls.%d.%d", ranks, id);
    test_life();
    test_explicit();
    test_individual();
    test_shared();
    test_started();
    test_split();
    test_view();
    test_memory();
    test_external();
    test_registered();
    test_sequential();
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return body(argc, argv);
    for (int count = 1; count <= 3; count += 2)
        CHECK(corunna_threads_run(count, body, argc, argv) == 0);
    puts("file_calls: passed");
    return 0;
}
