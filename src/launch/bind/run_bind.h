/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding ranks to CPUs. The command line's words become part of the plan at the root; every host turns them into CPU
 * sets for its own ranks, by its own processors, before it starts any of them.
 */
#ifndef COR_RUN_RUN_BIND_H
#define COR_RUN_RUN_BIND_H

#include "launch/bind/bind_machine.h"
#include "launch/run_plan.h"

/* ---- at the root ------------------------------------------------------------------------------------------------ */

/* What the options mean for the division of ranks among hosts. */
typedef struct run_division {
    int is_mapped;         /* --map-by is given: */
    int is_by_host;        /* hosts get ranks in turn, instead of one host after the other */
    int may_oversubscribe; /* 1, 0, or -1: the options leave it open */
    int in_turn;  /* ranks that a host gets in turn when they are numbered; 0: by the order of mapping, -1: all */
    int per_host; /* ranks on every host; 0: the options leave it open */
} run_division;

/* Complete plan->binding by the default `usual` (the setting run.bind) for a job on `host_count` hosts, and check it.
 * `plan->programs` may be NULL for a Java program. 0, or -1 after a message. */
int cor_run_bind_plan(run_plan *plan, const char *usual, int host_count, run_division *division_p);

/* Was one of the options given? */
int cor_run_bind_is_asked(const run_binding *binding);

/* ---- on every host ---------------------------------------------------------------------------------------------- */

/* The CPUs of the ranks here. */
typedef struct run_bound {
    bind_machine *machine; /* NULL: nothing to bind and nothing to report */
    cor_cpu_set *sets;     /* by place; NULL: not bound */
    int is_applied;        /* 0: hwloc's variables describe another machine */
    char notice[512];      /* "": none; else why an option has no effect here */
} run_bound;

/* Find the CPUs of `count` ranks. COR_ERR_ARG: the options cannot be met here. Ends with cor_run_bind_close. */
int cor_run_bind_open(const run_plan *plan, int count, run_bound *bound_p, cor_fault *fault);
void cor_run_bind_close(run_bound *bound);

/* What to bind a rank to; NULL: nothing. */
const cor_cpu_set *cor_run_bind_set(const run_bound *bound, int place);

/* Bind this process. 0, or -1 with errno. */
int cor_run_bind_apply(const cor_cpu_set *set);

/* A line about a rank, without a newline; the caller frees it. NULL: no memory. */
char *cor_run_bind_report(const run_bound *bound, int place, int rank, const char *host);

#endif
