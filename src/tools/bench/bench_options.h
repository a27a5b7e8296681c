/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `corunna bench`. */
#ifndef COR_TOOLS_BENCH_OPTIONS_H
#define COR_TOOLS_BENCH_OPTIONS_H

#include "tools/bench/bench.h"

/* Tests measured with the same options: those of the command line, or of a line of a plan. */
typedef struct bench_selection {
    const bench_test *tests[BENCH_LIST_MAX];
    int test_count;
    int ranks[BENCH_LIST_MAX], ranks_count;
    long sizes[BENCH_LIST_MAX];
    int size_count;              /* 0: each test's own */
    char types[BENCH_WORDS_MAX]; /* "": each test's first */
    char modes[BENCH_WORDS_MAX]; /* "": all of the test */
    char device[BENCH_NAME_MAX];
    char hosts[256]; /* "": this one */
    int is_netns, is_asleep;
    char variant[BENCH_NAME_MAX]; /* the device and these, for the results */
    const bench_system *without[BENCH_LIST_MAX];
    int without_count;
} bench_selection;

typedef struct bench_options {
    bench_selection *selections;
    int selection_count;
    const bench_system *systems[BENCH_LIST_MAX];
    int system_count;
    long checks[BENCH_LIST_MAX];
    int check_count;
    int rounds, ms, batches, agree, rotate, cpus, limit_s, seed;
    const char *csv, *json, *html, *targets, *plan;
    int is_quiet;
    const char *sim; /* the cluster to predict for instead of measuring; NULL: measure */
    int has_all;     /* with `sim`: each algorithm, besides the choice of the rules */
} bench_options;

/* 0; or an exit status after a message, or after help. */
int bench_options_parse(int argc, char **argv, bench_options *options_p, int *is_done_p);

void bench_options_free(bench_options *options);

/* ---- bench_selection.c ------------------------------------------------------------------------------------------ */

/* All return 0, or -1 after a message. */

/* Begin a new selection; and the current one. */
int bench_options_add_selection(bench_options *options);
bench_selection *bench_options_selection(bench_options *options);

int bench_options_add_test(bench_options *options, const char *name);
int bench_options_add_ranks(bench_options *options, const char *word);
int bench_options_add_size(bench_options *options, const char *word);
int bench_options_add_without(bench_options *options, const char *name);
int bench_options_add_system(bench_options *options, const char *name);
/* Call `add` for each word of a list. */
int bench_options_add_list(bench_options *options, const char *list, int (*add)(bench_options *, const char *));

/* Fill in defaults, after everything was read. */
int bench_options_complete(bench_options *options);

/* ---- bench_report.c --------------------------------------------------------------------------------------------- */

/* Describe machine and measurement: the number of CPUs, the seconds it took. */
void bench_report_describe(bench_report *report, const bench_options *options, int cpus, double seconds);
/* Write the tables, the verdict on targets and the requested files; or only the files. 0, or 1 after a message. */
int bench_report_print(const bench_report *report, const bench_options *options);
int bench_report_write_files(const bench_report *report, const bench_options *options);
/* Before anything is measured: can these files be written, and the targets be read? 0, or -1 after a message. */
int bench_report_check_files(const bench_options *options);

/* ---- bench_sizes.c ---------------------------------------------------------------------------------------------- */

/* The sizes of a test, in the order in which they are measured. Returns how many. Sizes that judge a model are
 * interleaved with those it is fitted to: changes in the course of a run, such as how much of a program is compiled,
 * then affect both. */
enum { BENCH_SIZES_MAX = 2 * BENCH_LIST_MAX };
int bench_sizes(const bench_options *options, const bench_selection *selection, const bench_test *test,
                long sizes[BENCH_SIZES_MAX]);

/* bench_sim.c: predict instead of measuring. The command's status. */
int bench_sim(const bench_options *options);

#endif
