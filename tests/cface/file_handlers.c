/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error handlers of files and windows: a file has the one that MPI_FILE_NULL has when it is opened, that one hears of
 * errors without a file, and a handler that was made for one thing is not attached to another.
 */
#include "wrong.h"

#include <corunna/threads.h>

static _Thread_local MPI_File heard_file;
static _Thread_local int heard_code, heard_count;

static void hear_file(MPI_File *file, int *code, ...)
{
    heard_file = *file;
    heard_code = *code;
    heard_count++;
}

static void hear_win(MPI_Win *win, int *code, ...)
{
    (void)win;
    (void)code;
}

static void hear_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static int no_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type, (void)extent, (void)state;
    return MPI_ERR_CONVERSION;
}

/* A handle of this rank that is no file and no window. */
#define OTHER_FILE ((MPI_File)(void *)MPI_COMM_WORLD)
#define OTHER_WIN ((MPI_Win)(void *)MPI_COMM_WORLD)

static void test_default(void)
{
    MPI_Errhandler handler, found;
    MPI_File file = MPI_FILE_NULL;
    int last;
    CHECK(MPI_File_get_errhandler(MPI_FILE_NULL, &found) == MPI_SUCCESS && found == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_File_create_errhandler(hear_file, &handler));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK(MPI_File_get_errhandler(MPI_FILE_NULL, &found) == MPI_SUCCESS && found == handler);
    /* The handles may go; MPI_FILE_NULL keeps the handler. */
    CHECK(MPI_Errhandler_free(&found) == MPI_SUCCESS && MPI_Errhandler_free(&handler) == MPI_SUCCESS);
    heard_count = 0;
    CHECK_OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE));
    CHECK(heard_count == 1 && heard_code == MPI_ERR_NO_SUCH_FILE && heard_file == MPI_FILE_NULL);
    CHECK_OK(MPI_Add_error_code(MPI_ERR_IO, &last));
    CHECK(MPI_File_call_errhandler(MPI_FILE_NULL, last) == MPI_SUCCESS && heard_count == 2 && heard_code == last);
    /* What goes wrong with files is told there, and not to a communicator, whose handler would end the job. */
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    WRONG(MPI_ERR_FILE, "file is", MPI_File_get_errhandler(OTHER_FILE, &found));
    CHECK(heard_count == 3 && heard_code == MPI_ERR_FILE && heard_file == MPI_FILE_NULL);
    WRONG(MPI_ERR_NO_SUCH_FILE, "nowhere",
          MPI_File_open(MPI_COMM_SELF, "nowhere", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK(heard_count == 4 && heard_code == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
    WRONG(MPI_ERR_COMM, "comm is MPI_COMM_NULL",
          MPI_File_open(MPI_COMM_NULL, "nowhere", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    WRONG(MPI_ERR_NO_SUCH_FILE, "nowhere", MPI_File_delete("nowhere", MPI_INFO_NULL));
    WRONG(MPI_ERR_FILE, "fh is MPI_FILE_NULL", MPI_File_sync(MPI_FILE_NULL));
    WRONG(MPI_ERR_FILE, "*fh is MPI_FILE_NULL", MPI_File_close(&file));
    WRONG(MPI_ERR_DUP_DATAREP, "native", MPI_Register_datarep("native", NULL, NULL, no_extent, NULL));
    CHECK(heard_count == 9 && heard_code == MPI_ERR_DUP_DATAREP && heard_file == MPI_FILE_NULL);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    WRONG(MPI_ERR_FILE, "file is", MPI_File_get_errhandler(OTHER_FILE, &found));
    CHECK(heard_count == 9);
}

/* A file's own, and the one it begins with. */
static void test_own(void)
{
    MPI_Errhandler handler, found;
    MPI_File plain, heard;
    int number = 0;
    CHECK_OK(MPI_File_create_errhandler(hear_file, &handler));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &plain));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &heard));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK(MPI_File_get_errhandler(plain, &found) == MPI_SUCCESS && found == MPI_ERRORS_RETURN);
    CHECK(MPI_File_get_errhandler(heard, &found) == MPI_SUCCESS && found == handler);
    CHECK_OK(MPI_Errhandler_free(&found));
    heard_count = 0;
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    WRONG(MPI_ERR_READ_ONLY, "opened for reading only", MPI_File_write(plain, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(heard_count == 0);
    WRONG(MPI_ERR_READ_ONLY, "opened for reading only", MPI_File_write(heard, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(heard_count == 1 && heard_code == MPI_ERR_READ_ONLY && heard_file == heard);
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_File_read(heard, &number, -1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(heard_count == 2 && heard_code == MPI_ERR_COUNT && heard_file == heard);
    CHECK_OK(MPI_File_call_errhandler(heard, MPI_ERR_IO));
    CHECK(heard_count == 3 && heard_code == MPI_ERR_IO && heard_file == heard);
    CHECK_OK(MPI_File_set_errhandler(heard, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_File_set_errhandler(plain, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK(MPI_File_call_errhandler(heard, MPI_ERR_IO) == MPI_SUCCESS && heard_count == 3);
    CHECK(MPI_File_call_errhandler(plain, MPI_ERR_IO) == MPI_SUCCESS && heard_count == 4 && heard_file == plain);
    CHECK(MPI_File_f2c(MPI_File_c2f(plain)) == plain && MPI_File_fromint(MPI_File_toint(heard)) == heard);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK(MPI_File_close(&plain) == MPI_SUCCESS && plain == MPI_FILE_NULL);
    CHECK(MPI_File_close(&heard) == MPI_SUCCESS && heard == MPI_FILE_NULL);
}

static void test_wrong(void)
{
    MPI_Errhandler file, win, comm, found = MPI_ERRHANDLER_NULL;
    CHECK_OK(MPI_File_create_errhandler(hear_file, &file));
    CHECK_OK(MPI_Win_create_errhandler(hear_win, &win));
    CHECK_OK(MPI_Comm_create_errhandler(hear_comm, &comm));
    WRONG(MPI_ERR_ARG, "file_errhandler_fn is", MPI_File_create_errhandler(NULL, &found));
    WRONG(MPI_ERR_ARG, "errhandler is", MPI_File_create_errhandler(hear_file, NULL));
    WRONG(MPI_ERR_ARG, "win_errhandler_fn is", MPI_Win_create_errhandler(NULL, &found));
    WRONG(MPI_ERR_ARG, "errhandler is", MPI_Win_create_errhandler(hear_win, NULL));
    WRONG(MPI_ERR_ERRHANDLER, "an error handler for windows", MPI_File_set_errhandler(MPI_FILE_NULL, win));
    WRONG(MPI_ERR_ERRHANDLER, "an error handler for communicators", MPI_File_set_errhandler(MPI_FILE_NULL, comm));
    WRONG(MPI_ERR_ERRHANDLER, "an error handler for files", MPI_Comm_set_errhandler(MPI_COMM_SELF, file));
    WRONG(MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL", MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRHANDLER_NULL));
    WRONG(MPI_ERR_FILE, "file is", MPI_File_set_errhandler(OTHER_FILE, file));
    WRONG(MPI_ERR_FILE, "fh is", MPI_File_call_errhandler(OTHER_FILE, MPI_ERR_IO));
    WRONG(MPI_ERR_ARG, "errorcode is 5000", MPI_File_call_errhandler(MPI_FILE_NULL, 5000));
    WRONG(MPI_ERR_ARG, "errhandler is", MPI_File_get_errhandler(MPI_FILE_NULL, NULL));
    WRONG(MPI_ERR_WIN, "win is MPI_WIN_NULL", MPI_Win_set_errhandler(MPI_WIN_NULL, win));
    WRONG(MPI_ERR_WIN, "win is MPI_WIN_NULL", MPI_Win_get_errhandler(MPI_WIN_NULL, &found));
    WRONG(MPI_ERR_WIN, "win is not a window but", MPI_Win_call_errhandler(OTHER_WIN, MPI_ERR_WIN));
    CHECK(found == MPI_ERRHANDLER_NULL);
    CHECK(MPI_Errhandler_free(&file) == MPI_SUCCESS && MPI_Errhandler_free(&win) == MPI_SUCCESS);
    CHECK_OK(MPI_Errhandler_free(&comm));
}

static int body(int argc, char **argv)
{
    MPI_Errhandler left;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_File_toint(MPI_FILE_NULL) == MPI_File_toint(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL))));
    CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
    test_default();
    test_wrong();
    test_own();
    /* Still attached in the end. */
    MPI_File_create_errhandler(hear_file, &left);
    MPI_File_set_errhandler(MPI_FILE_NULL, left);
    MPI_Errhandler_free(&left);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    for (int ranks = 1; ranks <= 3; ranks += 2)
        CHECK(corunna_threads_run(ranks, body, argc, argv) == 0);
    puts("file_handlers: passed");
    return 0;
}
