/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `corunna tune`: which algorithm of each collective, and which settings of the devices, are fastest on this machine,
 * as a file of rules and of lines `set NAME=VALUE`.
 *
 *   tune_command.c   options, and the order of things
 *   tune_subjects.c  what is tuned: a collective with a number of ranks, and the algorithms that can run there
 *   tune_measure.c   measuring, in passes, until the time is up; measurements are kept in a file and not repeated
 *   tune_choose.c    the winners, and the rules made of them
 *   tune_sim.c       predictions instead of measurements, for a cluster that is not there
 *   tune_check.c     a last comparison with the library's defaults; rules without a gain are dropped
 *   tune_settings.c  sizes of rings, limits of protocols and the like: candidates, choice, and their last comparison
 *   tune_write.c     the file
 *   tune_page.c      before and after, as a page
 *
 * An algorithm is judged by the worse of two figures, calls apart and calls in a row, each divided by the best of all:
 * the rules must be good at both.
 */
#ifndef COR_TOOLS_TUNE_H
#define COR_TOOLS_TUNE_H

#include "coll/choose/rules.h"
#include "sim/sim_spec.h"
#include "tools/bench/bench.h"

#include <stdint.h>

enum { TUNE_SIZES_MAX = 32, TUNE_CANDIDATES_MAX = 32, TUNE_RANKS_MAX = 16, TUNE_WON_BY_DEFAULT = 0 };

/* A collective with a number of ranks. */
typedef struct tune_subject {
    cor_primitive primitive;
    const char *test; /* the name of both */
    int ranks;
    int size_count;
    /* What may be forced, with its parameters; the first is "", the library's own choice. */
    char candidates[TUNE_CANDIDATES_MAX][BENCH_NAME_MAX];
    int candidate_count;
    uint8_t is_out[TUNE_CANDIDATES_MAX][TUNE_SIZES_MAX]; /* too slow to be measured again */
    int winners[TUNE_SIZES_MAX];                         /* candidates */
} tune_subject;

enum { TUNE_DEVICES = 2, TUNE_SETTINGS_MAX = 128 };

/* The result for a device. */
typedef struct tune_device {
    int is_asked;
    char settings[TUNE_SETTINGS_MAX]; /* "sm.ring=512k sm.single_copy=never"; "": as they are */
    double gain;                      /* the mean speed-up */
    int attempt;                      /* the number of the comparison that measured it */
} tune_device;

typedef struct tune_run {
    bench_places places;
    bench_interrupts interrupts;
    bench_results results; /* variant: the candidate, or the side of the last comparison */
    bench_words environment;
    tune_subject *subjects;
    int subject_count;
    tune_device devices[TUNE_DEVICES];
    long sizes[TUNE_SIZES_MAX];
    int size_count;
    int has_sizes;                         /* given by the user */
    int ranks[TUNE_RANKS_MAX], rank_count; /* rising */
    int cpus;
    char hosts[256];  /* of the ranks; "": this host */
    int host_count;   /* of these, or 1 */
    int is_simulated; /* on this cluster; every number of ranks has several nodes */
    cor_sim_spec cluster;
    uint64_t end_ns;         /* when the time is up */
    const char *output;      /* the rules file */
    char measured[PATH_MAX]; /* the file of measurements, beside it */
    FILE *log;               /* the same, open */
    int is_terminal;
    int done, all;           /* starts of the program, for the progress */
    char why[BENCH_WHY_MAX]; /* the reason of the last failed start; "": none */
} tune_run;

/* ---- tune_subjects.c -------------------------------------------------------------------------------------------- */

/* Make the subjects for the collectives and devices of a list with commas, or for all of them. 0, or -1 after a
 * message. */
int tune_subjects_make(tune_run *run, const char *names);

/* ---- tune_measure.c --------------------------------------------------------------------------------------------- */

/* A start of the program. */
typedef struct tune_job {
    const char *what, *variant; /* for the progress; for the results */
    int ranks;
    const char *device;    /* "": the default */
    const char *settings;  /* "name=value", with spaces between */
    const char *rules;     /* a file, or "": the built-in ones */
    const char *algorithm; /* that is forced for the collective `what`; NULL, "": none */
    int ms;
    const bench_words *words; /* of the program */
} tune_job;

void tune_job_start(tune_run *run, const tune_job *job);

/* Open the file of measurements: read it, and append to it. 0, or -1 after a message. */
int tune_open_log(tune_run *run);

/* 0: everything possible was measured; 1: the time is up, or ^C; the measurements so far can be used. */
int tune_measure(tune_run *run);
/* One start of the program for a subject, with a candidate forced or with a rules file; sizes in is_out are left
 * out. */
void tune_start(tune_run *run, const tune_subject *subject, int candidate, const char *variant, const char *rules,
                int ms);
/* The figures of a variant at a size, or NULL; the time, or 0. */
const bench_result *tune_find(const tune_run *run, const tune_subject *subject, const char *variant, int size,
                              const char *mode);
double tune_time(const tune_run *run, const tune_subject *subject, const char *variant, int size, const char *mode);
/* Add a figure that was not measured by a start of the program. */
void tune_add(tune_run *run, const tune_subject *subject, const char *variant, int size, const char *mode, double us);
int tune_is_over(tune_run *run);

/* ---- tune_sim.c ------------------------------------------------------------------------------------------------- */

/* Parse the description of a cluster; it sets the numbers of ranks if none are given. 0, or -1 after a message. */
int tune_sim_open(tune_run *run, const char *text);
/* As tune_measure; -1: after a message. */
int tune_sim_measure(tune_run *run);
/* As tune_check, by the predictions. */
void tune_sim_check(tune_run *run);

/* ---- tune_choose.c ---------------------------------------------------------------------------------------------- */

/* How much slower than the best a candidate is, in its worst mode; 0: not measured. */
double tune_score(const tune_run *run, const tune_subject *subject, int candidate, int size);
void tune_choose(tune_run *run);

/* ---- tune_settings.c -------------------------------------------------------------------------------------------- */

extern const char *const tune_device_names[TUNE_DEVICES]; /* names on the command line: sm, tcp */

/* As tune_measure. */
int tune_settings_measure(tune_run *run);
/* Choose settings, and compare runs with and without them in turn. */
void tune_settings_check(tune_run *run);
/* The figures of a test at one size, with and without the settings. */
typedef void (*tune_settings_fn)(void *context, const char *test, long bytes, double before_us, double after_us);
void tune_settings_each(const tune_run *run, int device, tune_settings_fn each, void *context);
void tune_settings_print(const tune_run *run, FILE *out);

/* ---- tune_write.c ----------------------------------------------------------------------------------------------- */

/* Write the file completely or not at all. 0, or -1 after a message. */
int tune_write(const tune_run *run, const char *path);

/* ---- tune_check.c ----------------------------------------------------------------------------------------------- */

#define TUNE_WITHOUT "without the rules"
#define TUNE_WITH "with the rules"

/* Compare runs with and without the rules in turn, and drop rules without a gain. */
void tune_check(tune_run *run);
/* Drop the rules that are not faster in both modes, by the figures TUNE_WITH and TUNE_WITHOUT. */
void tune_drop_losses(tune_run *run);
int tune_has_rule(const tune_subject *subject);
void tune_print_gains(const tune_run *run, FILE *out);

/* ---- tune_page.c ------------------------------------------------------------------------------------------------ */

/* 0, or -1 after a message. */
int tune_page_write(const tune_run *run, const char *path);

#endif
