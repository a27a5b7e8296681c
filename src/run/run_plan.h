/*
 * What is to be run, as the command line asked for it, and the one call that runs it.
 *
 * Two processes launch a job. The front is the one the user started: it waits for signals and passes them on. The
 * worker is its child: it starts the ranks, serves PMI, forwards output. Whichever of the two is killed, even with
 * SIGKILL, the other ends every process of the job.
 */
#ifndef COR_RUN_PLAN_H
#define COR_RUN_PLAN_H

typedef enum run_bind { RUN_BIND_NONE, RUN_BIND_CORE } run_bind;

typedef struct run_plan {
    const char *speaker; /* begins every sentence: "corunna run" */
    int size;
    char **argv;      /* the program and its arguments, NULL-terminated */
    const char *wdir; /* NULL: where we are */
    char **settings;  /* NULL-terminated "NAME=value" for the ranks' environment */
    int tag_output;
    double timeout_s; /* 0: none */
    run_bind bind;
} run_plan;

/* Exit statuses of the launcher itself; a job's own are passed through. */
enum { RUN_STATUS_USAGE = 2, RUN_STATUS_TIMEOUT = 124, RUN_STATUS_NOT_EXECUTABLE = 126, RUN_STATUS_NOT_FOUND = 127 };

/* Run the job to its end and return the launcher's exit status. Nothing of the job is left running. */
int cor_run_plan(const run_plan *plan);

#endif
