/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to files that are started and completed later: by requests, and split collective ones. */
#include "file_calls.h"

/* ---- non-blocking accesses -------------------------------------------------------------------------------------- */

enum { STARTED = 10 };

/* Each function with an int and with an MPI_Count; a message between them is another request. */
static void test_writing(MPI_File file, int out[STARTED][CELLS])
{
    MPI_Request requests[STARTED + 2];
    MPI_Status statuses[STARTED + 2];
    int token = -1, me = rank;
    MPI_Offset mine = rank * STARTED * CELLS;
    CHECK_OK(MPI_File_seek(file, mine + 4 * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iwrite_at(file, mine, out[0], CELLS, MPI_INT, &requests[0]));
    CHECK_OK(MPI_File_iwrite_at_c(file, mine + CELLS, out[1], CELLS, MPI_INT, &requests[1]));
    CHECK_OK(MPI_File_iwrite_at_all(file, mine + 2 * CELLS, out[2], CELLS, MPI_INT, &requests[2]));
    CHECK_OK(MPI_File_iwrite_at_all_c(file, mine + 3 * CELLS, out[3], CELLS, MPI_INT, &requests[3]));
    CHECK_OK(MPI_File_iwrite(file, out[4], CELLS, MPI_INT, &requests[4]));
    CHECK_OK(MPI_File_iwrite_c(file, out[5], CELLS, MPI_INT, &requests[5]));
    CHECK_OK(MPI_File_iwrite_all(file, out[6], CELLS, MPI_INT, &requests[6]));
    CHECK_OK(MPI_File_iwrite_all_c(file, out[7], CELLS, MPI_INT, &requests[7]));
    CHECK_OK(MPI_File_seek_shared(file, ranks * STARTED * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iwrite_shared(file, out[8], CELLS, MPI_INT, &requests[8]));
    CHECK_OK(MPI_File_iwrite_shared_c(file, out[9], CELLS, MPI_INT, &requests[9]));
    CHECK_OK(MPI_Irecv(&token, 1, MPI_INT, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, &requests[10]));
    CHECK_OK(MPI_Isend(&me, 1, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &requests[11]));
    CHECK_OK(MPI_Waitall(STARTED + 2, requests, statuses));
    for (int i = 0; i < STARTED; i++)
        check_status(&statuses[i], CELLS);
    CHECK_EQUAL((rank + ranks - 1) % ranks, token);
}

/* Completed in ten ways. */
static void test_reading(MPI_File file)
{
    int in[STARTED][CELLS] = {{0}}, flag = 0, index, done;
    MPI_Request requests[STARTED];
    MPI_Status status;
    MPI_Offset mine = rank * STARTED * CELLS;
    CHECK_OK(MPI_File_seek(file, mine + 4 * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iread_at(file, mine, in[0], CELLS, MPI_INT, &requests[0]));
    CHECK_OK(MPI_File_iread_at_c(file, mine + CELLS, in[1], CELLS, MPI_INT, &requests[1]));
    CHECK_OK(MPI_File_iread_at_all(file, mine + 2 * CELLS, in[2], CELLS, MPI_INT, &requests[2]));
    CHECK_OK(MPI_File_iread_at_all_c(file, mine + 3 * CELLS, in[3], CELLS, MPI_INT, &requests[3]));
    CHECK_OK(MPI_File_iread(file, in[4], CELLS, MPI_INT, &requests[4]));
    CHECK_OK(MPI_File_iread_c(file, in[5], CELLS, MPI_INT, &requests[5]));
    CHECK_OK(MPI_File_iread_all(file, in[6], CELLS, MPI_INT, &requests[6]));
    CHECK_OK(MPI_File_iread_all_c(file, in[7], CELLS, MPI_INT, &requests[7]));
    CHECK_OK(MPI_File_seek_shared(file, ranks * STARTED * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iread_shared(file, in[8], CELLS, MPI_INT, &requests[8]));
    CHECK_OK(MPI_File_iread_shared_c(file, in[9], CELLS, MPI_INT, &requests[9]));
    CHECK_OK(MPI_Wait(&requests[0], &status));
    check_status(&status, CELLS);
    while (!flag)
        CHECK_OK(MPI_Test(&requests[1], &flag, &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_Waitany(1, &requests[2], &index, &status));
    check_status(&status, CELLS);
    for (flag = 0; !flag;)
        CHECK_OK(MPI_Testany(1, &requests[3], &index, &flag, &status));
    check_status(&status, CELLS);
    CHECK(MPI_Waitsome(1, &requests[4], &done, &index, &status) == MPI_SUCCESS && done == 1);
    check_status(&status, CELLS);
    for (done = 0; done == 0;)
        CHECK_OK(MPI_Testsome(1, &requests[5], &done, &index, &status));
    check_status(&status, CELLS);
    for (flag = 0; !flag;)
        CHECK_OK(MPI_Testall(1, &requests[6], &flag, &status));
    check_status(&status, CELLS);
    for (flag = 0; !flag;)
        CHECK_OK(MPI_Request_get_status(requests[7], &flag, &status));
    check_status(&status, CELLS);
    CHECK(MPI_Request_free(&requests[7]) == MPI_SUCCESS && requests[7] == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Waitall(STARTED, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 8; i++)
        check_cells(in[i], first_of(i));
    for (int i = 8; i < STARTED; i++)
        CHECK(in[i][0] >= 8000 && in[i][CELLS - 1] == in[i][0] + CELLS - 1);
}

void test_started(void)
{
    int out[STARTED][CELLS], in[CELLS] = {0};
    MPI_Request freed;
    MPI_Offset size;
    MPI_File file = open_ints();
    for (int i = 0; i < STARTED; i++)
        fill(out[i], first_of(i));
    test_writing(file, out);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    test_reading(file);
    CHECK(MPI_File_get_size(file, &size) == MPI_SUCCESS);
    CHECK_EQUAL(ranks * (STARTED + 2) * CELLS * (int)sizeof(int), size);
    close_file(file);
    /* The file is closed when what was left to itself is written. */
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_iwrite_at(file, rank * (int)sizeof out[0], out[3], CELLS, MPI_INT, &freed));
    CHECK(MPI_Request_free(&freed) == MPI_SUCCESS && freed == MPI_REQUEST_NULL);
    close_file(file);
    file = open_new();
    CHECK_OK(MPI_File_read_at(file, rank * (int)sizeof in, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(3));
    close_file(file);
}

/* ---- split collective accesses ---------------------------------------------------------------------------------- */

void test_split(void)
{
    int out[6][CELLS], in[6][CELLS];
    MPI_Offset mine = rank * 6 * CELLS;
    MPI_Status status;
    MPI_File file = open_ints();
    for (int i = 0; i < 6; i++)
        fill(out[i], first_of(i));
    CHECK_OK(MPI_File_seek(file, mine + 2 * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_at_all_begin(file, mine, out[0], CELLS, MPI_INT));
    CHECK_OK(MPI_File_write_at_all_end(file, out[0], &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_write_at_all_begin_c(file, mine + CELLS, out[1], CELLS, MPI_INT));
    CHECK_OK(MPI_File_write_at_all_end(file, out[1], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_write_all_begin(file, out[2], CELLS, MPI_INT));
    CHECK_OK(MPI_File_write_all_end(file, out[2], &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_write_all_begin_c(file, out[3], CELLS, MPI_INT));
    CHECK_OK(MPI_File_write_all_end(file, out[3], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek_shared(file, ranks * 6 * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_ordered_begin(file, out[4], CELLS, MPI_INT));
    CHECK_OK(MPI_File_write_ordered_end(file, out[4], &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_write_ordered_begin_c(file, out[5], CELLS, MPI_INT));
    CHECK_OK(MPI_File_write_ordered_end(file, out[5], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek(file, mine + 2 * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_at_all_begin(file, mine, in[0], CELLS, MPI_INT));
    CHECK_OK(MPI_File_read_at_all_end(file, in[0], &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_read_at_all_begin_c(file, mine + CELLS, in[1], CELLS, MPI_INT));
    CHECK_OK(MPI_File_read_at_all_end(file, in[1], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_all_begin(file, in[2], CELLS, MPI_INT));
    CHECK_OK(MPI_File_read_all_end(file, in[2], &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_read_all_begin_c(file, in[3], CELLS, MPI_INT));
    CHECK_OK(MPI_File_read_all_end(file, in[3], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek_shared(file, ranks * 6 * CELLS, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_ordered_begin(file, in[4], CELLS, MPI_INT));
    CHECK_OK(MPI_File_read_ordered_end(file, in[4], &status));
    check_status(&status, CELLS);
    CHECK_OK(MPI_File_read_ordered_begin_c(file, in[5], CELLS, MPI_INT));
    CHECK_OK(MPI_File_read_ordered_end(file, in[5], MPI_STATUS_IGNORE));
    for (int i = 0; i < 6; i++)
        check_cells(in[i], first_of(i));
    close_file(file);
}
