/* SPDX-License-Identifier: Apache-2.0 */
/* What a file must hold: its bytes from some origin on, in memory. */
#ifndef TESTS_FILE_MODEL_H
#define TESTS_FILE_MODEL_H

#include "file_layout.h"
#include "file_suite.h"

typedef struct model {
    MPI_Offset origin; /* before it the file is a hole */
    unsigned char *bytes;
    size_t size; /* from the origin to the end of the file */
    size_t room;
} model;

void model_make(model *m, MPI_Offset origin);
void model_free(model *m);
/* New bytes are zero. */
void model_resize(model *m, size_t size);
/* Bytes of the stream of a view, from `position` on. */
void model_write(model *m, const layout *view, uint64_t position, const unsigned char *stream, size_t bytes);
/* How many there are before the end of the file. */
size_t model_read(const model *m, const layout *view, uint64_t position, unsigned char *stream, size_t bytes);
/* The file on the disk is like this, and has the same size. */
void model_check(const model *m, test *t, const char *name);

#endif
