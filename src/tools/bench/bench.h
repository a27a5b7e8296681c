/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `corunna bench`: shared by its files.
 *
 *   bench_command.c   the order of things
 *   bench_options.c   the options, also in the lines of a plan
 *   bench_selection.c which tests, ranks, sizes and libraries they name
 *   bench_plan.c      what that amounts to, test by test
 *   bench_tests.c     the tests, their types and sizes
 *   bench_system.c    the libraries: where they are, how the program is compiled for them, how it is started
 *   bench_mpj.c       MPJ Express, for which `corunna apps` compiles as well
 *   bench_floor.c     what is measured to compare with, and is no library
 *   bench_netns.c     two hosts on one machine
 *   bench_places.c    where things are
 *   bench_job.c       one start of the program, with a time limit
 *   bench_result.c    figures of all rounds
 *   bench_table.c     the tables on the screen
 *   bench_targets.c   what is asked of the figures
 *   bench_report.c    all that is printed and written at the end
 *   bench_file.c      CSV and JSON
 *   bench_sim.c       predictions for a cluster instead of measurements
 *
 * The programs that measure (bench/c, bench/java of the source tree) are the same for every library. They print times;
 * less is always better. Bandwidths and rates are computed from them for output.
 */
#ifndef COR_TOOLS_BENCH_H
#define COR_TOOLS_BENCH_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

enum { BENCH_WORDS_MAX = 64, BENCH_NAME_MAX = 48, BENCH_LIST_MAX = 64, BENCH_WHY_MAX = 512 };

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* BENCH_SHAPE: a time, of shapes whose sizes are not bytes. */
typedef enum bench_shown { BENCH_TIME, BENCH_BANDWIDTH, BENCH_RATE, BENCH_AS_IS, BENCH_SHAPE } bench_shown;

enum { BENCH_JAVA_ALONE = 2 };

typedef struct bench_test {
    const char *name;
    const char *types; /* the first is the default */
    const char *modes; /* with spaces between; "": none */
    const char *sizes; /* the default, with units; "": none */
    int ranks;         /* 2: always two; 0: as many as there are */
    int in_java;       /* or BENCH_JAVA_ALONE */
    bench_shown shown;
    const char *summary;
} bench_test;

extern const bench_test bench_tests[];
extern const int bench_test_count;

const bench_test *bench_test_find(const char *name); /* NULL: none */
/* Is this an element type that only the Java program has? */
int bench_type_is_java(const char *type);

/* The next word of a list with commas or spaces; 0 at its end. */
int bench_list_next(const char **list_p, char word[BENCH_NAME_MAX]);

/* ---- systems ---------------------------------------------------------------------------------------------------- */

/* A command and its environment, NULL-terminated, with room for what is appended. The words are copies. */
typedef struct bench_words {
    char *words[BENCH_WORDS_MAX];
    int count;
} bench_words;

void bench_words_add(bench_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_words_free(bench_words *words);

/* Interrupts: ^C ends the current job, and prevents further ones. */
typedef struct bench_interrupts {
    int fd;
    int number; /* of the signal received; 0: none */
} bench_interrupts;

int bench_interrupts_open(bench_interrupts *interrupts);
int bench_interrupts_look(bench_interrupts *interrupts); /* its number */

/* The folders of Corunna's files and of this run's output, and its interrupts. */
typedef struct bench_places {
    char corunna[PATH_MAX]; /* the executable */
    char jar[PATH_MAX];
    char programs[PATH_MAX]; /* mpibench and bench.jar, built with Corunna */
    char sources[PATH_MAX];  /* c and java, for other libraries */
    char work[PATH_MAX];     /* removed at the end */
    bench_interrupts *interrupts;
} bench_places;

/* 0, or -1 after a message of this command. */
int bench_places_open(bench_places *places, bench_interrupts *interrupts, const char *command);
void bench_places_close(bench_places *places);

typedef struct bench_launch {
    const bench_places *places;
    int ranks;
    int cpus;           /* that this command may use */
    const char *device; /* "": the default; tcpdev: all libraries use TCP on the loopback interface */
    int threads;        /* the program will call from several threads */
    const char *test;
    const char *hosts; /* of the ranks; "": this host */
    int is_netns;      /* these are namespaces: bench_netns_up */
    int is_asleep;     /* ranks that wait sleep at once */
} bench_launch;

typedef struct bench_system {
    const char *name;
    const char *title;
    int is_java;
    int is_ours;
    /* Returns 1 if it can be used, or 0, and `why` says what is missing. Compiles the program into places->work if
     * necessary. */
    int (*prepare)(const bench_places *places, char why[BENCH_WHY_MAX]);
    /* 1: get the words that start the program, without its arguments. 0: it cannot be started this way; `why` has the
     * reason, or "" if it is obvious. */
    int (*command)(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX]);
} bench_system;

