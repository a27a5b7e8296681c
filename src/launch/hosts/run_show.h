/* SPDX-License-Identifier: Apache-2.0 */
/* What a job will look like, on stdout, before it starts. */
#ifndef COR_RUN_SHOW_H
#define COR_RUN_SHOW_H

#include "launch/hosts/host_list.h"
#include "launch/run_plan.h"

/* The hosts and their slots. */
void cor_run_show_hosts(const host_list *list);

/* Which ranks of which program run where: "a: ranks 0-1 ./master, 2 java Worker". */
void cor_run_show_map(const run_plan *plan);

#endif
