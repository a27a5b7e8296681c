/* Starting one rank: a process of its own group that dies with the launcher. */
#ifndef COR_RUN_SPAWN_H
#define COR_RUN_SPAWN_H

#include "run/run_plan.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What every rank gets from the launcher's own start. */
typedef struct run_heritage {
    sigset_t mask;       /* the signal mask the user's shell gave us */
    struct rlimit files; /* likewise the limit of open files, which the launcher raises for itself */
} run_heritage;

typedef struct run_child {
    pid_t pid;
    int pmi_fd, output_fd, error_fd; /* our ends, not blocking, closed on exec */
} run_child;

/* What went wrong, and at which of the stages below. */
typedef struct run_spawn_error {
    int error; /* errno */
    int stage;
} run_spawn_error;

enum { RUN_STAGE_EXEC = 1, RUN_STAGE_WDIR, RUN_STAGE_BIND, RUN_STAGE_PREPARE };

/* Start rank `rank`, its stdin being `input_fd` (taken over by the child only). Returns when the program runs: 0, or
 * -1 with *error_p and nothing left. */
int cor_run_spawn(const run_plan *plan, const run_heritage *heritage, int rank, int input_fd, run_child *child_p,
                  run_spawn_error *error_p);

#endif
