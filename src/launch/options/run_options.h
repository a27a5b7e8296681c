/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All options of `corunna run`, mpirun and mpiexec, in one table: run_options.def. The parser, the help, the manual
 * page, docs/launching.md and the completions of shells come from it.
 *
 * The table has what the manual pages of Open MPI 5 and MPICH's Hydra 4 list, and what scripts for srun use. Each
 * option works, or is accepted with a notice why it has no effect, or is refused with the way to get the same.
 */
#ifndef COR_RUN_OPTIONS_H
#define COR_RUN_OPTIONS_H

#include "launch/options/run_option.h"
#include "launch/options/run_request.h"

typedef enum run_effect { RUN_WORKS, RUN_NOTICE, RUN_REFUSED } run_effect;

typedef enum run_section {
    RUN_SECTION_RANKS,
    RUN_SECTION_HOSTS,
    RUN_SECTION_PLACE,
    RUN_SECTION_ENVIRONMENT,
    RUN_SECTION_OUTPUT,
    RUN_SECTION_WATCH,
    RUN_SECTION_ENGINE,
    RUN_SECTION_GENERAL,
    RUN_SECTIONS
} run_section;

/* 0, or -1 after a message. */
typedef int (*run_take_fn)(run_request *request, const run_option_match *match);

/* The meaning of an option, besides its names, values and help. The help is what the option does; for a notice why it
 * has no effect; for a refusal how to get the same. */
typedef struct run_meaning {
    run_section section;
    const char *from; /* the launchers that have it: C Corunna alone, O Open MPI, H Hydra, S srun */
    run_effect effect;
    int is_per_program; /* it belongs to the program that follows it, else to the job */
    run_take_fn take;   /* NULL: the option asks for the default */
    size_t at;          /* which field of the request, for functions that set one */
    const char *detail; /* which setting or value, likewise */
} run_meaning;

extern const run_option_table cor_run_options;

/* The meaning of a row of that table. */
const run_meaning *cor_run_meaning(const run_option *option);

const char *cor_run_section_title(run_section section);

/* Apply an option to the request. 0, or -1 after a message. */
int cor_run_options_take(run_request *request, const run_option_match *match);

#endif
