/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher from outside: run the job of a plan, here or as an agent on another host. */
#ifndef COR_RUN_FRONT_H
#define COR_RUN_FRONT_H

#include "launch/run_plan.h"

/* Run the job to its end and return the launcher's exit status. No process of the job is left. */
int cor_run_plan(const run_plan *plan);

/* `corunna agent`: the plan comes from the parent, over stdin and stdout. Returns the exit status. */
int cor_command_agent(int argc, char **argv);

#endif
