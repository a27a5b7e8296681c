/* SPDX-License-Identifier: Apache-2.0 */
/* Views of files, datatypes of memory, data representations, and sequential files. */
#include "file_calls.h"

#include <stdlib.h>

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* Each rank sees its own pair of every `ranks` pairs. */
void test_view(void)
{
    int out[CELLS], in[CELLS] = {0}, sizes[] = {2 * ranks}, parts[] = {2}, starts[] = {2 * rank}, count;
    char datarep[MPI_MAX_DATAREP_STRING];
    MPI_Datatype filetype, etype, pairs, found;
    MPI_Offset disp = -1, at = -1;
    MPI_Aint extent = -1;
    MPI_Count wide = -1;
    MPI_File file = open_new();
    CHECK_OK(MPI_Type_create_subarray(1, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &filetype));
    CHECK_OK(MPI_Type_commit(&filetype));
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &found, datarep));
    CHECK(disp == 0 && etype == MPI_BYTE && found == MPI_BYTE);
    CHECK_TEXT("native", datarep);
    CHECK_OK(MPI_File_set_view(file, 8, MPI_INT, filetype, "internal", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &pairs, datarep));
    CHECK(disp == 8 && etype == MPI_INT && pairs != filetype);
    CHECK_TEXT("internal", datarep);
    CHECK(MPI_Type_size(pairs, &count) == MPI_SUCCESS && count == 8);
    CHECK(MPI_Type_free(&pairs) == MPI_SUCCESS && MPI_Type_free(&filetype) == MPI_SUCCESS);
    CHECK_OK(MPI_File_get_byte_offset(file, 3, &at));
    CHECK_EQUAL(8 + 4 * (2 * ranks + 2 * rank + 1), at);
    CHECK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent) == MPI_SUCCESS && extent == 8);
    CHECK(MPI_File_get_type_extent_c(file, MPI_INT, &wide) == MPI_SUCCESS && wide == 4);
    fill(out, first_of(1));
    CHECK_OK(MPI_File_write_all(file, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(file, 0, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(1));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at(file, 2 * rank, in, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(file, 2 * ranks + 2 * rank, in + 2, 2, MPI_INT, MPI_STATUS_IGNORE));
    check_cells(in, first_of(1));
    close_file(file);
}

/* Memory at absolute addresses, with gaps. */
void test_memory(void)
{
    int out[2 * CELLS], in[2 * CELLS] = {0}, lengths[] = {1, 2}, elements = -1;
    MPI_Aint addresses[2];
    MPI_Datatype source, target;
    MPI_Status status;
    MPI_File file = open_ints();
    for (int i = 0; i < 2 * CELLS; i++)
        out[i] = first_of(1) + i;
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Get_address(&out[4 * i], &addresses[i]));
    CHECK_OK(MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &source));
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Get_address(&in[3 * i], &addresses[i]));
    CHECK_OK(MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &target));
    CHECK(MPI_Type_commit(&source) == MPI_SUCCESS && MPI_Type_commit(&target) == MPI_SUCCESS);
    CHECK_OK(MPI_File_write_at(file, 3 * rank, MPI_BOTTOM, 1, source, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_all(file, 3 * rank, MPI_BOTTOM, 1, target, &status));
    CHECK(MPI_Get_elements(&status, target, &elements) == MPI_SUCCESS && elements == 3);
    CHECK(in[0] == out[0] && in[3] == out[4] && in[4] == out[5] && in[1] == 0 && in[5] == 0);
    CHECK(MPI_Type_free(&source) == MPI_SUCCESS && MPI_Type_free(&target) == MPI_SUCCESS);
    close_file(file);
}

/* ---- data representations --------------------------------------------------------------------------------------- */

void test_external(void)
{
    int out = 0x01020304, in = 0;
    unsigned char bytes[4] = {0};
    MPI_File file = open_new();
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at(file, rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(MPI_File_read_at(file, rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS && in == out);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at(file, 4 * rank, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3 && bytes[3] == 4);
    close_file(file);
}

/* Ints are text of ten characters in the file. The state counts the calls. */
enum { TEXT_BYTES = 10, TEXT_MANY = 110000 };

static int text_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)state;
    *extent = TEXT_BYTES;
    return type == MPI_INT ? MPI_SUCCESS : MPI_ERR_CONVERSION;
}

static int text_write(void *memory, MPI_Datatype type, int count, void *bytes, MPI_Offset position, void *state)
{
    char text[TEXT_BYTES + 1];
    (void)type;
    ++*(int *)state;
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%10d", ((const int *)memory)[position + i]);
        memcpy((char *)bytes + i * TEXT_BYTES, text, TEXT_BYTES);
    }
    return MPI_SUCCESS;
}

