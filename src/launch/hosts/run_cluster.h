/* SPDX-License-Identifier: Apache-2.0 */
/* Where a job runs: from the host options and the scheduler's environment to the hosts and ranks of a plan. */
#ifndef COR_RUN_CLUSTER_H
#define COR_RUN_CLUSTER_H

#include "base/knob.h"
#include "launch/hosts/host_list.h"
#include "launch/hosts/host_map.h"
#include "launch/hosts/rank_file.h"
#include "launch/run_list.h"
#include "launch/run_plan.h"

/* The launcher's own knobs, run.launcher and so on. */
extern const cor_knob_table cor_run_knobs;

enum { RUN_LAUNCHER_MAX = 1024, RUN_PREFIX_MAX = 1024, RUN_BIND_MAX = 64 };

typedef struct run_knobs {
    char launcher[RUN_LAUNCHER_MAX]; /* "": ssh, or srun inside an allocation */
    char prefix[RUN_PREFIX_MAX];     /* "": as here */
    int fan;
    int host_timeout_s;
    char bind[RUN_BIND_MAX]; /* what --bind-to is by default */
} run_knobs;

/* The options so far. Zero-initialise it. */
typedef struct run_cluster {
    host_list list;
    host_order order;
    int may_oversubscribe;
    int per_node;      /* ranks per host, 0: not given */
    int is_elsewhere;  /* no rank on this host */
    int ignores_slurm; /* an allocation does not name the hosts */
    int carries_all;   /* ranks of other hosts get the whole environment */
    int in_turn;       /* as in host_mapping */
    /* what a plan points to */
    run_knobs knobs;
    char program[RUN_PREFIX_MAX + 32];
    run_host *hosts;
    int *ranks;
    rank_file places; /* by --rankfile */
    char **slots;     /* its lists, host by host */
    run_list environment;
} run_cluster;

/* Complete the plan: its hosts, its binding and, unless plan->size is above 0 already, its size: one rank per slot, or
 * per_node on every host. Without any host option, and when all ranks are on this host without a rank file, the plan
 * has no hosts. `overrides` as in cor_knobs_load. 0, or -1 after a message. The
 * cluster must outlive the plan. */
int cor_run_cluster_plan(run_cluster *cluster, const char *const *overrides, run_plan *plan);
void cor_run_cluster_fini(run_cluster *cluster);

#endif
