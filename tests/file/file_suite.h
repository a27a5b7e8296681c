/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of parallel files through mpi.h: cases are rows of one table (file_cases.def), each a function that every rank
 * runs; the same cases run with ranks as threads and as processes, in any number. A check that fails prints rank, case,
 * seed, and what the case was doing (test_detail).
 *
 * Files are in a folder of the job, which is empty when a case begins and gone at the end of the program, also when a
 * check fails. The disk is looked at beside MPI, by system calls, to see what really is there.
 */
#ifndef TESTS_FILE_SUITE_H
#define TESTS_FILE_SUITE_H

#include "check.h"
#include "sanitized.h"

#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { TEST_PATHS = 4 };

/* What a case knows; one a rank. */
typedef struct test {
    MPI_Comm comm; /* of the case alone, with MPI_ERRORS_RETURN; all ranks */
    int rank, size;
    uint64_t seed; /* the same in every rank */
    const char *name;
    int is_threaded; /* MPI_THREAD_MULTIPLE */
    int ranks_are_threads;
    char folder[PATH_MAX];
    char paths[TEST_PATHS][PATH_MAX]; /* of test_path */
    int next_path;
    char detail[1024]; /* what the case is doing, for the message of a failure */
} test;

#define FILE_CASE(group, name, min_ranks, max_ranks) void case_##group##_##name(test *t);
#include "file_cases.def"
#undef FILE_CASE

/* Say what comes next. */
void test_detail(test *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For check_me: the whole of it. */
void test_tell(FILE *to, const void *context);

/* The class of an error code. */
int test_class(int code);
/* The call fails with this class, and with a sentence of that call. */
#define CHECK_CLASS(class, call) test_check_class(__FILE__, __LINE__, #call, class, call)
void test_check_class(const char *file, int line, const char *what, int class, int code);
/* All ranks have the same of this. */
void test_check_alike(const test *t, const char *what, int value);

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

uint64_t test_mix(uint64_t value);
/* A key of up to four numbers and the seed. */
uint64_t test_key(const test *t, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/* A random number of a sequence; `state` is the sequence's own. */
uint64_t test_random(uint64_t *state);
/* One of 0 to limit - 1. */
int test_below(uint64_t *state, int limit);
/* How often a case of volume does something: `most` on few ranks, less on many and where everything is slow. */
int test_volume(const test *t, int most);

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* Bytes that only this key yields. */
void test_fill(void *buffer, size_t bytes, uint64_t key);
#define CHECK_BYTES(buffer, bytes, key) test_check_bytes(__FILE__, __LINE__, buffer, bytes, key)
void test_check_bytes(const char *file, int line, const void *buffer, size_t bytes, uint64_t key);
/* Two areas are the same. */
#define CHECK_SAME(what, expected, got, bytes) test_check_same(__FILE__, __LINE__, what, expected, got, bytes)
void test_check_same(const char *file, int line, const char *what, const void *expected, const void *got,
                     size_t bytes);

/* Memory with canaries before and behind it; test_free checks them. */
void *test_alloc(size_t bytes);
void test_free(void *memory);

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Where a file of the case is; stays for the next TEST_PATHS - 1 calls. */
const char *test_path(test *t, const char *name);
/* Open it on all ranks of the case; it returns its errors. */
MPI_File test_open(test *t, const char *name, int mode);
/* All that was written is seen by all ranks. */
void test_sync(const test *t, MPI_File file);
/* The view of a native file. */
void test_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype);
/* The status tells of that many bytes. */
#define CHECK_MOVED(bytes, status) test_check_moved(__FILE__, __LINE__, bytes, status)
void test_check_moved(const char *file, int line, long long bytes, const MPI_Status *status);

/* On rank 0 alone, while the others wait: make a file of these bytes (NULL: of holes). */
void test_disk_make(test *t, const char *name, const void *bytes, size_t count);
/* -1: there is none. */
long long test_disk_size(test *t, const char *name);
/* Read at most so many bytes; how many there were. */
size_t test_disk_read(test *t, const char *name, long long at, void *bytes, size_t count);
/* The file has these bytes from there on; `end`: and no more. */
#define CHECK_DISK(t, name, at, bytes, count, end) test_check_disk(__FILE__, __LINE__, t, name, at, bytes, count, end)
void test_check_disk(const char *file, int line, test *t, const char *name, long long at, const void *bytes,
                     size_t count, int end);
/* Delete what is in a folder, and it as well; those that are gone already do not matter. */
void test_folder_remove(const char *folder, int is_itself);

#endif
