/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of one-sided communication through mpi.h: cases are rows of one table (win_cases.def), each a function that
 * every rank runs; the same cases run with ranks as threads and as processes, in any number. A check that fails prints
 * rank, case, seed, and what the case was doing (test_detail).
 */
#ifndef TESTS_WIN_SUITE_H
#define TESTS_WIN_SUITE_H

#include "check.h"
#include "sanitized.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* What a case knows; one a rank. */
typedef struct test {
    MPI_Comm comm;   /* of the case alone, with MPI_ERRORS_RETURN; all ranks */
    MPI_Comm world;  /* of all ranks */
    MPI_Comm family; /* of parents and children, whose jobs are this world; else MPI_COMM_NULL */
    int rank, size;
    uint64_t seed; /* the same in every rank */
    const char *name;
    int is_threaded; /* MPI_THREAD_MULTIPLE */
    int ranks_are_threads;
    int is_checked;   /* the knob `check` */
    char detail[512]; /* what the case is doing, for the message of a failure */
} test;

#define WIN_CASE(group, name, min_ranks, max_ranks) void case_##group##_##name(test *t);
#include "win_cases.def"
#undef WIN_CASE

/* Say what comes next. */
void test_detail(test *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The class of an error code. */
int test_class(int code);
/* The call fails with this class, and a sentence of that call. */
#define CHECK_CLASS(class, call) test_check_class(__FILE__, __LINE__, #call, class, call)
void test_check_class(const char *file, int line, const char *what, int class, int code);

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

uint64_t test_mix(uint64_t value);
/* A key of up to four numbers and the seed. */
uint64_t test_key(const test *t, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/* A random number of a sequence; `state` is the sequence's own. */
uint64_t test_random(uint64_t *state);
/* One of 0 to limit - 1. */
int test_below(uint64_t *state, int limit);
/* How often a case of volume does something: `most` on few ranks, less on many and where everything is slow. */
int test_volume(const test *t, int most);

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

/* Bytes that only this key yields. */
void test_fill(void *buffer, size_t bytes, uint64_t key);
#define CHECK_BYTES(buffer, bytes, key) test_check_bytes(__FILE__, __LINE__, buffer, bytes, key)
void test_check_bytes(const char *file, int line, const void *buffer, size_t bytes, uint64_t key);
/* Two areas are the same, where mask is not 0; mask NULL: everywhere. */
#define CHECK_SAME(what, expected, got, mask, bytes)                                                                  \
    test_check_same(__FILE__, __LINE__, what, expected, got, mask, bytes)
void test_check_same(const char *file, int line, const char *what, const void *expected, const void *got,
                     const unsigned char *mask, size_t bytes);

/* Memory with canaries before and behind it; test_free checks them. Not for less alignment than malloc has. */
void *test_alloc(size_t bytes);
void test_free(void *memory);

/* ---- windows ---------------------------------------------------------------------------------------------------- */

/* A window over memory with canaries, all the same size and displacement unit, that returns its errors. */
MPI_Win test_window(const test *t, void *memory, size_t bytes, int unit);
/* A window with memory of its own. */
MPI_Win test_allocated(const test *t, size_t bytes, int unit, void *base_p);
/* Can this rank load from and store to the target's memory? Then an operation needs no help from the target. */
int test_is_direct(MPI_Win win, int target);
/* The group of some ranks of the case. */
MPI_Group test_group(const test *t, int count, const int *ranks);
/* One's own memory is read and written under a lock, so that what others did is seen, and they see what is written. */
void test_own_begin(const test *t, MPI_Win win);
void test_own_end(const test *t, MPI_Win win);

/* Run body(context, number) in `count` more threads of this rank at once, and wait for them. */
void test_in_threads(int count, void (*body)(void *context, int number), void *context);

#endif
