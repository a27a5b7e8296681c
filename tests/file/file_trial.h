/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial: all ranks write to one file, each through a view of its own, and then read through other views. Every byte
 * of the file and of the memory is compared with what it must be, every status, and every pointer. What a case does not
 * fix is drawn at random.
 */
#ifndef TESTS_FILE_TRIAL_H
#define TESTS_FILE_TRIAL_H

#include "file_call.h"
#include "file_layout.h"
#include "file_suite.h"

typedef struct trial {
    const file_way *write, *read; /* NULL: drawn */
    int view, memory;             /* shape_kind; -1: drawn for each rank */
    int cell;                     /* -1: drawn */
    int is_apart;                 /* each rank has a part of the file, instead of parts of every piece */
    int is_atomic;
    int elements;      /* of memory, at most; 0: some */
    MPI_Offset origin; /* displacements begin here */
    const char *name;  /* of the file; NULL: trial */
    MPI_Info info;
} trial;

/* What no case has fixed. */
trial trial_any(void);
/* Run it; `key` chooses what is drawn. */
void trial_run(test *t, trial what, uint64_t key);

#endif
