/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a text line by line, and refusing it with the number of the line. */
#ifndef COR_MODEL_TEXT_LINES_H
#define COR_MODEL_TEXT_LINES_H

#include "base/error.h"

#include <stdio.h>

typedef struct cor_text_lines {
    const char *name; /* of the text, for sentences */
    int number;       /* of the line that is read, or of the last one */
    cor_fault *fault;
} cor_text_lines;

/* What becomes of a line, which is the function's to cut: COR_OK, or what ends the reading. */
typedef int (*cor_text_line_fn)(void *context, char *line);

/* Give each line, without its end, to `take`. COR_ERR_ARG: it is no text, or too
 * long (base/lines.h); COR_ERR_SYSTEM; or what `take` returns. */
int cor_text_lines_read(cor_text_lines *lines, FILE *stream, cor_text_line_fn take, void *context);

/* COR_ERR_ARG, with "NAME, line N: ..." */
int cor_text_refuse(const cor_text_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL: COR_ERR_SYSTEM, with the sentence. */
FILE *cor_text_open(const char *path, cor_fault *fault);

#endif
