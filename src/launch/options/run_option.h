/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command-line options as rows of a table, from which parsing, help and the nearest name come.
 *
 * One dash or two make no difference, and --name=value is --name value, because other launchers differ in both. A name
 * of one letter takes its value from the next word only.
 */
#ifndef COR_RUN_OPTION_H
#define COR_RUN_OPTION_H

#include <stddef.h>

typedef struct run_option {
    const char *names; /* "n|np", the first is the one help shows */
    int id;
    const char *values; /* "N", "VAR VALUE", or "" for none: as many as there are words; "[N]": only after "=" */
    const char *help;   /* NULL: accepted but not shown */
} run_option;

typedef struct run_option_table {
    const char *command_name; /* prefix of every message */
    const run_option *rows;
    size_t count;
} run_option_table;

typedef struct run_option_match {
    const run_option *option;
    const char *word; /* as the user typed it */
    const char *values[2];
} run_option_match;

/* Does this word begin as an option does? */
int cor_run_option_is(const char *word);

/* Match argv[*at] and move *at beyond it and its values. 0; or -1: no row has this name; or -2 after a message: values
 * are missing or too many. */
int cor_run_option_take(const run_option_table *table, char **argv, int *at, run_option_match *match_p);

/* Print the message for an unknown name. */
void cor_run_option_unknown(const run_option_table *table, const char *word);

/* Print the version of Corunna, the answer to every --version. Returns 0. */
int cor_run_option_version(void);

/* One line per row. */
void cor_run_option_help(const run_option_table *table);

/* A whole number of at least `minimum`, or -1 after a message. */
int cor_run_option_number(const run_option_table *table, const run_option_match *match, int minimum, int *value_p);

#endif
