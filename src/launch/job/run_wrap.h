/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger or a terminal around the program of a rank. */
#ifndef COR_RUN_WRAP_H
#define COR_RUN_WRAP_H

#include "launch/run_list.h"
#include "launch/run_plan.h"

/* Ranks as in "0,2-3", "-1" and "" for all of them: is `rank` among them? -1: it is no such list. */
int cor_run_ranks_have(const char *ranks, int rank);

/* The command line of a rank: the program's own or, with a wrapper, the one that is made in `command`, which is the
 * caller's. */
char **cor_run_wrap(const run_plan *plan, const run_program *program, int rank, run_list *command);

#endif
