/*
 * Tests of groups, communicators, topologies and what hangs on them: cases are rows of one table (comm_cases.def),
 * each a function that every rank runs; the same cases run with ranks as threads and as processes, in any number.
 *
 * The first check that does not hold tells rank, case and values, and ends the process.
 */
#ifndef TESTS_COMM_SUITE_H
#define TESTS_COMM_SUITE_H

#include <mpi.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COMM_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COMM_IS_SANITIZED 1
#endif
#endif
#ifndef COMM_IS_SANITIZED
#define COMM_IS_SANITIZED 0
#endif

/* What a case knows; one a rank. */
typedef struct test {
    MPI_Comm comm; /* of the case alone, with MPI_ERRORS_RETURN; all ranks */
    int rank, size;
    const char *name;
} test;

#define COMM_CASE(group, name, min_ranks) void case_##group##_##name(const test *t);
#include "comm_cases.def"
#undef COMM_CASE

void test_fail(const test *t, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));
void test_expect(const test *t, const char *file, int line, const char *what, long long expected, long long got);

#define EXPECT(t, expected, got) test_expect(t, __FILE__, __LINE__, #got, (long long)(expected), (long long)(got))
#define OK(t, call) EXPECT(t, MPI_SUCCESS, call)
#define FAIL(t, ...) test_fail(t, __FILE__, __LINE__, __VA_ARGS__)

/* Does everybody of an intracommunicator get through a ring of messages in it, and nobody else's? */
void test_ring(const test *t, MPI_Comm comm);
/* The members, as ranks of the case's communicator. */
void test_members(const test *t, MPI_Comm comm, int count, const int *ranks);

/* Run body(context, number) in `count` more threads of this rank at once, and wait for them. */
void test_in_threads(const test *t, int count, void (*body)(void *context, int number), void *context);

/* A random number of a sequence. */
unsigned test_random(unsigned long long *state);
long test_resident_kib(void);

#endif
