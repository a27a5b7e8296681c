/* SPDX-License-Identifier: Apache-2.0 */
/* Data representations. */
#include "file_call.h"
#include "file_suite.h"

#include <float.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- of the standard --------------------------------------------------------------------------------------------- */

/* Big endian on the disk, with the sizes of the standard. */
void case_format_external(test *t)
{
    MPI_File file = test_open(t, "external", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    unsigned char raw[8], expected[8] = {0x01, 0x02, 0x03, 0x04, 0xff, 0xff, 0xff, 0xfe};
    int mine[2] = {0x01020304, -2}, got[2] = {0, 0};
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at_all(file, 2 * t->rank, mine, 2, MPI_INT, &status));
    int count = -1;
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(2, count);
    test_sync(t, file);
    CHECK_EQUAL(8, test_disk_read(t, "external", 8 * t->rank, raw, 8));
    CHECK_SAME("the file", expected, raw, 8);
    CHECK_OK(MPI_File_read_at(file, 2 * ((t->rank + 1) % t->size), got, 2, MPI_INT, &status));
    CHECK(got[0] == mine[0] && got[1] == mine[1]);
    CHECK_OK(MPI_Barrier(t->comm));
    /* Views with holes, memory with holes, doubles, in each strategy. */
    MPI_Datatype view, memory;
    enum { COUNT = 50 };
    double values[2 * COUNT], back[2 * COUNT];
    CHECK_OK(MPI_Type_create_resized(MPI_DOUBLE, 0, t->size * (MPI_Aint)sizeof(double), &view));
    CHECK_OK(MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &memory));
    CHECK_OK(MPI_Type_commit(&view));
    CHECK_OK(MPI_Type_commit(&memory));
    for (int is_collective = 0; is_collective < 2; is_collective++) {
        for (int i = 0; i < 2 * COUNT; i++)
            values[i] = t->rank * 1000 + i + 0.25, back[i] = -1;
        CHECK_OK(MPI_File_set_view(file, t->rank * (MPI_Offset)8, MPI_DOUBLE, view, "external32", MPI_INFO_NULL));
        CHECK_OK(is_collective ? MPI_File_write_all(file, values, COUNT, memory, &status)
                               : MPI_File_write(file, values, COUNT, memory, &status));
        CHECK_OK(MPI_Get_count(&status, memory, &count));
        CHECK_EQUAL(COUNT, count);
        CHECK_OK(is_collective ? MPI_File_read_at_all(file, 0, back, COUNT, memory, &status)
                               : MPI_File_read_at(file, 0, back, COUNT, memory, &status));
        for (int i = 0; i < 2 * COUNT; i++)
            CHECK(back[i] == (i % 2 ? -1 : values[i]));
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_Type_free(&view));
    CHECK_OK(MPI_Type_free(&memory));
    CHECK_OK(MPI_File_close(&file));
}

/* Read back as it was written, whatever it looks like. */
void case_format_internal(test *t)
{
    MPI_File file = test_open(t, "internal", MPI_MODE_RDWR | MPI_MODE_CREATE);
    double mine[3] = {t->rank, 0.5, -t->rank}, got[3] = {0};
    char name[MPI_MAX_DATAREP_STRING] = "";
    MPI_Offset displacement;
    MPI_Datatype etype, filetype;
    CHECK_OK(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "internal", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(file, &displacement, &etype, &filetype, name));
    CHECK_TEXT("internal", name);
    CHECK_OK(MPI_File_write_ordered(file, mine, 3, MPI_DOUBLE, MPI_STATUS_IGNORE));
    test_sync(t, file);
    CHECK_OK(MPI_File_read_at(file, 3 * t->rank, got, 3, MPI_DOUBLE, MPI_STATUS_IGNORE));
    CHECK(memcmp(mine, got, sizeof got) == 0);
    CHECK_OK(MPI_File_close(&file));
}

/* ---- of the program ---------------------------------------------------------------------------------------------- */

