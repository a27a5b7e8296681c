/* SPDX-License-Identifier: Apache-2.0 */
/* Starting one rank: a process in its own group that dies with the launcher. */
#ifndef COR_RUN_SPAWN_H
#define COR_RUN_SPAWN_H

#include "base/cpu.h"
#include "base/segment.h"
#include "launch/run_plan.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What every rank inherits from the start of the launcher. */
typedef struct run_inherited {
    sigset_t mask;                     /* the signal mask inherited from the user's shell */
    struct rlimit files;               /* likewise the limit of open files, which the launcher raises for itself */
    char job[COR_SEGMENT_JOB_MAX + 1]; /* the unique name of the job, the same on all hosts */
    int record_fd;                     /* the file for the ranks' record; -1: none */
    int table_fd;                      /* the table of PMI values; -1: none */
    char interface[RUN_INTERFACE_MAX]; /* from the host file for the ranks of this host; "": not given */
} run_inherited;

typedef struct run_child {
    pid_t pid;
    int pmi_fd, output_fd, error_fd; /* this process's ends, not blocking, closed on exec */
    int report_fd;                   /* likewise: reports whether the program runs */
} run_child;

/* errno, and the stage that failed. */
typedef struct run_spawn_error {
    int error; /* errno */
    int stage;
} run_spawn_error;

enum { RUN_STAGE_EXEC = 1, RUN_STAGE_WDIR, RUN_STAGE_BIND, RUN_STAGE_PREPARE };

/* A rank, and its place among those of its host. */
typedef struct run_place {
    int rank;
    int place, places;       /* the ranks of a host are 0 to places - 1 */
    int input_fd;            /* its stdin, taken over by the child only */
    const cor_cpu_set *cpus; /* its CPUs; NULL: not bound */
} run_place;

/* Start a rank. Returns before its program runs, so that many can be started at once: 0, or -1 with *error_p and
 * nothing left. */
int cor_run_spawn(const run_plan *plan, const run_inherited *inherited, const run_place *seat, run_child *child_p,
                  run_spawn_error *error_p);

/* Does the program run? 1: that is not known yet, the report is to be polled. 0: it runs; or -1 with *error_p: it
 * cannot, and its process is to be reaped like any other; then the report is closed. */
int cor_run_spawn_test(int report_fd, run_spawn_error *error_p);

#endif
