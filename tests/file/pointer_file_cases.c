/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers: where they are, and where that is in the file. */
#include "file_call.h"
#include "file_layout.h"
#include "file_suite.h"

#include <stdlib.h>

/* A view of 2 of every 5 ints, 4 bytes from the begin. */
static MPI_Datatype pointer_type(void)
{
    MPI_Datatype pair, type;
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    CHECK_OK(MPI_Type_create_resized(pair, 0, 5 * (MPI_Aint)sizeof(int), &type));
    CHECK_OK(MPI_Type_free(&pair));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

static void pointer_seek(const test *t, MPI_File file, int is_shared, MPI_Offset offset, int whence,
                         MPI_Offset expected)
{
    MPI_Offset at = -1;
    if (is_shared) {
        CHECK_OK(MPI_File_seek_shared(file, offset, whence));
        CHECK_OK(MPI_File_get_position_shared(file, &at));
    } else {
        CHECK_OK(MPI_File_seek(file, offset, whence));
        CHECK_OK(MPI_File_get_position(file, &at));
    }
    CHECK_EQUAL(expected, at);
    CHECK_OK(MPI_Barrier(t->comm));
}

void case_pointer_seek(test *t)
{
    MPI_Datatype type = pointer_type();
    test_disk_make(t, "pointer", NULL, 4 + 20 * 10 + 8); /* ten tiles, and the data of one more */
    MPI_File file = test_open(t, "pointer", MPI_MODE_RDWR);
    test_view(file, 4, MPI_INT, type);
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        test_detail(t, is_shared ? "the shared pointer" : "the individual pointer");
        pointer_seek(t, file, is_shared, 0, MPI_SEEK_CUR, 0);
        pointer_seek(t, file, is_shared, 17, MPI_SEEK_SET, 17);
        pointer_seek(t, file, is_shared, 4, MPI_SEEK_CUR, 21);
        pointer_seek(t, file, is_shared, -21, MPI_SEEK_CUR, 0);
        pointer_seek(t, file, is_shared, 0, MPI_SEEK_END, 22);
        pointer_seek(t, file, is_shared, -3, MPI_SEEK_END, 19);
        pointer_seek(t, file, is_shared, 100, MPI_SEEK_END, 122);
        pointer_seek(t, file, is_shared, (MPI_Offset)1 << 40, MPI_SEEK_SET, (MPI_Offset)1 << 40);
        pointer_seek(t, file, is_shared, 7, MPI_SEEK_SET, 7);
        /* Not before the beginning, and with a whence there is; the pointer stays. */
        if (is_shared) {
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek_shared(file, -1, MPI_SEEK_SET));
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek_shared(file, -8, MPI_SEEK_CUR));
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek_shared(file, 0, 12345));
            if (t->size > 1) {
                int rc = MPI_File_seek_shared(file, t->rank, MPI_SEEK_SET);
                CHECK(rc != MPI_SUCCESS);
                test_check_alike(t, "the class", test_class(rc));
            }
        } else {
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -8, MPI_SEEK_CUR));
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -23, MPI_SEEK_END));
            CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek(file, 0, 12345));
        }
        pointer_seek(t, file, is_shared, 0, MPI_SEEK_CUR, 7);
    }
    /* A new view begins at its beginning. */
    test_view(file, 0, MPI_BYTE, MPI_BYTE);
    pointer_seek(t, file, 0, 0, MPI_SEEK_CUR, 0);
    pointer_seek(t, file, 1, 0, MPI_SEEK_CUR, 0);
    pointer_seek(t, file, 0, 0, MPI_SEEK_END, 212);
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Type_free(&type));
}