extern const bench_system bench_systems[];
extern const int bench_system_count;

const bench_system *bench_system_find(const char *name);
int bench_system_is_peer(const bench_system *system, int is_java); /* another library of this language */

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

/* Runs a command; each line of its output goes to `line`. Everything that it started is ended when this returns.
 * 1: success. 0: `why` has the failure. */
int bench_job_run(const bench_words *command, const bench_words *environment, bench_interrupts *interrupts,
                  int seconds, void (*line)(void *context, char *text), void *context, char why[BENCH_WHY_MAX]);

/* ---- results ---------------------------------------------------------------------------------------------------- */

typedef struct bench_result {
    const bench_system *system;
    int ranks;
    char variant[BENCH_NAME_MAX]; /* a device, or the forced algorithm */
    char test[BENCH_NAME_MAX], type[BENCH_NAME_MAX], mode[BENCH_NAME_MAX], unit[BENCH_NAME_MAX];
    long bytes;
    double minimum;                 /* of all rounds */
    double medians[BENCH_LIST_MAX]; /* of each round, ascending */
    int rounds, samples;
} bench_result;

typedef struct bench_results {
    bench_result *rows;
    int count, room;
} bench_results;

/* Add a line that the program printed. 0: it is not a result. */
int bench_results_add(bench_results *results, const bench_system *system, int ranks, const char *variant, char *line);
const bench_result *bench_results_find(const bench_results *results, const bench_system *system,
                                       const bench_result *like);
/* Do two results differ only in size and library? */
int bench_result_is_of_table(const bench_result *a, const bench_result *b);
/* Are all figures of this result's table 0, such as the number of sleeps of ranks that never slept? Then the table is
 * omitted. */
int bench_results_are_empty(const bench_results *results, int first);
double bench_result_median(const bench_result *result);
/* How far the median is above the minimum, relative to it: smaller differences are not significant. */
double bench_result_spread(const bench_result *result);
void bench_results_free(bench_results *results);

/* ---- output ----------------------------------------------------------------------------------------------------- */

typedef struct bench_report {
    const bench_results *results;
    const bench_system *systems[BENCH_LIST_MAX]; /* Corunna's before the others */
    int system_count;
    char machine[256], measured[256];
    char **notes; /* what could not be measured, and why */
    int note_count;
    long checks[BENCH_LIST_MAX]; /* sizes held out from fitting, to judge a model */
    int check_count;
} bench_report;

void bench_table_print(const bench_report *report, FILE *out);
/* A value for output: a time, or a value derived from it, with its unit. */
double bench_shown_value(const bench_result *result, const char **unit_p);
void bench_size_print(long bytes, char out[BENCH_NAME_MAX]);

/* Evaluate the targets of a file. 0: the file cannot be read, or is invalid; `why` has the reason. */
int bench_targets_print(const bench_report *report, const char *path, FILE *out, char why[BENCH_WHY_MAX]);
/* Check, before anything is measured, that the file of targets is valid. */
int bench_targets_check(const char *path, char why[BENCH_WHY_MAX]);

/* All write a temporary file and rename it: the old file is unchanged unless everything could be written. 0: `why` has
 * the reason. */
int bench_file_csv(const bench_report *report, const char *path, char why[BENCH_WHY_MAX]);
int bench_file_json(const bench_report *report, const char *path, char why[BENCH_WHY_MAX]);
/* bench_page.c: one page with charts. */
int bench_file_html(const bench_report *report, const char *path, char why[BENCH_WHY_MAX]);

#endif
