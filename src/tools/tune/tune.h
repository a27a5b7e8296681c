/*
 * `corunna tune`: which algorithm of each collective is fastest on this machine, as a rules file.
 *
 *   tune_command.c   options, and the order of things
 *   tune_subjects.c  what is tuned: a collective among so many ranks, and the algorithms that can run there
 *   tune_measure.c   measuring, in passes, until the time is up; what was measured is kept in a file and not done again
 *   tune_choose.c    the winners, and the rules they come to
 *   tune_check.c     a last comparison with what the library does by itself; rules that do not pay are thrown out
 *
 * An algorithm is judged by the worse of two figures, calls apart and calls in a row, each divided by the best of all: the rules
 * must be good at both.
 */
#ifndef COR_TOOLS_TUNE_H
#define COR_TOOLS_TUNE_H

#include "coll/choose/rules.h"
#include "tools/bench/bench.h"

#include <stdint.h>

enum { TUNE_SIZES_MAX = 32, TUNE_CANDIDATES_MAX = 32, TUNE_RANKS_MAX = 16, TUNE_WON_BY_DEFAULT = 0 };

/* A collective among so many ranks. */
typedef struct tune_subject {
    cor_primitive primitive;
    const char *test; /* the name of both */
    int ranks;
    int size_count;
    /* What may be forced, with its parameters; the first is "", what the library chooses by itself. */
    char candidates[TUNE_CANDIDATES_MAX][BENCH_NAME_MAX];
    int candidate_count;
    uint8_t is_out[TUNE_CANDIDATES_MAX][TUNE_SIZES_MAX]; /* too slow to be measured again */
    int winners[TUNE_SIZES_MAX];                         /* candidates */
} tune_subject;

typedef struct tune_run {
    bench_places places;
    bench_interrupts interrupts;
    bench_results results; /* variant: the candidate, or the side of the last comparison */
    bench_words environment;
    tune_subject *subjects;
    int subject_count;
    long sizes[TUNE_SIZES_MAX];
    int size_count;
    int ranks[TUNE_RANKS_MAX], rank_count; /* rising */
    int cpus;
    uint64_t end_ns;         /* when the time is up */
    const char *output;      /* the rules file */
    char measured[PATH_MAX]; /* what was measured so far, beside it */
    FILE *log;               /* the same, open */
    int is_terminal;
    int done, all; /* starts of the program, for the progress */
} tune_run;

/* ---- tune_subjects.c -------------------------------------------------------------------------------------------- */

/* For the collectives of a list with commas, or all of them. 0, or -1 after a message. */
int tune_subjects_make(tune_run *run, const char *names);

/* ---- tune_measure.c --------------------------------------------------------------------------------------------- */

/* 0: all was measured that could be; 1: the time is up, or ^C; what there is can be used. -1 after a message. */
int tune_measure(tune_run *run);
/* One start of the program for a subject, with a candidate forced or with a rules file; sizes that are out are left out. */
void tune_start(tune_run *run, const tune_subject *subject, int candidate, const char *variant, const char *rules,
                int ms);
/* The figures of a variant at a size, or NULL; the time, or 0. */
const bench_result *tune_find(const tune_run *run, const tune_subject *subject, const char *variant, int size,
                              const char *mode);
double tune_time(const tune_run *run, const tune_subject *subject, const char *variant, int size, const char *mode);
int tune_is_over(tune_run *run);

/* ---- tune_choose.c ---------------------------------------------------------------------------------------------- */

/* How much slower than the best a candidate is, in the mode in which it is worst; 0: not measured. */
double tune_score(const tune_run *run, const tune_subject *subject, int candidate, int size);
void tune_choose(tune_run *run);
/* The rules of all winners that are not the default. Returns how many. */
int tune_print_rules(const tune_run *run, FILE *out);
/* Write the file, whole or not at all. 0, or -1 after a message. */
int tune_write(const tune_run *run, const char *path);

/* ---- tune_check.c ----------------------------------------------------------------------------------------------- */

/* Compares in turns with and without the rules, and gives up those that do not pay. */
void tune_check(tune_run *run);
void tune_print_gains(const tune_run *run, FILE *out);

#endif
