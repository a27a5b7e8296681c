/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger or a terminal around the program of a rank. */
#ifndef COR_RUN_WRAP_H
#define COR_RUN_WRAP_H

#include "launch/run_list.h"
#include "launch/run_plan.h"

/* Is `rank` in a list of ranks such as "0,2-3"? "-1" and "" are all ranks. Returns -1 if the list is invalid. */
int cor_run_ranks_have(const char *ranks, int rank);

/* The command line of a rank: the program's own or, with a wrapper, the one made in `command`, which the caller
 * owns. */
char **cor_run_wrap(const run_plan *plan, const run_program *program, int rank, run_list *command);

#endif
