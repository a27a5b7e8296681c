/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints added to messages of the system: why a program cannot be run, and the meaning of the last lines that a loader
 * or a JVM has written for a failed rank.
 */
#ifndef COR_RUN_HINT_H
#define COR_RUN_HINT_H

#include <stddef.h>

typedef enum run_hint_kind {
    RUN_HINT_NONE,
    RUN_HINT_LIBRARY,    /* the loader misses a shared library */
    RUN_HINT_MAIN_CLASS, /* Java misses the class that it is to run */
    RUN_HINT_CLASS,      /* Java misses another class */
    RUN_HINT_NATIVE,     /* the native library cannot be extracted from the jar */
    RUN_HINT_MAPPING,    /* a library cannot be mapped */
    RUN_HINT_MEMORY,     /* these three: a limit of the process or of the user */
    RUN_HINT_THREADS,
    RUN_HINT_FILES,
    RUN_HINT_SILENT /* its message needs no hint */
} run_hint_kind;

/* What a rank has printed about its failure; zero-initialise it. */
typedef struct run_hint {
    run_hint_kind kind;
    char name[120]; /* of the library or class */
} run_hint;

enum { RUN_HINT_MAX = 320 };

/* Search lines of a rank's stderr; the first known one counts. */
void cor_run_hint_take(run_hint *hint, const char *lines, size_t length);

/* What to append to the message about the rank's end, "" for nothing. */
void cor_run_hint_write(const run_hint *hint, char out[RUN_HINT_MAX]);

/* What to append to the message that the program of `argv0` cannot be run in `folder` because of `error`, an errno. */
void cor_run_hint_program(const char *argv0, const char *folder, int error, char out[RUN_HINT_MAX]);

#endif
