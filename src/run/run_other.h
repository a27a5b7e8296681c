/*
 * Jobs whose ranks another MPI's launcher starts, because their device sends through that MPI (mpidev): the command line
 * becomes one for that launcher, and this process becomes that launcher.
 */
#ifndef COR_RUN_OTHER_H
#define COR_RUN_OTHER_H

#include "run/run_cluster.h"
#include "run/run_plan.h"

/* Is that so for the device that is asked for? `overrides` as in cor_knobs_load, in which nothing is wrong. */
int cor_run_wants_other(const char *const *overrides);

/* Start the plan that way; cluster->list says where, and plan->size may be 0: one rank a slot. Returns, after one
 * sentence, only if that cannot be done: the exit status. */
int cor_run_become_other(const run_plan *plan, const run_cluster *cluster, const char *const *overrides);

#endif
