/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a file, its end, and its holes. */
#define _GNU_SOURCE
#include "file_call.h"
#include "file_suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void size_check(test *t, MPI_File file, long long expected)
{
    MPI_Offset size = -1;
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_EQUAL(expected, size);
    CHECK_EQUAL(expected, test_disk_size(t, "size"));
    CHECK_OK(MPI_Barrier(t->comm));
}

void case_size_set(test *t)
{
    MPI_File file = test_open(t, "size", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    char zeros[1000] = {0};
    size_check(t, file, 0);
    CHECK_OK(MPI_File_set_size(file, 1000));
    size_check(t, file, 1000);
    CHECK_DISK(t, "size", 0, zeros, 1000, 1);
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_write_at_all(file, 500 + t->rank, "x", 1, MPI_CHAR, &status));
    CHECK_OK(MPI_File_set_size(file, 500));
    size_check(t, file, 500);
    CHECK_OK(MPI_File_set_size(file, 1000)); /* what was cut off does not come back */
    CHECK_DISK(t, "size", 0, zeros, 1000, 1);
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_set_size(file, (MPI_Offset)1 << 42));
    size_check(t, file, 1LL << 42);
    CHECK_OK(MPI_File_set_size(file, 0));
    size_check(t, file, 0);
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_set_size(file, -1));
    size_check(t, file, 0);
    if (t->size > 1) {
        int rc = MPI_File_set_size(file, t->rank);
        CHECK(rc != MPI_SUCCESS);
        test_check_alike(t, "the class", test_class(rc));
        size_check(t, file, 0);
    }
    CHECK_OK(MPI_File_close(&file));
    file = test_open(t, "size", MPI_MODE_RDONLY);
    CHECK_CLASS(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 7));
    CHECK_CLASS(MPI_ERR_READ_ONLY, MPI_File_preallocate(file, 7));
    CHECK_OK(MPI_File_close(&file));
}

/* Room is made, nothing changed; a file is never made shorter. */
void case_size_preallocate(test *t)
{
    unsigned char bytes[3000];
    MPI_File file = test_open(t, "size", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    test_fill(bytes, sizeof bytes, test_key(t, 1, 0, 0, 0));
    memset(bytes + 1000, 0, 2000);
    if (t->rank == 0)
        CHECK_OK(MPI_File_write_at(file, 0, bytes, 1000, MPI_BYTE, &status));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_preallocate(file, 3000));
    size_check(t, file, 3000);
    CHECK_DISK(t, "size", 0, bytes, 3000, 1);
    CHECK_OK(MPI_File_preallocate(file, 10));
    size_check(t, file, 3000);
    CHECK_OK(MPI_File_preallocate(file, 0));
    size_check(t, file, 3000);
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_preallocate(file, -5));
    CHECK_OK(MPI_File_close(&file));
    CHECK_DISK(t, "size", 0, bytes, 3000, 1);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Reading before, across, at and behind the end, in each way. */
