/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `corunna apps`: shared by its files.
 *
 *   apps_command.c   verbs, options, one run
 *   apps_list.c      the applications
 *   apps_library.c   the libraries: what has to be compiled for them, how a program is started
 *   apps_matrix.c    applications x ranks x libraries (apps_matrix.h)
 *   apps_results.c   its figures, in memory and in a file that a later run goes on with
 *   apps_report.c    its tables, JSON and page
 */
#ifndef COR_TOOLS_APPS_H
#define COR_TOOLS_APPS_H

#include "tools/bench/bench.h"

/* ---- applications ----------------------------------------------------------------------------------------------- */

/* The numbers of ranks that an application supports. */
typedef enum apps_ranks {
    APPS_RANKS_ANY,
    APPS_RANKS_POWER,
    APPS_RANKS_SQUARE,
    APPS_RANKS_TWO,
    APPS_RANKS_TWELVE
} apps_ranks;

typedef struct apps_app {
    const char *name;
    const char *java_class;
    const char *c_program; /* in the folder of programs; NULL: no C version */
    const char *c_sources; /* of it, as a shell names them, in the folder c of the one below */
    const char *folder;    /* of its sources, in the folder of applications: java and c are below it */
    const char *classes;
    const char *class_letter; /* the default, which takes seconds */
    int ranks;                /* the default */
    apps_ranks ranks_are;
    const char *summary;
} apps_app;

extern const apps_app apps_apps[];
extern const int apps_app_count;

const apps_app *apps_app_find(const char *name); /* NULL: none */
int apps_app_takes(const apps_app *app, int ranks);
const char *apps_ranks_text(apps_ranks ranks);

/* ---- libraries -------------------------------------------------------------------------------------------------- */

typedef enum apps_as { APPS_JAVA, APPS_THREADS, APPS_C } apps_as;

/* One run. */
typedef struct apps_run {
    const apps_app *app;
    const bench_places *places;
    apps_as as;
    int ranks;
    const char *device; /* "": the default */
    const char *class_letter;
    char **words; /* of the application, after the class */
    int word_count;
} apps_run;

typedef struct apps_library {
    const char *name;
    const char *languages; /* names on the command line; the first is the default */
    /* 1: get the words that start the run, and compile into the places' work folder if necessary. 0: `why` has the
     * reason. */
    int (*command)(const apps_run *run, bench_words *words, char why[BENCH_WHY_MAX]);
} apps_library;

extern const apps_library apps_libraries[];
extern const int apps_library_count;

const apps_library *apps_library_find(const char *name);

int cor_apps_matrix(int argc, char **argv);

/* java, threads or c; -1: none of them. */
int apps_as_find(const char *name);
const char *apps_as_name(apps_as as);

#endif
