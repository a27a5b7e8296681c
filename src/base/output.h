/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is written whole or not at all.
 *
 * The text goes to a new file beside the one that is meant, which takes its name when all of it is on the disk. A full
 * disk, an interrupt or a crash leaves what was there before. A path that is no plain file, such as /dev/stdout, is
 * written to directly; a pipe must have its reader by then.
 */
#ifndef COR_BASE_OUTPUT_H
#define COR_BASE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

typedef struct cor_output {
    FILE *file;      /* to write to; errors are found by cor_output_commit */
    char *path;      /* of the file that is meant */
    char *temporary; /* NULL: `file` is the one that is meant */
} cor_output;

/* COR_ERR_SYSTEM, with a sentence that names the path and the reason; COR_ERR_MEMORY. After success one of the two
 * functions below ends it. */
int cor_output_open(cor_output *output, const char *path, cor_fault *fault);

/* Could it be opened now? A path that is no plain file is not opened: the reader of a pipe would see it end. */
int cor_output_check(const char *path, cor_fault *fault);

/* Finish the file and let it take its name. After a failure the file that was there is unchanged. */
int cor_output_commit(cor_output *output, cor_fault *fault);

/* Forget what was written. */
void cor_output_abandon(cor_output *output);

#endif