/* Ints stand in the file as 8 bytes: a mark, the lowest byte, and so on. */
typedef struct format_state {
    int extents, reads, writes, is_failing;
    MPI_Datatype type; /* of the access */
} format_state;

static int format_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    MPI_Aint lb, here;
    ((format_state *)state)->extents++;
    if (MPI_Type_get_extent(type, &lb, &here) != MPI_SUCCESS || type != MPI_INT)
        return MPI_ERR_CONVERSION;
    *extent = 8;
    return MPI_SUCCESS;
}

static int format_read(void *memory, MPI_Datatype type, int count, void *bytes, MPI_Offset position, void *state)
{
    format_state *s = state;
    int *to = (int *)memory + position;
    s->reads++;
    CHECK(memory && bytes && count > 0 && position >= 0);
    CHECK(type == MPI_INT || type == s->type);
    for (int i = 0; i < count; i++) {
        const unsigned char *from = (unsigned char *)bytes + 8 * (size_t)i;
        if (s->is_failing || from[0] != 0xee)
            return MPI_ERR_CONVERSION;
        to[i] = (int)((unsigned)from[1] | (unsigned)from[2] << 8 | (unsigned)from[3] << 16 | (unsigned)from[4] << 24);
    }
    return MPI_SUCCESS;
}

static int format_write(void *memory, MPI_Datatype type, int count, void *bytes, MPI_Offset position, void *state)
{
    format_state *s = state;
    const int *from = (const int *)memory + position;
    s->writes++;
    CHECK(memory && bytes && count > 0 && position >= 0);
    CHECK(type == MPI_INT || type == s->type);
    if (s->is_failing)
        return MPI_ERR_CONVERSION;
    for (int i = 0; i < count; i++) {
        unsigned char *to = (unsigned char *)bytes + 8 * (size_t)i;
        unsigned value = (unsigned)from[i];
        memcpy(to,
               (unsigned char[8]){0xee, (unsigned char)value, (unsigned char)(value >> 8),
                                  (unsigned char)(value >> 16), (unsigned char)(value >> 24), 0x11, 0x22, 0x33},
               8);
    }
    return MPI_SUCCESS;
}

/* Each rank, and each run of the case, has a name of its own: a name is registered for good. */
static void format_register(test *t, const char *word, format_state *state, char *name)
{
    snprintf(name, MPI_MAX_DATAREP_STRING, "%s %llx", word,
             (unsigned long long)test_key(t, 77, (uint64_t)t->size, 0, 0));
    CHECK_OK(MPI_Register_datarep(name, format_read, format_write, format_extent, state));
}

