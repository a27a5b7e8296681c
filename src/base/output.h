/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is written completely or not at all.
 *
 * The text goes to a temporary file beside the target, which is renamed to the target when all of it is on the disk.
 * After a full disk, an interrupt or a crash the old file is unchanged. A path that is no plain file, such as
 * /dev/stdout, is written to directly; a pipe must have its reader by then.
 */
#ifndef COR_BASE_OUTPUT_H
#define COR_BASE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

typedef struct cor_output {
    FILE *file;      /* to write to; errors are found by cor_output_commit */
    char *path;      /* of the target */
    char *temporary; /* NULL: `file` is the target */
} cor_output;

/* COR_ERR_SYSTEM, with a sentence that names the path and the reason; COR_ERR_MEMORY. After success one of the two
 * functions below ends it. */
int cor_output_open(cor_output *output, const char *path, cor_fault *fault);

/* Could this path be opened now? A path that is no plain file is not opened: the reader of a pipe would read its
 * end. */
int cor_output_check(const char *path, cor_fault *fault);

/* Finish the file and rename it to the target. After a failure the old file is unchanged. */
int cor_output_commit(cor_output *output, cor_fault *fault);

/* Discard what was written. */
void cor_output_abandon(cor_output *output);

#endif
