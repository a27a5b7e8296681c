/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong use: the right error class, a sentence, and a file that works as before. Hints, too, which may be anything. */
#include "file_suite.h"
#include "file_trial.h"

#include <stdlib.h>
#include <string.h>

static void wrong_check(const test *t, MPI_File file)
{
    int value = t->rank + 100, got = -1;
    test_view(file, 0, MPI_INT, MPI_INT);
    CHECK_OK(MPI_File_write_at_all(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(file, t->rank, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQUAL(value, got);
}

void case_wrong_arguments(test *t)
{
    MPI_File file = test_open(t, "wrong", MPI_MODE_RDWR | MPI_MODE_CREATE), none = MPI_FILE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Offset offset;
    MPI_Datatype raw;
    char byte = 1;
    CHECK_OK(MPI_Type_contiguous(3, MPI_BYTE, &raw)); /* not committed */
    CHECK_CLASS(MPI_ERR_FILE, MPI_File_write_at(none, 0, &byte, 1, MPI_BYTE, &status));
    CHECK_CLASS(MPI_ERR_FILE, MPI_File_read(none, &byte, 1, MPI_BYTE, &status));
    CHECK_CLASS(MPI_ERR_FILE, MPI_File_iwrite_all(none, &byte, 1, MPI_BYTE, &request));
    CHECK_CLASS(MPI_ERR_FILE, MPI_File_get_size(none, &offset));
    CHECK_CLASS(MPI_ERR_FILE, MPI_File_sync(none));
    CHECK_CLASS(MPI_ERR_FILE, MPI_File_close(&none));
    CHECK_CLASS(MPI_ERR_COUNT, MPI_File_write_at(file, 0, &byte, -1, MPI_BYTE, &status));
    CHECK_CLASS(MPI_ERR_COUNT, MPI_File_read(file, &byte, -1, MPI_BYTE, &status));
    CHECK_CLASS(MPI_ERR_COUNT, MPI_File_iread_shared(file, &byte, -1, MPI_BYTE, &request));
    CHECK_CLASS(MPI_ERR_TYPE, MPI_File_write_at(file, 0, &byte, 1, MPI_DATATYPE_NULL, &status));
    CHECK_CLASS(MPI_ERR_TYPE, MPI_File_write(file, &byte, 1, raw, &status));
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_write_at(file, -1, &byte, 1, MPI_BYTE, &status));
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_iread_at(file, -1, &byte, 1, MPI_BYTE, &request));
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_read_at_all(file, -1, &byte, 1, MPI_BYTE, &status));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_File_write_at(file, 0, NULL, 0, MPI_BYTE, &status));
    CHECK_MOVED(0, &status);
    CHECK_EQUAL(0, test_disk_size(t, "wrong"));
    CHECK_OK(MPI_Barrier(t->comm));
    /* Not a multiple of the etype. */
    test_view(file, 0, MPI_INT, MPI_INT);
    int rc = MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, &status);
    CHECK(rc == MPI_SUCCESS || test_class(rc) == MPI_ERR_IO || test_class(rc) == MPI_ERR_ARG ||
          test_class(rc) == MPI_ERR_TYPE);
    CHECK_OK(MPI_Barrier(t->comm));
    wrong_check(t, file);
    CHECK_OK(MPI_Type_free(&raw));
    CHECK_OK(MPI_File_close(&file));
}