void case_size_end(test *t)
{
    unsigned char bytes[100], got[40];
    test_fill(bytes, sizeof bytes, test_key(t, 2, 0, 0, 0));
    test_disk_make(t, "size", bytes, sizeof bytes);
    MPI_File file = test_open(t, "size", MPI_MODE_RDWR);
    for (int i = 0; i < file_way_count; i++)
        for (int at = 50; at <= 130; at += 20) {
            const file_way *way = &file_ways[i];
            /* All at one place, or one behind the other. */
            int mine = way->pointer == FILE_SHARED ? at + 40 * t->rank : at;
            int expected = mine >= 100 ? 0 : mine + 40 > 100 ? 100 - mine : 40;
            test_detail(t, "read%s, form %d, at %d", way->name, way->form, mine);
            file_call call = {.file = file, .way = way, .offset = at, .memory = got, .count = 40, .type = MPI_BYTE};
            memset(got, 1, sizeof got);
            CHECK_OK(MPI_File_seek(file, at, MPI_SEEK_SET));
            CHECK_OK(MPI_File_seek_shared(file, at, MPI_SEEK_SET));
            for (int turn = 0; turn < t->size; turn++) {
                int is_free = way->pointer != FILE_SHARED || way->is_collective;
                if (is_free ? turn == 0 : turn == t->rank)
                    CHECK_OK(file_call_run(&call));
                CHECK_OK(MPI_Barrier(t->comm));
            }
            CHECK_MOVED(expected, &call.status);
            CHECK_SAME("what was read", bytes + (mine < 100 ? mine : 0), got, (size_t)expected);
        }
    /* Half an element is no element. */
    MPI_Status status;
    int number[2], count = 0;
    CHECK_OK(MPI_File_read_at(file, 94, number, 2, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(MPI_UNDEFINED, count);
    CHECK_MOVED(6, &status);
    CHECK_OK(MPI_File_close(&file));
}

/* What nobody has written is zero, in the midst and of the file that grows. */
void case_size_holes(test *t)
{
    enum { STEP = 10000, BYTES = 10 };
    unsigned char bytes[BYTES], *all = malloc((size_t)t->size * STEP), *expected = calloc((size_t)t->size, STEP);
    MPI_File file = test_open(t, "size", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    CHECK(all && expected);
    test_fill(bytes, BYTES, test_key(t, 3, (uint64_t)t->rank, 0, 0));
    CHECK_OK(MPI_File_write_at_all(file, (t->rank + 1) * (MPI_Offset)STEP - BYTES, bytes, BYTES, MPI_BYTE, &status));
    test_sync(t, file);
    for (int i = 0; i < t->size; i++)
        test_fill(expected + (i + 1) * (size_t)STEP - BYTES, BYTES, test_key(t, 3, (uint64_t)i, 0, 0));
    CHECK_OK(MPI_File_read_at_all(file, 0, all, t->size * STEP, MPI_BYTE, &status));
    CHECK_MOVED(t->size * STEP, &status);
    CHECK_SAME("the file", expected, all, (size_t)t->size * STEP);
    CHECK_OK(MPI_File_close(&file));
    free(all);
    free(expected);
}

/* Somebody else cuts the file short while it is open. */
void case_size_truncated(test *t)
{
    unsigned char bytes[10000], got[10000];
    MPI_Status status;
    test_fill(bytes, sizeof bytes, test_key(t, 4, 0, 0, 0));
    test_disk_make(t, "size", bytes, sizeof bytes);
    MPI_File file = test_open(t, "size", MPI_MODE_RDWR);
    CHECK_OK(MPI_File_read_at_all(file, 0, got, 10000, MPI_BYTE, &status));
    CHECK_MOVED(10000, &status);
    CHECK_OK(MPI_Barrier(t->comm));
    if (t->rank == 0)
        CHECK_OK(truncate(test_path(t, "size"), 777));
    CHECK_OK(MPI_Barrier(t->comm));
    for (int i = 0; i < 4; i++) {
        file_call call = {.file = file, .way = file_way_of(FILE_EXPLICIT, i / 2, i % 2), .offset = 700, .memory = got};
        call.count = 9000;
        call.type = MPI_BYTE;
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(77, &call.status);
        CHECK_SAME("what is left", bytes + 700, got, 77);
    }
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_write_at_all(file, 2000 + t->rank, bytes + t->rank, 1, MPI_BYTE, &status));
    size_check(t, file, 2000 + t->size);
    memset(got, 0, sizeof got);
    memcpy(got, bytes, 777);
    memcpy(got + 2000, bytes, (size_t)t->size);
    CHECK_DISK(t, "size", 0, got, 2000 + (size_t)t->size, 1);
    CHECK_OK(MPI_File_close(&file));
}

/* ---- large counts ------------------------------------------------------------------------------------------------ */

/* More elements than an int can count: of no bytes; of a file that ends early; spread over a sparse file. */
void case_size_large_counts(test *t)
{
#if MPI_VERSION >= 4
    const MPI_Count many = ((MPI_Count)1 << 31) + 5;
    MPI_Datatype nothing;
    MPI_File file = test_open(t, "size", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Count count = -1;
    char bytes[100];
    /* Only the pages that are read into are really there. */
    char *room = mmap(NULL, (size_t)many, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(room != MAP_FAILED);
    CHECK_OK(MPI_Type_contiguous(0, MPI_BYTE, &nothing));
    CHECK_OK(MPI_Type_commit(&nothing));
    memset(bytes, 'a' + t->rank, sizeof bytes);
    for (int i = 0; i < file_way_count; i++)
        for (int is_write = 1; is_write >= 0; is_write--) {
            test_detail(t, "%s%s, form %d", is_write ? "write" : "read", file_ways[i].name, file_ways[i].form);
            file_call call = {.file = file, .way = &file_ways[i], .is_write = is_write, .is_large = 1, .offset = 3};
            call.count = many;
            call.type = nothing;
            call.memory = bytes;
            CHECK_OK(file_call_run(&call));
            CHECK_MOVED(0, &call.status);
        }
    size_check(t, file, 0);
    if (t->rank == 0)
        CHECK_OK(MPI_File_write_at(file, 0, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    test_sync(t, file);
    for (int i = 0; i < file_way_count; i++) {
        file_call call = {.file = file, .way = &file_ways[i], .is_large = 1, .memory = room, .type = MPI_BYTE};
        call.count = many;
        if (file_ways[i].pointer == FILE_SHARED)
            continue;
        test_detail(t, "read%s, form %d, at the end", file_ways[i].name, file_ways[i].form);
        CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED(100, &call.status);
        CHECK_OK(MPI_Get_count_c(&call.status, MPI_BYTE, &count));
        CHECK_EQUAL(100, count);
        CHECK(room[99] == 'a' && room[100] == 0);
        memset(room, 0, 100);
    }
    /* Positions beyond 2^31 elements. */
    test_view(file, t->rank * (MPI_Offset)8, MPI_DOUBLE, MPI_DOUBLE);
    double value = t->rank + 0.5, back = 0;
    CHECK_OK(MPI_File_write_at_all_c(file, many, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek(file, many, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_c(file, &back, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
    CHECK(back == value);
    CHECK_OK(MPI_Barrier(t->comm));
    size_check(t, file, 8 * (many + t->size));
    CHECK_OK(MPI_Type_free(&nothing));
    CHECK_OK(MPI_File_close(&file));
    munmap(room, (size_t)many);
#else
    (void)t;
#endif
}
