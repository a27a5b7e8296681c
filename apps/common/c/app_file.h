/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is written whole or not at all: beside its place first, then moved there. */
#ifndef APP_FILE_H
#define APP_FILE_H

#include <limits.h>
#include <stdio.h>

typedef struct app_file {
    FILE *out;
    const char *path; /* must live as long */
    char part[PATH_MAX];
} app_file;

/* 0: it cannot be written; errno says why. */
int app_file_begin(app_file *file, const char *path);
/* 0: not all of it could be written; nothing is left, and errno says why. */
int app_file_end(app_file *file);

#endif