void case_format_registered(test *t)
{
    static _Thread_local format_state state;
    enum { COUNT = 1000 };
    char name[MPI_MAX_DATAREP_STRING];
    int mine[COUNT], got[COUNT], count = -1;
    MPI_File file = test_open(t, "registered", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    MPI_Aint extent = -1;
    state = (format_state){.type = MPI_INT};
    format_register(t, "marked", &state, name);
    CHECK_CLASS(MPI_ERR_DUP_DATAREP, MPI_Register_datarep(name, format_read, format_write, format_extent, &state));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_EQUAL(8, extent);
    for (int i = 0; i < COUNT; i++)
        mine[i] = t->rank * 100000 - i * 77, got[i] = 5;
    CHECK_OK(MPI_File_write_ordered(file, mine, COUNT, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(COUNT, count);
    test_sync(t, file);
    CHECK_EQUAL(8 * COUNT * t->size, test_disk_size(t, "registered"));
    unsigned char raw[8];
    CHECK_EQUAL(8, test_disk_read(t, "registered", 8 * (COUNT * t->rank + 3), raw, 8));
    CHECK(raw[0] == 0xee && raw[7] == 0x33 && raw[1] == (unsigned char)mine[3]);
    for (int is_collective = 0; is_collective < 2; is_collective++) {
        memset(got, 0, sizeof got);
        CHECK_OK(is_collective ? MPI_File_read_at_all(file, COUNT * t->rank, got, COUNT, MPI_INT, &status)
                               : MPI_File_read_at(file, COUNT * t->rank, got, COUNT, MPI_INT, &status));
        CHECK_SAME("what was read", mine, got, sizeof got);
    }
    CHECK(state.reads > 0 && state.writes > 0 && state.extents > 0);
    CHECK_OK(MPI_File_close(&file));
}

/* A conversion that fails fails the access, and nothing else. */
void case_format_failing(test *t)
{
    static _Thread_local format_state state;
    char name[MPI_MAX_DATAREP_STRING];
    int value = 7, got = 0;
    MPI_File file = test_open(t, "failing", MPI_MODE_RDWR | MPI_MODE_CREATE);
    state = (format_state){.type = MPI_INT};
    format_register(t, "failing", &state, name);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    state.is_failing = 1;
    CHECK_CLASS(MPI_ERR_CONVERSION, MPI_File_write_at(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_ERR_CONVERSION, MPI_File_read_at(file, t->rank, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    state.is_failing = t->rank == 0; /* all are told */
    CHECK_CLASS(MPI_ERR_CONVERSION, MPI_File_write_at_all(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    state.is_failing = 0;
    CHECK_OK(MPI_File_read_at_all(file, t->rank, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQUAL(7, got);
    CHECK_OK(MPI_File_close(&file));
}

/* A failure at one member is told to all, also of a read, however it is called; and the status tells of nothing that
 * was not converted. */
void case_format_told(test *t)
{
    static _Thread_local format_state state;
    char name[MPI_MAX_DATAREP_STRING];
    int values[50], got[50];
    MPI_File file = test_open(t, "told", MPI_MODE_RDWR | MPI_MODE_CREATE);
    state = (format_state){.type = MPI_INT};
    format_register(t, "told", &state, name);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL));
    for (int i = 0; i < 50; i++)
        values[i] = 1000 * t->rank + i;
    CHECK_OK(MPI_File_write_at_all(file, 50 * t->rank, values, 50, MPI_INT, MPI_STATUS_IGNORE));
    test_sync(t, file);
    for (int i = 0; i < file_way_count; i++) {
        file_call call = {.file = file, .way = &file_ways[i], .offset = 50 * t->rank, .memory = got, .type = MPI_INT};
        int is_failing = t->rank == i % t->size;
        call.count = 50;
        test_detail(t, "read%s, form %d", call.way->name, call.way->form);
        CHECK_OK(MPI_File_seek(file, 50 * t->rank, MPI_SEEK_SET));
        CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
        memset(got, 0, sizeof got);
        state.is_failing = is_failing;
        int rc = file_call_run(&call);
        CHECK_EQUAL(is_failing || call.way->is_collective ? MPI_ERR_CONVERSION : MPI_SUCCESS,
                    rc == MPI_SUCCESS ? rc : test_class(rc));
        if (is_failing)
            CHECK_MOVED(0, &call.status);
        else if (call.way->pointer != FILE_SHARED)
            CHECK_SAME("what was read", values, got, sizeof got);
        state.is_failing = 0;
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_close(&file));
}

/* Each predefined type of C: its length here, and in external32 by the standard. */
static const struct {
    MPI_Datatype type;
    int bytes, in_file;
} basic_types[] = {
    {MPI_CHAR, 1, 1},
    {MPI_SIGNED_CHAR, 1, 1},
    {MPI_UNSIGNED_CHAR, 1, 1},
    {MPI_BYTE, 1, 1},
    {MPI_WCHAR, sizeof(wchar_t), 2},
    {MPI_SHORT, 2, 2},
    {MPI_UNSIGNED_SHORT, 2, 2},
    {MPI_INT, 4, 4},
    {MPI_UNSIGNED, 4, 4},
    {MPI_LONG, sizeof(long), 4},
    {MPI_UNSIGNED_LONG, sizeof(long), 4},
    {MPI_LONG_LONG, 8, 8},
    {MPI_UNSIGNED_LONG_LONG, 8, 8},
    {MPI_FLOAT, 4, 4},
    {MPI_DOUBLE, 8, 8},
    {MPI_LONG_DOUBLE, sizeof(long double), 16},
    {MPI_C_BOOL, 1, 1},
    {MPI_INT8_T, 1, 1},
    {MPI_INT16_T, 2, 2},
    {MPI_INT32_T, 4, 4},
    {MPI_INT64_T, 8, 8},
    {MPI_UINT8_T, 1, 1},
    {MPI_UINT16_T, 2, 2},
    {MPI_UINT32_T, 4, 4},
    {MPI_UINT64_T, 8, 8},
    {MPI_AINT, sizeof(MPI_Aint), 8},
    {MPI_OFFSET, sizeof(MPI_Offset), 8},
    {MPI_COUNT, sizeof(MPI_Count), 8},
    {MPI_C_FLOAT_COMPLEX, 8, 8},
    {MPI_C_DOUBLE_COMPLEX, 16, 16},
    {MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), 32},
};

/* They have it, and come back as they were. */
void case_format_basic(test *t)
{
    enum { COUNT = 3, MOST = 32, LONG_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };
    for (size_t i = 0; i < sizeof basic_types / sizeof basic_types[0]; i++) {
        _Alignas(16) unsigned char mine[COUNT * MOST] = {0}, got[COUNT * MOST] = {0};
        MPI_File file = test_open(t, "basic", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
        int bytes = basic_types[i].bytes * COUNT;
        test_detail(t, "row %zu", i);
        if (basic_types[i].type == MPI_LONG_DOUBLE || basic_types[i].type == MPI_C_LONG_DOUBLE_COMPLEX)
            for (int k = 0; k < bytes / (int)sizeof(long double); k++)
                memcpy(mine + (size_t)k * sizeof(long double), &(long double){k * 1.25L - t->rank}, LONG_BYTES);
        else
            for (int k = 0; k < bytes; k += basic_types[i].bytes) /* small numbers, which fit there */
                mine[k] = (unsigned char)(1 + k + t->rank);
        if (basic_types[i].type == MPI_C_BOOL)
            memset(mine, 1, COUNT);
        CHECK_OK(MPI_File_set_view(file, 0, basic_types[i].type, basic_types[i].type, "external32", MPI_INFO_NULL));
        CHECK_OK(MPI_File_write_at_all(file, COUNT * t->rank, mine, COUNT, basic_types[i].type, MPI_STATUS_IGNORE));
        test_sync(t, file);
        CHECK_EQUAL((long long)basic_types[i].in_file * COUNT * t->size, test_disk_size(t, "basic"));
        CHECK_OK(MPI_File_read_at_all(file, COUNT * t->rank, got, COUNT, basic_types[i].type, MPI_STATUS_IGNORE));
        CHECK_SAME("what was written", mine, got, (size_t)bytes);
        memset(got, 0, sizeof got);
        CHECK_OK(MPI_File_read_at(file, COUNT * t->rank, got, COUNT, basic_types[i].type, MPI_STATUS_IGNORE));
        CHECK_SAME("what was written", mine, got, (size_t)bytes);
        CHECK_OK(MPI_File_close(&file));
    }
}

void case_format_wrong(test *t)
{
    MPI_File file = test_open(t, "wrong", MPI_MODE_RDWR | MPI_MODE_CREATE);
    format_state state = {0};
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_DATAREP,
                MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "unheard of", MPI_INFO_NULL));
    CHECK_CLASS(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("native", format_read, format_write, format_extent, &state));
    CHECK_CLASS(MPI_ERR_DUP_DATAREP,
                MPI_Register_datarep("external32", format_read, format_write, format_extent, &state));
    /* One that a single member has never heard of. */
    CHECK_CLASS(MPI_ERR_UNSUPPORTED_DATAREP,
                MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, t->rank == t->size - 1 ? "unheard of" : "native",
                                  MPI_INFO_NULL));
    if (t->size > 1) {
        int rc = MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, t->rank ? "native" : "external32", MPI_INFO_NULL);
        CHECK(rc != MPI_SUCCESS);
        test_check_alike(t, "the class", test_class(rc));
    }
    CHECK_OK(MPI_File_close(&file));
}
