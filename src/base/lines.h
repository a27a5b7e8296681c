/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a text file line by line, with bounds: an endless device or pipe, or one without line ends, does not fill the
 * memory.
 */
#ifndef COR_BASE_LINES_H
#define COR_BASE_LINES_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

enum { COR_LINE_MAX = 1 << 20 };

typedef struct cor_lines {
    FILE *file;
    const char *name; /* of the file, for sentences; the caller's */
    size_t left;      /* bytes that may still be read */
    int number;       /* of the last line */
    char *text;       /* the last line, without its end; the caller may modify it */
    size_t room;
} cor_lines;

/* Open a file of at most `most` bytes. COR_ERR_SYSTEM, with a sentence; then there is nothing to close. */
int cor_lines_open(cor_lines *lines, const char *path, size_t most, cor_fault *fault);

/* Likewise, of a stream, which stays the caller's. */
void cor_lines_begin(cor_lines *lines, FILE *stream, const char *name, size_t most);

/* The next line. 1: there is one. 0: end of the file. COR_ERR_ARG: a line or the file is too long, or is not text;
 * COR_ERR_SYSTEM, COR_ERR_MEMORY. A sentence names the file and the line. */
int cor_lines_next(cor_lines *lines, cor_fault *fault);

/* Free the line. */
void cor_lines_end(cor_lines *lines);

/* Close the file, too. */
void cor_lines_close(cor_lines *lines);

#endif
