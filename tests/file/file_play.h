/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The random program: the files it plays with, and its single accesses. Every rank draws the accesses of all, from the
 * same numbers, and so knows what the files must hold.
 */
#ifndef TESTS_FILE_PLAY_H
#define TESTS_FILE_PLAY_H

#include "file_call.h"
#include "file_layout.h"
#include "file_model.h"
#include "file_suite.h"

enum { PLAY_MEMORIES = 12, PLAY_CHUNK = 200, PLAY_REACH = 1 << 17, PLAY_PENDING = 6 };

typedef struct play_file {
    MPI_File file;
    char name[24];
    model m;
    int is_atomic;
    int cell;      /* number of the view's cells */
    layout *views; /* of all ranks */
    int is_common; /* they are the same: then a rank has the cells from rank * chunk on, else from 0 on */
    int chunk;     /* cells that are a rank's own */
} play_file;

/* An access as it is drawn. */
typedef struct play_access {
    const file_way *way;
    int is_write, is_large, is_sought; /* sought: the individual pointer is set before */
    int offset, elements;              /* cells; elements of memory */
    const layout *memory;
    size_t bytes;
    uint64_t key; /* of the data that are written */
} play_access;

/* An access as it is made. */
typedef struct play_call {
    play_access what;
    file_call call;
    unsigned char *buffer, *before; /* and what it held */
    int is_under_way;
} play_call;

typedef struct play {
    test *t;
    cell cells[CELL_KINDS];
    layout memories[CELL_KINDS][PLAY_MEMORIES];
    long long accesses; /* made by this rank */
    play_call pending[PLAY_PENDING];
} play;

void play_make(play *p, test *t);
void play_free(play *p);

/* Views of all ranks, drawn from the key, and set. */
void play_set_view(play *p, play_file *f, uint64_t key);
/* The stream of what an access writes. */
unsigned char *play_stream(const play_access *what);
/* Draw an access of a rank to its own cells. `position` is where its individual pointer is, -1: anywhere. */
play_access play_draw(const play *p, const play_file *f, int rank, const file_way *way, int is_write, int *position,
                      uint64_t *random);
/* Begin it and complete those before it that are in its way, or all if it is no request. */
void play_begin(play *p, play_file *f, const play_access *what);
/* Complete all; what was read is compared with the model. */
void play_complete(play *p, play_file *f);

#endif
