/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `corunna apps matrix`: shared by its files. A figure is the rate of one run, in million operations per second; more
 * is better, and the best of all rounds counts.
 */
#ifndef COR_TOOLS_APPS_MATRIX_H
#define COR_TOOLS_APPS_MATRIX_H

#include "tools/apps/apps.h"

enum { APPS_WORD_MAX = 24 };

/* A library, in one of the ways it runs programs. */
typedef struct apps_system {
    const char *name, *title;
    const char *library;
    apps_as as;
} apps_system;

extern const apps_system apps_systems[];
extern const int apps_system_count;

const apps_system *apps_system_find(const char *name);

/* ---- figures ---------------------------------------------------------------------------------------------------- */

typedef struct apps_result {
    char app[APPS_WORD_MAX], class_letter[APPS_WORD_MAX], system[APPS_WORD_MAX];
    int ranks, round;
    double seconds, rate;
    int is_verified;
} apps_result;

typedef struct apps_results {
    apps_result *rows;
    int count, room;
} apps_results;

int apps_results_add(apps_results *results, const apps_result *result); /* 0: out of memory */
void apps_results_free(apps_results *results);

/* Parse a line as apps_results_print writes it. 0: it is not one. */
int apps_results_parse(const char *line, apps_result *result_p);
void apps_results_print(const apps_result *result, FILE *out);
/* Read the results of an earlier run; a missing file counts as empty, lines that begin with # are skipped. 0: `why` has
 * the reason. */
int apps_results_read(apps_results *results, const char *path, char why[BENCH_WHY_MAX]);
/* Append a line to the file, and to a new file first a heading with machine and day. 0: `why` has the reason. */
int apps_results_append(const apps_result *result, const char *path, char why[BENCH_WHY_MAX]);

/* Was this configuration measured and verified? */
int apps_results_has(const apps_results *results, const apps_result *like);
/* The best rate of all rounds; 0: none. */
double apps_results_best(const apps_results *results, const apps_result *like, const char *system, int ranks);
/* Is it the first row of its application and class? */
int apps_results_is_first(const apps_results *results, int row);

/* ---- output ----------------------------------------------------------------------------------------------------- */

void apps_report_print(const apps_results *results, FILE *out);
/* Written completely or not at all. 0: `why` has the reason. */
int apps_report_json(const apps_results *results, const char *path, char why[BENCH_WHY_MAX]);
int apps_report_html(const apps_results *results, const char *path, char why[BENCH_WHY_MAX]);

#endif