/* Filetypes whose places do not rise, or come before the beginning; of a file that is written, that overlap. */
void case_wrong_views(test *t)
{
    MPI_File file = test_open(t, "wrong", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype types[5];
    MPI_Offset displacement = -1;
    MPI_Datatype etype, filetype;
    char name[MPI_MAX_DATAREP_STRING];
    int whole[2] = {0, t->rank + 1}, back[2] = {0};
    CHECK_OK(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){3, 0}, MPI_INT, &types[0]));
    CHECK_OK(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){-4}, MPI_INT, &types[1]));
    CHECK_OK(MPI_Type_contiguous(3, MPI_BYTE, &types[2])); /* is not made of ints */
    CHECK_OK(MPI_Type_create_hvector(3, 1, 2, MPI_INT, &types[3]));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2, &types[4]));
    test_view(file, 8, MPI_INT, MPI_INT);
    CHECK_OK(MPI_Type_commit(&types[4]));
    for (int i = 0; i < 4; i++) {
        test_detail(t, "type %d", i);
        CHECK_OK(MPI_Type_commit(&types[i]));
        CHECK_CLASS(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_INT, types[i], "native", MPI_INFO_NULL));
        CHECK_OK(MPI_File_get_view(file, &displacement, &etype, &filetype, name));
        CHECK(displacement == 8 && etype == MPI_INT && filetype == MPI_INT);
    }
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_set_view(file, -1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_CLASS(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_CLASS(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, MPI_DATATYPE_NULL, "native", MPI_INFO_NULL));
    if (t->size > 1) { /* extents of etypes are the same */
        MPI_Datatype own = t->rank ? MPI_INT : MPI_DOUBLE;
        int rc = MPI_File_set_view(file, 0, own, own, "native", MPI_INFO_NULL);
        CHECK(rc != MPI_SUCCESS);
        test_check_alike(t, "the class", test_class(rc));
    }
    wrong_check(t, file);
    /* A filetype that overlaps the next one: through one of them can be written, through two cannot. */
    test_view(file, 8 * t->rank, MPI_INT, types[4]);
    CHECK_OK(MPI_File_write_at_all(file, 0, &whole[1], 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_write_at(file, 0, whole, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_write_at_all(file, 0, whole, 1 + (t->rank == 0), MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_all(file, 0, back, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQUAL(whole[1], back[0]);
    test_view(file, 0, MPI_BYTE, MPI_BYTE);
    wrong_check(t, file);
    CHECK_OK(MPI_File_close(&file));
    file = test_open(t, "wrong", MPI_MODE_RDONLY); /* that is read, the same byte may come twice */
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, types[4], "native", MPI_INFO_NULL));
    for (int i = 0; i < 5; i++)
        CHECK_OK(MPI_Type_free(&types[i]));
    CHECK_OK(MPI_File_close(&file));
}

/* One split access at a time, ended by its own end. */
void case_wrong_split(test *t)
{
    MPI_File file = test_open(t, "wrong", MPI_MODE_RDWR | MPI_MODE_CREATE);
    int value = t->rank, other = 0;
    MPI_Status status;
    test_view(file, 0, MPI_INT, MPI_INT);
    CHECK(MPI_File_write_all_end(file, &value, &status) != MPI_SUCCESS); /* none has begun */
    CHECK_OK(MPI_File_write_at_all_begin(file, t->rank, &value, 1, MPI_INT));
    CHECK(MPI_File_write_at_all_begin(file, t->rank, &other, 1, MPI_INT) != MPI_SUCCESS);
    CHECK(MPI_File_read_all_begin(file, &other, 1, MPI_INT) != MPI_SUCCESS);
    CHECK(MPI_File_read_at_all_end(file, &value, &status) != MPI_SUCCESS);
    CHECK(MPI_File_write_all_end(file, &value, &status) != MPI_SUCCESS);
    CHECK(MPI_File_close(&file) != MPI_SUCCESS);
    CHECK(file != MPI_FILE_NULL);
    CHECK_OK(MPI_File_write_at_all_end(file, &value, &status));
    CHECK_MOVED(4, &status);
    CHECK(MPI_File_write_at_all_end(file, &value, &status) != MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(t->comm));
    wrong_check(t, file);
    CHECK_OK(MPI_File_close(&file));
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

static _Thread_local int handler_calls, handler_code;
static _Thread_local MPI_File handler_file;

static void handler_count(MPI_File *file, int *code, ...)
{
    handler_calls++;
    handler_file = *file;
    handler_code = *code;
}

/* Files return their errors, unless another handler is set: of MPI_FILE_NULL for those that open. */
void case_wrong_handler(test *t)
{
    MPI_Errhandler handler, was, now;
    MPI_File file = MPI_FILE_NULL;
    char byte;
    MPI_Status status;
    CHECK_OK(MPI_File_create_errhandler(handler_count, &handler));
    CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &was));
    CHECK(was == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    handler_calls = 0;
    int rc = MPI_File_open(t->comm, test_path(t, "missing"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK_EQUAL(MPI_ERR_NO_SUCH_FILE, test_class(rc));
    CHECK_EQUAL(1, handler_calls);
    CHECK_EQUAL(rc, handler_code);
    CHECK(handler_file == MPI_FILE_NULL);
    if (t->rank == 0)
        CHECK_EQUAL(MPI_ERR_NO_SUCH_FILE, test_class(MPI_File_delete(test_path(t, "missing"), MPI_INFO_NULL)));
    CHECK_EQUAL(1 + (t->rank == 0), handler_calls);
    /* A file that is opened takes the handler of MPI_FILE_NULL over. */
    file = test_open(t, "wrong", MPI_MODE_RDWR | MPI_MODE_CREATE);
    CHECK_OK(MPI_File_get_errhandler(file, &now));
    CHECK(now == handler);
    CHECK_OK(MPI_Errhandler_free(&now));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, was));
    handler_calls = 0;
    CHECK_EQUAL(MPI_ERR_COUNT, test_class(MPI_File_read(file, &byte, -1, MPI_BYTE, &status)));
    CHECK(handler_calls == 1 && handler_file == file);
    CHECK_OK(MPI_File_call_errhandler(file, MPI_ERR_IO));
    CHECK(handler_calls == 2 && handler_code == MPI_ERR_IO);
    CHECK_OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    CHECK_EQUAL(MPI_ERR_COUNT, test_class(MPI_File_read(file, &byte, -1, MPI_BYTE, &status)));
    CHECK_EQUAL(2, handler_calls);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Errhandler_free(&was));
    CHECK_OK(MPI_File_close(&file));
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */

static MPI_Info hint_info(const char *const *pairs)
{
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    for (; pairs[0]; pairs += 2)
        CHECK_OK(MPI_Info_set(info, pairs[0], pairs[1]));
    return info;
}

static void hint_check(MPI_File file, const char *name, const char *expected)
{
    MPI_Info info;
    char value[64] = "";
    int is_set = 0;
    CHECK_OK(MPI_File_get_info(file, &info));
    CHECK_OK(MPI_Info_get(info, name, sizeof value - 1, value, &is_set));
    CHECK_OK(MPI_Info_free(&info));
    if (!is_set || strcmp(value, expected) != 0)
        CHECK_FAIL("hint %s is '%s', not '%s'", name, is_set ? value : "(not set)", expected);
}

/* What is in force is told; what nobody knows, or makes no sense, is not. */
void case_hint_known(test *t)
{
    static const char *const known[] = {"cb_buffer_size",
                                        "65536",
                                        "romio_cb_write",
                                        "enable",
                                        "romio_ds_read",
                                        "disable",
                                        "cb_nodes",
                                        "1",
                                        "ind_rd_buffer_size",
                                        "8192",
                                        "striping_unit",
                                        "3000",
                                        "access_style",
                                        "random",
                                        "no_such_hint_there",
                                        "maybe",
                                        NULL};
    static const char *const strange[] = {"cb_buffer_size", "-3", "cb_nodes", "many", "romio_cb_read", "sometimes",
                                          "romio_ds_read",  "",   NULL};
    MPI_Info info = hint_info(known), back;
    MPI_File file;
    char value[64];
    int is_set = 1;
    CHECK_OK(MPI_File_open(t->comm, test_path(t, "hints"), MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
    CHECK_OK(MPI_Info_free(&info));
    hint_check(file, "cb_buffer_size", "65536");
    hint_check(file, "romio_cb_write", "enable");
    hint_check(file, "romio_ds_read", "disable");
    hint_check(file, "cb_nodes", "1");
    hint_check(file, "striping_unit", "3000");
    hint_check(file, "access_style", "random");
    CHECK_OK(MPI_File_get_info(file, &back));
    CHECK_OK(MPI_File_set_info(file, back));
    CHECK_OK(MPI_Info_get(back, "no_such_hint_there", 60, value, &is_set));
    CHECK_EQUAL(0, is_set);
    CHECK_OK(MPI_Info_free(&back));
    info = hint_info(strange);
    CHECK_OK(MPI_File_set_info(file, info));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
    CHECK_OK(MPI_Info_free(&info));
    hint_check(file, "cb_buffer_size", "65536");
    hint_check(file, "romio_ds_read", "disable");
    wrong_check(t, file);
    CHECK_OK(MPI_File_close(&file));
}

/* Whatever the hints choose, the bytes are the same. */
void case_hint_strategies(test *t)
{
    static const char *const choices[][9] = {
        {"romio_cb_write", "enable", "romio_cb_read", "enable", NULL},
        {"romio_cb_write", "disable", "romio_cb_read", "disable", NULL},
        {"romio_cb_write", "enable", "romio_cb_read", "enable", "cb_nodes", "1", "cb_buffer_size", "64", NULL},
        {"romio_cb_write", "enable", "romio_cb_read", "enable", "cb_nodes", "2", "cb_buffer_size", "1000", NULL},
        {"romio_cb_write", "enable", "romio_cb_read", "enable", "cb_nodes", "999", NULL},
        {"romio_ds_read", "enable", "romio_ds_write", "enable", "ind_rd_buffer_size", "100", NULL},
        {"romio_cb_write", "enable", "romio_cb_read", "enable", "striping_unit", "100", NULL},
        {"romio_ds_read", "disable", "romio_ds_write", "disable", NULL},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        MPI_Info info = hint_info(choices[i]);
        for (int round = 0; round < test_volume(t, 25); round++) {
            trial what = trial_any();
            what.info = info;
            what.elements = round % 5 ? 20 : 200;
            trial_run(t, what, test_key(t, 5, i, (uint64_t)round, 0));
        }
        CHECK_OK(MPI_Info_free(&info));
    }
}

/* Values that make no sense, or that differ between ranks: accesses of all go on alike. */
void case_hint_strange(test *t)
{
    static const char *const keys[] = {"cb_nodes",      "cb_buffer_size", "ind_rd_buffer_size", "romio_cb_write",
                                       "romio_cb_read", "file_perm",      "striping_unit"};
    static const char *const values[] = {
        "-3",     "1e9",     "abc",  "",  "1",  "0",   "1099511627776", "99999999999999999999",
        "enable", "disable", "true", "7", " 5", "0x10"};
    enum { KEYS = sizeof keys / sizeof keys[0], VALUES = sizeof values / sizeof values[0], BYTES = 600 };
    for (int round = 0; round < test_volume(t, 24); round++) {
        unsigned char mine[BYTES], got[BYTES];
        const char *pairs[2 * KEYS + 1] = {NULL};
        uint64_t random = test_key(t, 8, (uint64_t)round, (uint64_t)(round % 2 ? t->rank : 0), 0);
        MPI_Datatype type;
        MPI_File file;
        test_detail(t, "round %d", round);
        for (int i = 0; i < KEYS; i++) {
            pairs[2 * i] = keys[i];
            pairs[2 * i + 1] = values[test_below(&random, VALUES)];
        }
        MPI_Info info = hint_info(pairs);
        CHECK_OK(MPI_File_open(t->comm, test_path(t, "strange"),
                               MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file));
        CHECK_OK(MPI_Info_free(&info));
        CHECK_OK(MPI_Type_vector(BYTES / 4, 4, 4 * t->size, MPI_BYTE, &type));
        CHECK_OK(MPI_Type_commit(&type));
        test_view(file, 4 * t->rank, MPI_BYTE, type);
        CHECK_OK(MPI_Type_free(&type));
        test_fill(mine, BYTES, test_key(t, 9, (uint64_t)round, (uint64_t)t->rank, 0));
        CHECK_OK(MPI_File_write_at_all(file, 0, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at_all(file, 0, got, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_SAME("what was written", mine, got, BYTES);
        CHECK_EQUAL(BYTES * t->size, test_disk_size(t, "strange"));
        CHECK_OK(MPI_File_close(&file));
    }
}
