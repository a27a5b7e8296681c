/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of groups, communicators, topologies and what hangs on them: cases are rows of one table (comm_cases.def),
 * each a function that every rank runs; the same cases run with ranks as threads and as processes, in any number.
 * A check that fails tells rank and case too (check_me).
 */
#ifndef TESTS_COMM_SUITE_H
#define TESTS_COMM_SUITE_H

#include "check.h"
#include "sanitized.h"

#include <mpi.h>

/* What a case knows; one a rank. */
typedef struct test {
    MPI_Comm comm; /* of the case alone, with MPI_ERRORS_RETURN; all ranks */
    int rank, size;
    const char *name;
} test;

#define COMM_CASE(group, name, min_ranks) void case_##group##_##name(const test *t);
#include "comm_cases.def"
#undef COMM_CASE

/* Does a ring of messages in an intracommunicator reach all its ranks and no others? */
void test_ring(MPI_Comm comm);
/* The members, as ranks of the case's communicator. */
void test_members(const test *t, MPI_Comm comm, int count, const int *ranks);

/* Where each rank of the case runs: ranks with the same number can share memory. Here all are on one machine, but not
 * always in one namespace of process ids; where /proc does not tell, threads of one process alone are together. Returns
 * how many are where this one is. For t->size numbers. */
int test_places(const test *t, long long *places);

/* Run body(context, number) in `count` more threads of this rank at once, and wait for them. */
void test_in_threads(const test *t, int count, void (*body)(void *context, int number), void *context);

/* A random number of a sequence. */
unsigned test_random(unsigned long long *state);
long test_resident_kib(void);

#endif