/* Where in the file an element begins, of every shape. */
void case_pointer_offsets(test *t)
{
    MPI_File file = test_open(t, "pointer", MPI_MODE_RDWR | MPI_MODE_CREATE);
    uint64_t random = test_key(t, 1, (uint64_t)t->rank, 0, 0);
    for (int kind = 0; kind < SHAPE_FILE_KINDS; kind++) {
        uint64_t common = test_key(t, 1, (uint64_t)kind, 0, 0);
        cell of = cell_make(test_below(&common, CELL_KINDS)); /* extents of etypes are the same at all ranks */
        layout view;
        MPI_Offset displacement = test_below(&random, 100);
        layout_make(&view, (shape_kind)kind, of, &random);
        test_view(file, displacement, of.type, view.shape.type);
        view.displacement = displacement;
        for (int i = 0; i < 300; i++) {
            MPI_Offset offset = i < 200 ? i : test_below(&random, 1 << 30), bytes = -1;
            test_detail(t, "element %lld of a view of %s of %s", (long long)offset, shape_names[kind], of.name);
            CHECK_OK(MPI_File_get_byte_offset(file, offset, &bytes));
            CHECK_EQUAL(layout_at(&view, (uint64_t)offset * of.bytes), bytes);
        }
        MPI_Offset got = -1;
        MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
        MPI_Aint lb, extent;
        MPI_Count size = 0;
        char name[MPI_MAX_DATAREP_STRING];
        CHECK_OK(MPI_File_get_view(file, &got, &etype, &filetype, name));
        CHECK_EQUAL(displacement, got);
        CHECK_OK(MPI_Type_size_x(etype, &size));
        CHECK_EQUAL(of.bytes, size);
        CHECK_OK(MPI_Type_get_extent(filetype, &lb, &extent));
        CHECK_EQUAL(view.shape.extent, extent);
        cell given = {etype, 0, ""}, tile = {filetype, 0, ""};
        cell_free(&given);
        cell_free(&tile);
        layout_free(&view);
        cell_free(&of);
    }
    CHECK_OK(MPI_File_close(&file));
}

void case_pointer_extents(test *t)
{
    MPI_File file = test_open(t, "pointer", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype spread;
    MPI_Aint extent = -1;
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 11, &spread));
    CHECK_OK(MPI_Type_commit(&spread));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK_EQUAL(sizeof(double), extent);
    CHECK_OK(MPI_File_get_type_extent(file, spread, &extent));
    CHECK_EQUAL(11, extent);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_LONG_DOUBLE, &extent));
    CHECK_EQUAL(16, extent);
    CHECK_OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    CHECK_EQUAL(4, extent);
    CHECK_OK(MPI_File_get_type_extent(file, MPI_WCHAR, &extent));
    CHECK_EQUAL(2, extent);
    CHECK_OK(MPI_Type_free(&spread));
    CHECK_OK(MPI_File_close(&file));
}

/* Each rank goes on where it was, whatever others and other pointers do. */
void case_pointer_individual(test *t)
{
    MPI_File file = test_open(t, "pointer", MPI_MODE_RDWR | MPI_MODE_CREATE);
    int rounds = test_volume(t, 100), value = 0, got = -1;
    MPI_Offset at = -1;
    test_view(file, t->rank * (MPI_Offset)1000000, MPI_INT, MPI_INT);
    for (int i = 0; i < rounds; i++) {
        value = t->rank * 100000 + i;
        CHECK_OK(i % 2 ? MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)
                       : MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_get_position(file, &at));
        CHECK_EQUAL(i + 1, at);
        CHECK_OK(MPI_File_read_at(file, i / 2, &got, 1, MPI_INT, MPI_STATUS_IGNORE)); /* of our own */
        CHECK_EQUAL(t->rank * 100000 + i / 2, got);
    }
    CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    for (int i = 0; i < rounds; i++) {
        CHECK_OK(i % 3 ? MPI_File_read(file, &got, 1, MPI_INT, MPI_STATUS_IGNORE)
                       : MPI_File_read_all(file, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_EQUAL(t->rank * 100000 + i, got);
    }
    CHECK_OK(MPI_File_close(&file));
}
