/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of the functions of files: each function of the standard is called with the results that its
 * arguments ask for, by ranks that have a file together. What accesses do in all shapes is tested in tests/file.
 */
#ifndef CFACE_FILE_CALLS_H
#define CFACE_FILE_CALLS_H

#include "wrong.h"

enum { CELLS = 4 };

/* Of the thread's rank; `name` is the file's. */
extern _Thread_local int rank, ranks;
extern _Thread_local char name[64];

/* A new file, which is deleted when it is closed; and one whose etype is MPI_INT. */
MPI_File open_new(void);
MPI_File open_ints(void);
void close_file(MPI_File file);

void fill(int cells[CELLS], int first);
void check_cells(const int cells[CELLS], int first);
/* So many ints were moved. */
void check_status(const MPI_Status *status, int expected);

/* The first of the cells that this rank writes in an access of this number. */
static inline int first_of(int number)
{
    return 1000 * number + 100 * rank;
}

void test_started(void); /* file_started_calls.c */
void test_split(void);   /* the same */
void test_view(void);    /* file_view_calls.c, and so on */
void test_memory(void);
void test_external(void);
void test_registered(void);
void test_sequential(void);

#endif
