/* SPDX-License-Identifier: Apache-2.0 */
/* The shared pointer, used by all at once. */
#include "file_suite.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD = 5 }; /* ints: rank, number, length, and copies of the number */

/* How many ints the record has, from 3 on. */
static int record_length(const test *t, int rank, int number)
{
    return RECORD - 2 + (int)(test_key(t, 1, (uint64_t)rank, (uint64_t)number, 0) % 10);
}

static void record_make(const test *t, int *record, int rank, int number)
{
    int length = record_length(t, rank, number);
    record[0] = rank;
    record[1] = number;
    for (int i = 2; i < length; i++)
        record[i] = rank * 1000000 + number * 10 + i;
}

/* Rank 0 finds all records in the file, whole, those of each rank in order, and nothing else. */
static void records_check(test *t, const char *name, int each)
{
    CHECK_OK(MPI_Barrier(t->comm));
    if (t->rank == 0) {
        long long bytes = test_disk_size(t, name);
        int *all = malloc((size_t)bytes + 1), *next = calloc((size_t)t->size, sizeof *next), expected[32];
        CHECK(all && next);
        CHECK_EQUAL(bytes, test_disk_read(t, name, 0, all, (size_t)bytes));
        long long at = 0, count = bytes / (long long)sizeof(int), records = 0;
        for (; at < count; records++) {
            int rank = all[at], number = all[at + 1];
            if (rank < 0 || rank >= t->size || number != next[rank])
                CHECK_FAIL("record %lld, at %lld: number %d of rank %d", records, at, number, rank);
            next[rank]++;
            record_make(t, expected, rank, number);
            CHECK_SAME("the record", expected, all + at, (size_t)record_length(t, rank, number) * sizeof(int));
            at += record_length(t, rank, number);
        }
        CHECK_EQUAL(each * (long long)t->size, records);
        free(all);
        free(next);
    }
    CHECK_OK(MPI_Barrier(t->comm));
}

/* No two records at one place, and no place without. */
void case_shared_records(test *t)
{
    int each = test_volume(t, 200), record[2][32];
    MPI_File file = test_open(t, "records", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    test_view(file, 0, MPI_INT, MPI_INT);
    for (int i = 0; i < each; i++) {
        int length = record_length(t, t->rank, i), *mine = record[i % 2];
        record_make(t, mine, t->rank, i);
        if (i % 3 == 0) {
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_File_iwrite_shared(file, mine, length, MPI_INT, &request));
        } else {
            CHECK_OK(MPI_File_write_shared(file, mine, length, MPI_INT, &status));
            CHECK_MOVED(length * (int)sizeof(int), &status);
            CHECK_OK(MPI_Wait(&request, &status));
        }
    }
    CHECK_OK(MPI_Wait(&request, &status));
    test_sync(t, file);
    records_check(t, "records", each);
    /* Each is read once, by somebody. */
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    long long sum = 0, all = 0, expected = 0, bytes = test_disk_size(t, "records");
    int got[3], count = 3;
    while (count > 0) {
        CHECK_OK(MPI_File_read_shared(file, got, 3, MPI_INT, &status));
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
        for (int i = 0; i < count; i++)
            sum += got[i];
    }
    CHECK_OK(MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, t->comm));
    int *whole = malloc((size_t)bytes + 1);
    CHECK_EQUAL(bytes, test_disk_read(t, "records", 0, whole, (size_t)bytes));
    for (long long i = 0; i < bytes / (long long)sizeof(int); i++)
        expected += whole[i];
    CHECK_EQUAL(expected, all);
    free(whole);
    CHECK_OK(MPI_File_close(&file));
}

/* In the order of ranks, with parts of different sizes, none among them. */
void case_shared_ordered(test *t)
{
    int rounds = test_volume(t, 60);
    MPI_File file = test_open(t, "ordered", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Offset begin = 0, at = -1;
    char mine[64], got[64];
    MPI_Status status;
    for (int is_write = 1; is_write >= 0; is_write--, begin = 0) {
        CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
        for (int i = 0; i < rounds; i++) {
            MPI_Offset place = begin;
            for (int k = 0; k < t->size; k++) {
                int length = (int)(test_key(t, 2, (uint64_t)k, (uint64_t)i, 0) % 40) - 5;
                place += k < t->rank && length > 0 ? length : 0;
                begin += length > 0 ? length : 0;
            }
            int length = (int)(test_key(t, 2, (uint64_t)t->rank, (uint64_t)i, 0) % 40) - 5;
            length = length > 0 ? length : 0;
            test_fill(mine, (size_t)length, test_key(t, 3, (uint64_t)t->rank, (uint64_t)i, 0));
            if (is_write && i % 2) {
                CHECK_OK(MPI_File_write_ordered(file, mine, length, MPI_CHAR, &status));
            } else if (is_write) {
                CHECK_OK(MPI_File_write_ordered_begin(file, mine, length, MPI_CHAR));
                CHECK_OK(MPI_File_write_ordered_end(file, mine, &status));
            } else {
                CHECK_OK(MPI_File_read_ordered(file, got, length, MPI_CHAR, &status));
                CHECK_SAME("what was read", mine, got, (size_t)length);
            }
            CHECK_MOVED(length, &status);
            CHECK_OK(MPI_Barrier(t->comm));
            CHECK_OK(MPI_File_get_position_shared(file, &at));
            CHECK_EQUAL(begin, at);
            if (is_write && i % 7 == 0) {
                test_sync(t, file);
                CHECK_DISK(t, "ordered", place, mine, (size_t)length, 0);
            }
            CHECK_OK(MPI_Barrier(t->comm));
        }
        test_sync(t, file);
    }
    CHECK_OK(MPI_File_close(&file));
}

/* Independent and ordered accesses, and individual ones, which leave the shared pointer alone. */
void case_shared_mixed(test *t)
{
    int each = 0, record[32], rounds = test_volume(t, 40);
    MPI_File file = test_open(t, "mixed", MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    test_view(file, 0, MPI_INT, MPI_INT);
    for (int i = 0; i < rounds; i++) {
        record_make(t, record, t->rank, each);
        int length = record_length(t, t->rank, each++);
        if (test_key(t, 4, (uint64_t)i, 0, 0) % 2) {
            CHECK_OK(MPI_File_write_ordered(file, record, length, MPI_INT, &status));
        } else {
            CHECK_OK(MPI_File_write_shared(file, record, length, MPI_INT, &status));
            CHECK_OK(MPI_Barrier(t->comm));
        }
        CHECK_OK(MPI_File_seek(file, t->rank, MPI_SEEK_SET));
        CHECK_OK(MPI_File_read(file, record, 1, MPI_INT, &status));
    }
    test_sync(t, file);
    records_check(t, "mixed", each);
    CHECK_OK(MPI_File_close(&file));
}
