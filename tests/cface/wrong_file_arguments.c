/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on files with arguments that are wrong together, or for this file. */
#include "wrong.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static int room[16];
static char name[64];
static MPI_File file, reader, writer;
static MPI_Datatype overlapping, twice;
static MPI_Request request;

static int same_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    MPI_Aint lb;
    (void)state;
    return MPI_Type_get_extent(type, &lb, extent);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static MPI_File open_as(int mode)
{
    MPI_File opened;
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &opened));
    return opened;
}

static void wrong_modes(void)
{
    MPI_File opened = MPI_FILE_NULL;
    WRONG(MPI_ERR_AMODE, "exactly one", MPI_File_open(MPI_COMM_SELF, name, 0, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_AMODE, "exactly one",
          MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_AMODE, "MPI_MODE_RDONLY",
          MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL",
          MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_AMODE, "", MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | 4096, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_FILE_EXISTS, name,
          MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_NO_SUCH_FILE, "no/where",
          MPI_File_open(MPI_COMM_SELF, "no/where", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &opened));
    WRONG(MPI_ERR_BAD_FILE, "/dev", MPI_File_open(MPI_COMM_SELF, "/dev", MPI_MODE_RDONLY, MPI_INFO_NULL, &opened));
    CHECK(opened == MPI_FILE_NULL);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

static void wrong_memory(void)
{
    WRONG(MPI_ERR_BUFFER, "buf is a NULL pointer, but count is 1",
          MPI_File_read_at(file, 0, NULL, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_BUFFER, "buf is MPI_IN_PLACE", MPI_File_iwrite(file, MPI_IN_PLACE, 1, MPI_INT, &request));
    WRONG(MPI_ERR_COUNT, "more than memory can hold",
          MPI_File_write_at_all_c(file, 0, room, INT64_MAX / 2, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_TYPE, "datatype has blocks that overlap",
          MPI_File_read(file, room, 1, overlapping, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_TYPE, "datatype has blocks that overlap", MPI_File_iread_all(file, room, 1, overlapping, &request));
    WRONG(MPI_ERR_TYPE, "datatype has blocks that overlap", MPI_File_read_ordered_begin(file, room, 1, overlapping));
    /* What is written may. */
    CHECK_OK(MPI_File_write_at(file, 0, room, 1, overlapping, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE));
}

static void wrong_ways(void)
{
    MPI_Status status;
    int count = -1;
    WRONG(MPI_ERR_READ_ONLY, "reading only", MPI_File_write_at(reader, 0, room, 1, MPI_INT, &status));
    CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 0);
    WRONG(MPI_ERR_ACCESS, "writing only", MPI_File_read_shared(writer, room, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_UNSUPPORTED_OPERATION, "sequential",
          MPI_File_write_at(writer, 0, room, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_UNSUPPORTED_OPERATION, "sequential", MPI_File_write(writer, room, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_UNSUPPORTED_OPERATION, "sequential", MPI_File_seek(writer, 0, MPI_SEEK_SET));
    WRONG(MPI_ERR_ARG, "offset", MPI_File_read_at(file, -1, room, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_READ_ONLY, "", MPI_File_set_size(reader, 0));
    WRONG(MPI_ERR_READ_ONLY, "", MPI_File_preallocate(reader, 8));
}

static void wrong_split(void)
{
    MPI_File closed = file;
    CHECK_OK(MPI_File_write_at_all_begin(file, 0, room, 1, MPI_INT));
    WRONG(MPI_ERR_IO, "split collective", MPI_File_read_all_begin(file, room, 1, MPI_INT));
    WRONG(MPI_ERR_IO, "split collective", MPI_File_close(&closed));
    CHECK(closed == file);
    WRONG(MPI_ERR_ARG, "split collective", MPI_File_write_all_end(file, room, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_ARG, "split collective", MPI_File_read_at_all_end(file, room, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_ARG, "split collective", MPI_File_write_at_all_end(file, room + 1, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_write_at_all_end(file, room, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_ARG, "", MPI_File_write_ordered_end(file, room, MPI_STATUS_IGNORE));
}

/* ---- views and pointers ----------------------------------------------------------------------------------------- */

static void wrong_views(void)
{
    char longest[MPI_MAX_DATAREP_STRING + 1];
    memset(longest, 'x', MPI_MAX_DATAREP_STRING);
    longest[MPI_MAX_DATAREP_STRING] = '\0';
    WRONG(MPI_ERR_ARG, "displacement is below 0",
          MPI_File_set_view(file, -2, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    WRONG(MPI_ERR_ARG, "MPI_DISPLACEMENT_CURRENT",
          MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    WRONG(MPI_ERR_ARG, "", MPI_File_set_view(file, 0, twice, MPI_INT, "native", MPI_INFO_NULL));
    WRONG(MPI_ERR_ARG, "", MPI_File_set_view(file, 0, MPI_INT, overlapping, "native", MPI_INFO_NULL));
    WRONG(MPI_ERR_UNSUPPORTED_DATAREP, "gives the data representation \"strange\"",
          MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "strange", MPI_INFO_NULL));
    WRONG(MPI_ERR_ARG, "datarep is empty", MPI_Register_datarep("", NULL, NULL, same_extent, NULL));
    WRONG(MPI_ERR_ARG, "datarep is longer", MPI_Register_datarep_c(longest, NULL, NULL, same_extent, NULL));
    WRONG(MPI_ERR_DUP_DATAREP, "external32", MPI_Register_datarep_c("external32", NULL, NULL, same_extent, NULL));
    CHECK_OK(MPI_Register_datarep("strange", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent, NULL));
    WRONG(MPI_ERR_DUP_DATAREP, "strange", MPI_Register_datarep("strange", NULL, NULL, same_extent, NULL));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "strange", MPI_INFO_NULL));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

static void wrong_places(void)
{
    MPI_Offset offset = 7;
    WRONG(MPI_ERR_ARG, "whence is 7", MPI_File_seek(file, 0, 7));
    WRONG(MPI_ERR_ARG, "whence is 0", MPI_File_seek_shared(file, 0, 0));
    WRONG(MPI_ERR_ARG, "", MPI_File_seek(file, -1, MPI_SEEK_SET));
    WRONG(MPI_ERR_ARG, "", MPI_File_seek_shared(file, -1, MPI_SEEK_CUR));
    WRONG(MPI_ERR_ARG, "offset -1", MPI_File_get_byte_offset(file, -1, &offset));
    WRONG(MPI_ERR_ARG, "size is -1", MPI_File_set_size(file, -1));
    WRONG(MPI_ERR_ARG, "size is -8", MPI_File_preallocate(file, -8));
    CHECK(offset == 7);
}

/* ---- requests and handles --------------------------------------------------------------------------------------- */

static void wrong_requests(void)
{
    CHECK_OK(MPI_File_iwrite_at(file, 0, room, 4, MPI_INT, &request));
    WRONG(MPI_ERR_REQUEST, "*request is an access to a file, which cannot be cancelled", MPI_Cancel(&request));
    WRONG(MPI_ERR_REQUEST, "is not persistent", MPI_Start(&request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
}

static void wrong_handles(void)
{
    MPI_File freed = file;
    WRONG(MPI_ERR_FILE, "fh is not a file but the predefined handle 0x101", MPI_File_sync((MPI_File)MPI_COMM_WORLD));
    CHECK(MPI_File_close(&file) == MPI_SUCCESS && file == MPI_FILE_NULL);
    WRONG(MPI_ERR_FILE, "was freed", MPI_File_sync(freed));
    WRONG(MPI_ERR_FILE, "was freed", MPI_File_write(freed, room, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_FILE, "*fh is not a file but", MPI_File_close(&freed));
    WRONG(MPI_ERR_FILE, "file is not a file but", MPI_File_set_errhandler(freed, MPI_ERRORS_RETURN));
}

static void make_types(void)
{
    int lengths[] = {1, 1}, places[] = {0, 0};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &overlapping);
    MPI_Type_contiguous(2, MPI_INT, &twice);
    MPI_Type_commit(&overlapping);
    MPI_Type_commit(&twice);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    make_types();
    snprintf(name, sizeof name, "wrong_file_arguments.%d", (int)getpid());
    file = open_as(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE);
    reader = open_as(MPI_MODE_RDONLY);
    writer = open_as(MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    wrong_modes();
    wrong_memory();
    wrong_ways();
    wrong_split();
    wrong_views();
    wrong_places();
    wrong_requests();
    CHECK(MPI_File_close(&reader) == MPI_SUCCESS && MPI_File_close(&writer) == MPI_SUCCESS);
    wrong_handles();
    CHECK(access(name, F_OK) != 0);
    MPI_Type_free(&overlapping);
    MPI_Type_free(&twice);
    MPI_Finalize();
    puts("wrong_file_arguments: passed");
    return 0;
}
