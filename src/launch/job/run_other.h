/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs whose device sends through another MPI (mpidev): the command line is translated for that MPI's launcher, and
 * this process executes it.
 */
#ifndef COR_RUN_OTHER_H
#define COR_RUN_OTHER_H

#include "launch/hosts/run_cluster.h"
#include "launch/run_plan.h"

/* Does the chosen device need that? `overrides` as in cor_knobs_load, already checked. */
int cor_run_needs_other(const char *const *overrides);

/* Execute that launcher for the plan, on the hosts of cluster->list; plan->size may be 0: one rank per slot. Returns
 * only on failure, after a message: the exit status. */
int cor_run_exec_other(const run_plan *plan, const run_cluster *cluster, const char *const *overrides);

#endif