static int text_read(void *memory, MPI_Datatype type, MPI_Count count, void *bytes, MPI_Offset position, void *state)
{
    char text[TEXT_BYTES + 1] = "";
    int size;
    ++*(int *)state;
    for (MPI_Count i = 0; i < count; i++) {
        memcpy(text, (char *)bytes + i * TEXT_BYTES, TEXT_BYTES);
        ((int *)memory)[position + i] = atoi(text);
    }
    return MPI_Type_size(type, &size) == MPI_SUCCESS && size == sizeof(int) ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int text_read_short(void *memory, MPI_Datatype type, int count, void *bytes, MPI_Offset position, void *state)
{
    return text_read(memory, type, count, bytes, position, state);
}

static int text_write_wide(void *memory, MPI_Datatype type, MPI_Count count, void *bytes, MPI_Offset position,
                           void *state)
{
    return text_write(memory, type, (int)count, bytes, position, state);
}

static int text_refuse(void *memory, MPI_Datatype type, int count, void *bytes, MPI_Offset position, void *state)
{
    (void)memory, (void)type, (void)count, (void)bytes, (void)position, (void)state;
    return MPI_ERR_OTHER;
}

static void check_text_in(MPI_File file, const char *datarep, int *calls)
{
    int out[CELLS], in[CELLS] = {0};
    char text[TEXT_BYTES + 1] = "";
    MPI_Request request;
    MPI_Status status;
    MPI_Aint extent = -1;
    fill(out, first_of(7));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, datarep, MPI_INFO_NULL));
    CHECK(MPI_File_get_type_extent(file, MPI_INT, &extent) == MPI_SUCCESS && extent == TEXT_BYTES);
    CHECK_OK(MPI_File_write_at_all(file, rank * CELLS, out, CELLS, MPI_INT, &status));
    check_status(&status, CELLS);
    CHECK(*calls > 0);
    *calls = 0;
    CHECK_OK(MPI_File_iread_at(file, rank * CELLS, in, CELLS, MPI_INT, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    check_status(&status, CELLS);
    CHECK(*calls > 0);
    check_cells(in, first_of(7));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at(file, (rank * CELLS + 1) * TEXT_BYTES, text, TEXT_BYTES, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_EQUAL(first_of(7) + 1, atoi(text));
}

/* More than any buffer on the way holds, and in pieces that are no whole numbers. */
static void check_many(MPI_File file)
{
    int *out = malloc(TEXT_MANY * sizeof *out), *in = malloc(TEXT_MANY * sizeof *in);
    MPI_Status status;
    MPI_Info hints;
    CHECK(out && in);
    CHECK_OK(MPI_Info_create(&hints));
    CHECK_OK(MPI_Info_set(hints, "cb_buffer_size", "10007"));
    for (int way = 0; way < 3; way++) {
        CHECK_OK(MPI_Info_set(hints, "romio_cb_write", way ? "enable" : "disable"));
        CHECK_OK(MPI_Info_set(hints, "romio_cb_read", way ? "enable" : "disable"));
        CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "text", hints));
        for (int i = 0; i < TEXT_MANY; i++)
            out[i] = 1000003 * (rank + 1) + 7 * i + way;
        memset(in, 0, TEXT_MANY * sizeof *in);
        CHECK_OK(MPI_File_write_at_all(file, (MPI_Offset)rank * TEXT_MANY, out, TEXT_MANY, MPI_INT, &status));
        check_status(&status, TEXT_MANY);
        if (way == 2)
            CHECK_OK(MPI_File_read_at(file, (MPI_Offset)rank * TEXT_MANY, in, TEXT_MANY, MPI_INT, &status));
        else
            CHECK_OK(MPI_File_read_at_all(file, (MPI_Offset)rank * TEXT_MANY, in, TEXT_MANY, MPI_INT, &status));
        check_status(&status, TEXT_MANY);
        CHECK(memcmp(in, out, TEXT_MANY * sizeof *in) == 0);
    }
    MPI_Info_free(&hints);
    free(out);
    free(in);
}

static int text_refuse_at(void *memory, MPI_Datatype type, int count, void *bytes, MPI_Offset position, void *state)
{
    (void)memory, (void)type, (void)position;
    memset(bytes, '#', (size_t)count * TEXT_BYTES);
    return *(int *)state ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* A conversion that fails at one rank is an error at all, and nothing of that rank is written. */
static void check_refused_at_one(MPI_File file)
{
    int is_last = rank == ranks - 1, number = 7;
    char text[TEXT_BYTES + 1] = "";
    MPI_Info hints;
    CHECK_OK(MPI_Register_datarep("refused at one", text_refuse_at, text_refuse_at, text_extent, &is_last));
    CHECK_OK(MPI_Info_create(&hints));
    for (int way = 0; way < 2; way++) {
        CHECK_OK(MPI_Info_set(hints, "romio_cb_write", way ? "enable" : "disable"));
        CHECK_OK(MPI_File_set_size(file, 0));
        CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "refused at one", hints));
        WRONG(MPI_ERR_CONVERSION, "conver", MPI_File_write_at_all(file, rank, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
        CHECK_OK(MPI_File_read_at(file, (MPI_Offset)(ranks - 1) * TEXT_BYTES, text, 1, MPI_CHAR, MPI_STATUS_IGNORE));
        CHECK(text[0] != '#');
    }
    MPI_Info_free(&hints);
}

void test_registered(void)
{
    int calls = 0, number = 7;
    MPI_File file = open_new();
    CHECK_OK(MPI_Register_datarep("text", text_read_short, text_write, text_extent, &calls));
    CHECK_OK(MPI_Register_datarep_c("text_c", text_read, text_write_wide, text_extent, &calls));
    CHECK_OK(MPI_Register_datarep("refused", text_refuse, text_refuse, text_extent, NULL));
    check_text_in(file, "text", &calls);
    check_text_in(file, "text_c", &calls);
    check_many(file);
    check_refused_at_one(file);
    CHECK_OK(MPI_File_set_size(file, TEXT_BYTES));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "refused", MPI_INFO_NULL));
    WRONG(MPI_ERR_CONVERSION, "refused", MPI_File_write_at(file, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_CONVERSION, "refused", MPI_File_read_at(file, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    close_file(file);
}

/* ---- one after the other ---------------------------------------------------------------------------------------- */

void test_sequential(void)
{
    int out[CELLS], in[CELLS] = {0};
    MPI_File file;
    fill(out, first_of(1));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_write_ordered(file, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    close_file(file);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_read_ordered(file, in, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_ordered(file, in, CELLS - 1, MPI_INT, MPI_STATUS_IGNORE));
    if (ranks == 1)
        CHECK(in[0] == out[1] && in[CELLS - 2] == out[CELLS - 1]);
    close_file(file);
}
