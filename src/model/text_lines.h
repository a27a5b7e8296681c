/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a text line by line, with errors that name the line. */
#ifndef COR_MODEL_TEXT_LINES_H
#define COR_MODEL_TEXT_LINES_H

#include "base/error.h"

#include <stdio.h>

typedef struct cor_text_lines {
    const char *name; /* of the text, for sentences */
    int number;       /* of the current or last line */
    cor_fault *fault;
} cor_text_lines;

/* Process a line, which the function may modify. Returns COR_OK, or the error that ends the reading. */
typedef int (*cor_text_line_fn)(void *context, char *line);

/* Call `take` for each line, without its end. COR_ERR_ARG: it is not text, or too long (base/lines.h); COR_ERR_SYSTEM;
 * or the result of `take`. */
int cor_text_lines_read(cor_text_lines *lines, FILE *stream, cor_text_line_fn take, void *context);

/* COR_ERR_ARG, with "NAME, line N: ..." */
int cor_text_refuse(const cor_text_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL: COR_ERR_SYSTEM, with the sentence. */
FILE *cor_text_open(const char *path, cor_fault *fault);

#endif
